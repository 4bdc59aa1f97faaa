"""German words and what they tell.

They are found inside other words too, for German joins them; after `=` only as words of their
own.
"""

WORDS = {
    "alarm": """
        dringend, =eilt, =eilig, eilmeldung, sofort, umgehend, unverzüglich, schnellstmöglich, notfall, =störung, systemausfall, serverausfall,
        stromausfall, ausgefallen, letzte mahnung, =mahnung, zahlungserinnerung, letzte erinnerung, kündigung droht, sperrung, gesperrt,
        abgeschaltet, abschaltung, wasserschaden, rohrbruch, brand im, einbruch, gestohlen, gehackt, sicherheitslücke, sicherheitswarnung,
        spätestens heute, noch heute, frist läuft, inkasso, vollstreckung, nicht erreichbar, funktioniert nicht, geht nicht mehr, fällt aus, flug
        annulliert, annulliert, =abgesagt, bricht ab, brennt, droht, doppelt abgebucht, build fehlgeschlagen, verschluckt, bewusstlos, blutet, im
        krankenhaus, passwort abgelaufen, zugang gesperrt""",
    "overdue": """
        überfällig, im rückstand, unbezahlt, frist verpasst, frist abgelaufen, ist abgelaufen, =ausstehend, tagen offen, wochen offen""",
    "now": "=fällig, abgabefrist, =frist, anmeldeschluss, einsendeschluss, stichtag",
    "blocked": """
        wartet auf dich, wartet auf sie, wartet auf ihre, wartet auf deine, warten auf ihre, warten auf deine, warten auf sie, blockiert,
        abgelehnt, fehlgeschlagen, läuft ab, =fehlt, fehlt noch, benötigen wir, brauchen wir, sonst können""",
    "soon": "diese woche, =bald, =demnächst, =erinnerung, =nachfrage, in zwei tagen, "
    "zeitnah, nachfassen",
    "calm": """
        irgendwann, =vielleicht, keine eile, nicht eilig, nicht dringend, hat zeit, wenn du zeit hast, wenn sie zeit haben, bei gelegenheit, zur
        info, zur kenntnis, =optional, freiwillig, =später, kein handlungsbedarf, keine antwort nötig, nichts zu tun, eventuell, =mal schauen, in
        ruhe, unverbindlich""",
    "settled": """
        wurde bezahlt, ist bezahlt, beglichen, erledigt, abgeschlossen, versandt, verschickt, zugestellt, geliefert, bestätigung ihrer bestellung,
        bestellbestätigung, versandbestätigung, quittung, vielen dank für, erfolgreich, genehmigt, gelöst, danke für die teilnahme""",
    "weight": """
        rechnung, zahlung, bezahlen, überweis, =miete, mietvertrag, mieter, vermieter, kaution, kredit, darlehen, hypothek, =bank, =bankkonto,
        schulden, steuer, finanzamt, steuerberater, buchhaltung, umsatzsteuer, vertrag, verträge, anwalt, anwältin, gericht, klage, notar,
        kanzlei, unterschr, unterzeich, kunde, kundin, mandant, patient, =chef, =chefin, vorgesetzt, geschäftsführ, vorstand, aufsichtsrat,
        investor, gesellschafter, vorstellungsgespräch, bewerbung, prüfung, klausur, examen, abschlussarbeit, bachelorarbeit, masterarbeit,
        doktorarbeit, stipendium, =antrag, anträge, behörde, amt für, =bürgeramt, ausländeramt, jobcenter, reisepass, personalausweis, =visum,
        aufenthaltstitel, führerschein, zulassung, zertifikat, versicher, krankenkasse, =rente, rentenversicherung, altersvorsorge, =arzt,
        =ärztin, arzttermin, zahnarzt, hausarzt, facharzt, kinderarzt, frauenarzt, krankenhaus, =klinik, operation, =op, medikament, rezept
        abholen, befund, impf, therap, gesundheit, pflege, sicherheit, datenschutz, dsgvo, =server, datenbank, produktiv, ausfall, störung,
        inbetriebnahme, veröffentlichung, markteinführung, angebot für, angebot an, zum angebot, unser angebot, kostenvoranschlag, ausschreibung,
        budget, gehalt, präsentation, vortrag, abnahme, quartal, jahresabschluss, jahresgespräch, mitarbeitergespräch, verhandlung, brandschutz,
        inspektion, =tüv, polizei, unfall, heizung, rohrbruch, dachdecker, elektriker, beerdigung, sorgerecht, scheidung, elternsprechtag,
        elterngespräch, kita-platz, schulanmeldung, einschulung, geburtsurkunde, lieferant, lieferverzug, reklamation, bewerber, kündigung,
        abgabe, einreichen, einzureichen, gutachten, betriebsrat, pflicht, mahnung, inkasso, bußgeld, strafzettel, nebenkosten, wahlbrief,
        briefwahl, förderantrag, projektleit, meilenstein, =lohn, lohnabrechnung, löhne, =erbe, erbschaft, vererb, testament, nachlass, vollmacht,
        patientenverfügung, vorsorgevollmacht, unterhalt, =kita, kindergarten, lehrer, hausaufgabe, klassenarbeit, klassenfahrt, seminar, referat,
        gutacht, förderstelle, abschlussbericht, zwischenbericht, bericht an, wasserwerk, zählerstand, hausverwaltung, eigentümerversammlung,
        handwerker, reparatur, werkstatt, reifenwechsel, gerichtstermin, einspruch, widerspruch, =flug, flugbuchung, botschaft, konsulat, =termin
        beim, =termin bei, =termin mit dem, bestellung beim, lieferung, inventur, pressemitteilung, journalist, beschwerde, betriebsprüfung,
        probezeit, krankschreibung, krankmeldung, elternzeit, mutterschutz, reisekosten, spesen, zeiterfassung, provision, vertragsverlängerung,
        deployment, sicherung, backup, firewall, blutdruck, blutabnahme, ultraschall, physio, optiker, apotheke, spritze, insulin, hebamme,
        vorsorgeuntersuchung, pflegeheim, pflegedienst, steuererklär, bafög, kindergeld, elterngeld, wohngeld, sozialamt, jugendamt, standesamt,
        einbürgerung, meldeamt, ummeldung, kfz, =messe, fachmesse, lagerbestand, =zoll, zollamt, stromrechnung, stromvertrag, =strom, =schule,
        schulleitung, angebot, photovoltaik, wärmepumpe, frist, voranmeldung""",
    "growth": """
        lernen, fortbildung, weiterbildung, schulung, =kurs, sprachkurs, planen, =plan, planung, strategie, konzept, =ziele, zielen, architektur,
        entscheidung, recherch, vorbereit, karriere, nachfolge, partnerschaft, geschäftsidee, langfrist, mentor, dokumentation, prototyp, entwurf,
        gliederung, hauskauf, wohnungssuche, =ideen für, erste-hilfe, vorsorge, ausbildung, umschulung, automatisier, verbesser, marktstudie,
        marktanalyse, markteintritt, umorientierung, umzug nach, lebenslauf, notgroschen, rücklage, einarbeitung, handbuch, leitfaden,
        klausurtagung, gewohnheit, ehrenamt, sprachprüfung, nebenprojekt""",
    "light": """
        newsletter, rabatt, gutschein, umfrage, =kaffee, kaffeebohnen, =tee, mittagessen, frühstück, brunch, feierabendbier, umtrunk, =kino,
        =film, =filme, serie, =spiel, spieleabend, quiz, zitate, witze, liedtext, rezepte, podcast, playlist, geschenk, =fotos, fotoalbum,
        wlan-passwort, aufkleber, maskottchen, blumen gießen, pflanzen, gießen, =garten, gartenmöbel, möbel, tapete, profilbild, hobby, aufräumen,
        ausmisten, entrümpeln, =keller, dachboden, streichen, =party, grillen, grillfest, kegeln, bowling, yoga, fitnessstudio, fußball, tennis,
        =chor, konzert, ausstellung, museum, =musik, lesekreis, wander, spaziergang, =paket, katalog, katze, hund ausführen, namen für,
        stammtisch, fasching, weihnachtsfeier, wichteln, kuchen, pizza, eisdiele, urlaubsfotos, =witz, nachbestellen, ummelden des newsletters,
        deko, bastel, stricken, friseur, autowäsche, fenster putzen, staubsaug, =roman, =romane, leihen, ausleihen, ladegerät, joghurt,
        kühlschrank, altglas, pfandflaschen, wäsche, bügeln, skat, doppelkopf, kartenspiel, untersetzer, kerzen, vorhänge, poster, briefmarken,
        comic, schallplatte, folge ansehen, flohmarkt, träume, vernissage, plaudern, biergarten, glühwein, sauna, strand, postkarte, =doku""",
    "asked": """
        bitte antworten, um antwort, bitte um rückmeldung, rückmeldung, bitte melden, melde dich, melden sie sich, bitte bestätigen, bitte
        anrufen, ruf mich, rufen sie, rückruf, rückfrage, kannst du, können sie, könntest du, könnten sie, hast du, haben sie, was meinst du, ihre
        entscheidung, deine entscheidung, ihre antwort, deine antwort, ihre freigabe, freigabe, bitte senden, bitte schicken, möchte wissen,
        wartet auf, antworten""",
    "offer": """
        rabatt, sonderangebot, gutschein, nur heute sparen, jetzt sparen, schnäppchen, aktion endet, letzte chance, gratis, kostenlos testen,
        newsletter, abmelden, abbestellen, =sale, ausverkauf, räumungsverkauf, neuheiten, gewinnspiel, gewinnen sie, zum halben preis, bestseller,
        versandkostenfrei, =angebote der woche, unsere angebote, black friday""",
    "high": "hohe priorität, höchste priorität, =wichtig, sehr wichtig, unbedingt, zwingend",
    "low": "niedrige priorität, unwichtig, nebensächlich",
}
