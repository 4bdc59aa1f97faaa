"""French words and what they tell. A `*` stands for any ending; a plural s needs none."""

WORDS = {
    "alarm": """
        urgent*, urgence*, immédiatement, tout de suite, sans délai, sans attendre, au plus vite, dès que possible, dernier rappel, dernière
        relance, relance, mise en demeure, coupure, suspendu*, suspension, en panne, panne, fuite, dégât des eaux, inondation, incendie, volé,
        piraté, fraude, faille, alerte de sécurité, ne répond plus, ne fonctionne plus, avant midi, dernier délai, huissier, expulsion, hors
        service, plus tard aujourd'hui, vol annulé, est annulé*, annulé, menace, débité deux fois, perdu*, bloqué*, inconscient*, saigne, à
        l'hôpital""",
    "overdue": "en retard, impayé*, échu*, échéance dépassée, délai dépassé, arriéré*",
    "now": "échéance, date limite, délai, à rendre, dernier jour",
    "blocked": """
        bloqué*, attend votre, attend ta, attendent votre, en attente de votre, en attente de ta, attendue, attendu, refusé*, échoué, expire,
        expirent, il manque, manquant*, a besoin de votre, a besoin de toi, sinon""",
    "soon": "cette semaine, bientôt, rappel, dans deux jours, prochainement",
    "calm": """
        un jour, peut-être, pas urgent, rien d'urgent, pas pressé, sans urgence, quand tu as le temps, quand vous aurez le temps, quand tu peux, à
        l'occasion, pour info, pour information, facultatif*, optionnel*, plus tard, aucune action, rien à faire, éventuellement, prends ton temps""",
    "settled": """
        a été payé*, a été réglé*, payée, réglée, terminé*, résolu*, expédié*, livré*, confirmation de commande, confirmé*, reçu de paiement,
        merci pour votre, merci d'avoir, avec succès, approuvé*""",
    "weight": """
        facture*, paiement*, payer, régler, virement*, loyer*, bail, locataire*, propriétaire, caution, prêt, prêts, crédit, emprunt, hypothèque,
        banque, dette*, impôt*, fisc, tva, comptable, comptabilité, déclaration, contrat*, avocat*, juridique, tribunal, notaire*, signer,
        signature*, signé*, client*, cliente*, patient*, patron, patronne, directeur, directrice, direction, conseil d'administration,
        investisseur*, actionnaire*, entretien d'embauche, entretien annuel, entretien, candidature, examen*, concours, partiel*, mémoire, thèse,
        soutenance, bourse, dossier, préfecture, mairie, passeport*, carte d'identité, visa, titre de séjour, permis, certificat*, attestation*,
        assurance*, mutuelle, sécurité sociale, caf, retraite, épargne, médecin, docteur, dentiste, hôpital, chirurgi*, opération, médicament*,
        ordonnance, analyse*, résultats, vaccin*, pédiatre, santé, thérap*, sécurité, serveur*, base de données, production, mise en production,
        lancement, livraison client, devis, appel d'offres, proposition, budget*, salaire*, présentation, audit*, trimestre, trimestriel*,
        négociation, inspecteur, inspection, conformité, rgpd, loi, police, accident, chaudière, chauffage, toiture, électricien, plombier,
        obsèques, enterrement, divorce, garde des enfants, réunion parents, inscription, école, cantine, acte de naissance, fournisseur*,
        remboursement, réclamation, embauche, recrutement, démission, licenciement, obligatoire, amende, date limite, contrôle technique, rapport
        annuel, comité, échéance, impayé*, énergie, réclamation*, commande, litige, relevé, prélèvement, compagnie aérienne, ambassade, consulat,
        douane, devoirs, exposé, rédaction, professeur, rentrée, crèche, garderie, maître, électricité, compteur, syndic, copropriété, artisan,
        réparation, garage, révision, pneus, témoin, audience, héritage, succession, testament, procuration, pension alimentaire, maison de
        retraite, aide à domicile, échographie, sage-femme, prise de sang, opticien, kiné, pharmacie, piqûre, insuline, tension, déclaration
        d'impôts, allocation*, congé maternité, congé parental, arrêt maladie, note de frais, feuille de temps, prime, commission, renouvellement,
        livraison, stock, inventaire, salon professionnel, communiqué, journaliste, plainte, syndicat, période d'essai, préavis, sauvegarde,
        pare-feu, certificat, déploiement, bilan de santé, bilan annuel, bilan comptable, subvention, rapport final, rapport, facture d'eau,
        compteur d'eau, numéro de vol, mon vol, votre vol, carte vitale, vétérinaire, médecin traitant, offre pour, pompe à chaleur, panneaux
        solaires""",
    "growth": """
        apprendre, formation*, cours, planifier, plan, planification, stratégi*, feuille de route, objectif*, architecture, décision, recherche*,
        préparer, préparation, carrière, succession, partenariat*, acheter une maison, achat maison, étude de marché, long terme, mentor*,
        documentation, prototype, projet*, premiers secours, améliorer, automatiser, reconversion, bilan de compétences, cv, déménager,
        déménagement, habitude*, bénévolat, séminaire, intégration, guide, épargne de précaution, méditation""",
    "light": """
        newsletter*, infolettre*, promo*, solde*, soldes, sondage*, enquête de satisfaction, café, déjeuner, apéro, cinéma, film*, série*, jeu,
        jeux, quiz, blague*, paroles, recette*, podcast*, playlist, cadeau*, photo*, album, autocollant*, mascotte, plante*, arroser, jardin*,
        meuble*, ranger, rangement, cave, grenier, repeindre, fête, soirée entre, barbecue, yoga, gym, salle de sport, football, foot, tennis,
        chorale, concert*, exposition, musée, musique, roman*, randonnée, balade, colis, catalogue*, chien, gâteau, pizza, vacances, loto,
        coiffeur, tricot, pétanque, club de lecture, fond d'écran, pot de, citations de livres, prêter, emprunter, chargeur, yaourt, frigo, linge,
        repassage, verre à recycler, dessous de verre, bougie*, rideau*, poster, timbre*, bande dessinée, bd, vinyle*, documentaire, épisode*,
        brocante, rêve*, vernissage, belote, plage, carte postale, sieste""",
    "asked": """
        merci de répondre, merci de confirmer, merci de me dire, répondre, réponse, merci de rappeler, rappelez-moi, rappelle-moi, peux-tu,
        pouvez-vous, pourrais-tu, pourriez-vous, as-tu, avez-vous, qu'en penses-tu, qu'en pensez-vous, votre avis, ton avis, votre accord, votre
        validation, votre décision, demande si, tenez-moi au courant, dis-moi""",
    "offer": """
        solde*, soldes, promo*, promotion*, remise*, réduction*, offre spéciale, offre exclusive, code promo, livraison gratuite, vente privée,
        ventes privées, se désabonner, désinscrire, newsletter*, dernières heures, dernière chance, bon plan, bons plans, à moitié prix,
        nouveautés, profitez, jeu concours, gagnez, essai gratuit, catalogue""",
    "high": "priorité haute, haute priorité, prioritaire, important*, essentiel*, crucial*",
    "low": "priorité basse, basse priorité, secondaire, sans importance",
}
