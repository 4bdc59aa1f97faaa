"""What people ask for in German, French and Spanish, as patterns in the order in which they are
tried.
"""

_END = r"[\s.!?]*$"
_DE_WHEN = r"(?:(?P<today>\bheute)|(?P<tomorrow>\bmorgen\b)|(?P<overdue>überfällig|verspätet)|(?P<week>woche))"
_DE_TODO = r"(?:aufgaben?|todos?|to-dos?)"
GERMAN: tuple[tuple[str, str], ...] = (
    ("add_todo", rf"^(?:neue )?{_DE_TODO}\s*:\s*(?P<task>.+)"),
    ("make_note", r"^(?:neue )?notiz\s*:\s*(?P<content>.+)"),
    (
        "remember",
        r"^(?:(?:merk|merke) dir|behalte?(?: im kopf)?|vergiss nicht|denk daran|denke "
        r"daran)(?: bitte)?(?:,? dass|(?: folgendes)?\s*:)\s+"
        r"(?P<content>(?!.*\?\s*$).+)",
    ),
    (
        "recall",
        r"^(?:was weißt du noch|was weisst du noch|woran erinnerst du dich|erinnerst "
        r"du dich(?: noch)?)"
        rf"(?:,? (?:über|von|an|bei|zu|zum|zur))?(?P<words>[^?]*){_END}|^was weißt du "
        rf"über (?P<words2>mich|uns){_END}",
    ),
    (
        "recall",
        r"^(?:worüber|wovon|was|wann|haben wir)(?: haben wir| habe ich mit dir)?(?: "
        r"zuletzt| schon)?(?! mit (?!dir))"
        r"(?P<words>(?!.*\bmit (?!dir\b))[^?]*?)(?: mit dir)? "
        rf"(?:gesprochen|geredet|gechattet){_END}",
    ),
    ("recall", rf"^was habe ich dir(?: schon)?(?P<words>[^?]*?) (?:erzählt|gesagt){_END}"),
    (
        "leave",
        r"^(?:leg|leg[e]|mach|mache|erstell|erstelle|schreib|schreibe|lösche?|füge?|trag|trage|hefte?|"
        r"verschieb|verschiebe|erinnere?|tu)\b.{0,60}?\b(?:nicht|keine[nrs]?|nichts)\b",
    ),
    (
        "leave",
        r"^(?:lass (?:es|das|gut sein)|vergiss es|egal|nicht nötig|schon gut|du musst "
        rf"(?:nichts?|keine)\b.*){_END}",
    ),
    ("add_todo", r"^vergiss nicht,?\s+(?P<task>.+)"),
    (
        "leave",
        r"\bnicht (?:löschen|anlegen|ändern|verschieben|hinzufügen|speichern|erinnern)[\s.!]*$",
    ),
    (
        "help",
        rf"^(?:hilfe{_END}|was kannst du|wie funktionierst? du|wie funktioniert "
        r"das|wer bist du|kannst du (?:mir )?helfen)",
    ),
    (
        "thanks",
        r"^(?:super,? |prima,? )?(?:vielen |besten |herzlichen )?dank(?:e)?(?: dir| "
        rf"schön| sehr)?{_END}",
    ),
    ("greet", rf"^(?:hallo|guten (?:morgen|tag|abend)|moin|servus|grüß dich|grüezi){_END}"),
    ("add_todo", r"^(?:erinnere?|erinner) mich(?: bitte)?(?: daran)?,?\s+(?P<task>.+)"),
    (
        "add_todo",
        r"^(?:leg|lege|erstell|erstelle|mach|mache|füge?|neue)\s+(?:bitte )?(?:mir "
        r")?(?:eine )?(?:neue "
        rf")?{_DE_TODO}(?: an| hinzu)?\s*(?::|,)?\s*(?P<task>.+)",
    ),
    ("add_todo", r"^ich (?:muss|sollte)\s+(?!wissen\b)(?P<task>.+)"),
    (
        "add_todo",
        rf"^(?:setz|setze|schreib|schreibe|füge?)\s+(?P<task>.+?)\s+(?:auf|zu) (?:die|meine|meiner|"
        rf"meinen|den) (?:{_DE_TODO}(?:liste)?|liste)(?: hinzu)?{_END}",
    ),
    ("undo", r"^(?:lösch|lösche|entferne?|mach .{0,20}rückgängig|rückgängig|wirf .* weg|verwirf)"),
    (
        "append_note",
        r"^(?:füge?|schreib|schreibe|ergänze?|häng|hänge)\s+(?P<text>.+?)\s+(?:zu|zur|in|an|bei) "
        r"(?:der |die |meiner |meine )?notiz\s+(?P<target>.+?)(?: hinzu| an)?[\s.!]*$",
    ),
    (
        "make_note",
        r"^(?:erstell|erstelle|schreib|schreibe|mach|mache|leg|lege|notiere?)\s+(?:bitte )?(?:eine "
        r")?(?:neue )?notiz\s*(?:(?:namens|mit dem "
        r"titel)\s*(?P<title>[^:]+)(?:\s*:\s*(?P<content>.+))?|"
        r"(?:an|über|dass)?\s*[:,]?\s*(?P<content2>.+))",
    ),
    (
        "make_note",
        r"^(?:notier|notiere|schreib auf),?\s*(?:bitte )?(?:dass )?[:,]?\s*(?P<content>.+)",
    ),
    (
        "complete_todo",
        r"^(?:hake?|hak)\s+(?P<words>.+?)\s+ab[\s.!]*$|^(?:erledige?|schließe?)\s+(?P<words2>.+?)(?: "
        r""
        r"ab)?[\s.!]*$",
    ),
    (
        "complete_todo",
        r"^(?:markiere?\s+)?(?P<words>.+?)\s+(?:ist|sind|als)\s+(?:schon "
        r")?(?:erledigt|fertig)(?: markieren)?[\s.!]*$",
    ),
    ("replan", r"^(?:plane?|verteile?|verschiebe?)\b.*\b(?:überfällig\w*|aufgaben|alles)\b"),
    ("pin_note", r"^(?:hefte?|pinne?)\s+(?P<target>.+?)\s+an[\s.!]*$"),
    (
        "move_note",
        r"^(?:verschiebe?|leg|lege|bewege?)\s+(?P<target>.+?)\s+(?:in|nach)\s+(?:den "
        r"|meinen )?(?:ordner\s+)?(?P<folder>.+?)[\s.!]*$",
    ),
    (
        "day",
        r"^(?:wie sieht mein tag|was steht heute an|fasse? (?:meinen tag|den tag|heute) zusammen|"
        r"mein tag|tagesüberblick|überblick über (?:heute|den tag))",
    ),
    (
        "summarise",
        r"^(?:fasse?)\s+(?:bitte )?(?:den "
        r")?ordner\s+(?P<folder>.+?)\s+zusammen|^zusammenfassung (?:des|vom) "
        r"ordners?\s+(?P<folder2>.+)",
    ),
    (
        "summarise",
        r"^(?:fasse?)\s+(?:bitte )?(?P<target>.+?)\s+zusammen|^(?:gib mir eine "
        r")?zusammenfassung (?:von|der|des)\s+(?P<target2>.+)",
    ),
    (
        "list_folders",
        rf"^(?:(?:zeige?|liste?)(?: mir)?(?: alle)? )?(?:meine |die )?ordner{_END}|^welche ordner",
    ),
    (
        "list_todos",
        r"^(?:was|welche|zeige?|liste?|gib|habe ich|gibt "
        rf"es|meine|{_DE_TODO})\b(?!.*\b(?:hat|sagte)\b).*?(?:{_DE_TODO}|"
        rf"fällig|überfällig|zu tun|steht .* an).*?{_DE_WHEN}",
    ),
    (
        "list_todos",
        r"^was (?:ist|wird|steht|muss "
        rf"ich)\s+{_DE_WHEN}.*(?:fällig|an|tun|machen|erledigen)?{_END}",
    ),
    (
        "list_todos",
        r"^(?:zeige?|liste?|welche|was sind|gib)(?: mir)?\s+(?:alle |meine |die "
        rf"|offenen? )*{_DE_TODO}{_END}|"
        rf"^(?:meine |offene )?{_DE_TODO}{_END}|^was (?:muss|soll) ich (?:noch "
        r")?(?:tun|machen)|^welche "
        rf"{_DE_TODO} habe ich",
    ),
    ("list_todos", rf"^was (?:muss|soll|habe) ich\b.{{0,20}}?{_DE_WHEN}"),
    (
        "list_notes",
        r"^(?:zeige?|liste?)?(?: mir)?\s*(?:alle |meine |die |letzten |neuesten "
        rf")*notizen(?: (?:im|in dem) ordner (?P<folder>.+?))?{_END}",
    ),
    (
        "find_notes",
        r"^(?:such|suche|finde?|zeige?)(?: mir)?(?: (?:alle|in "
        r"meinen|meine|die))*\s*(?:notizen)?\s*(?:über|"
        r"zu|zum|zur|nach|mit|von)\s+(?P<words>.+)|^(?:such|suche|finde?)\s+(?P<words2>.+)",
    ),
    (
        "find_notes",
        r"^(?:welche|gibt es|habe ich)(?: irgendwelche)? notizen "
        r"(?:erwähnen|über|zu|zum|zur)\s+(?P<words>.+)",
    ),
    (
        "cannot",
        r"^(?:schreib|schreibe|programmiere?|erstell|erstelle)\b.{0,60}?\b(?:skript|programm|gedicht|"
        r"code|geschichte|e-?mail|mail|brief)\b|^(?:sende?|schicke?|buche?|kaufe?|bestelle?|übersetze?|"
        r"rufe?|spiele?)\b|^wie (?:wird|ist) das wetter",
    ),
)

_FR_WHEN = (
    r"(?:(?P<today>aujourd'hui)|(?P<tomorrow>\bdemain\b)|(?P<overdue>en retard)|(?P<week>semaine))"
)
_FR_TODO = r"(?:tâches?|taches?|todos?|rappels?)"
FRENCH: tuple[tuple[str, str], ...] = (
    ("add_todo", rf"^(?:nouvelle )?{_FR_TODO}\s*:\s*(?P<task>.+)"),
    ("make_note", r"^(?:nouvelle )?note\s*:\s*(?P<content>.+)"),
    ("add_todo", r"^n'oublie(?:z)? pas (?:de |d')(?P<task>.+)"),
    (
        "remember",
        r"^(?:retiens|retenez|souviens-toi|souvenez-vous|rappelle-toi|mémorise|n'oublie "
        r"pas|garde en tête)(?: ceci)?(?: que | qu'|\s*:\s*)"
        r"(?P<content>(?!.*\?\s*$).+)",
    ),
    (
        "recall",
        r"^(?:te souviens-tu|vous souvenez-vous|tu te souviens|de quoi te "
        r"souviens-tu|que sais-tu encore|que te rappelles-tu)"
        r"(?: (?:de la|de l'|de|du|des|d'|sur|à propos de|au sujet "
        rf"de))?(?P<words>[^?]*?){_END}|^que sais-tu (?:de|sur) "
        rf"(?P<words2>moi|nous){_END}",
    ),
    (
        "recall",
        r"^(?:de quoi |quand |est-ce que )?(?:avons-nous|a-t-on|nous avons|on a)(?: "
        r"déjà)? parlé(?! avec)"
        rf"(?: (?:de la|de l'|de|du|des|d'|sur))?(?P<words>(?!.*\bavec\b)[^?]*?){_END}",
    ),
    (
        "recall",
        rf"^(?:qu'est-ce que je t'ai|que t'ai-je|qu'ai-je|t'ai-je)(?: déjà)? (?:dit|raconté|parlé)"
        rf"(?: (?:de la|de l'|de|du|des|d'|sur|à propos de))?(?P<words>[^?]*?){_END}",
    ),
    (
        "leave",
        r"^(?:ne |n')\w+.{0,20}?\b(?:pas|rien|jamais)\b|^(?:laisse(?:z)? tomber|oublie(?:z)?(?: "
        r"ça| cela)|pas la peine|ce n'est pas la peine)",
    ),
    (
        "help",
        rf"^(?:aide{_END}|aide-moi{_END}|que "
        r"(?:peux-tu|sais-tu|pouvez-vous|savez-vous) faire|qu'est-ce "
        rf"que tu (?:peux|sais) faire|comment ça marche|qui es-tu)",
    ),
    ("thanks", rf"^(?:super,? |parfait,? )?merci(?: beaucoup| bien| à toi)?{_END}"),
    ("greet", rf"^(?:bonjour|salut|bonsoir|coucou){_END}"),
    ("add_todo", r"^(?:rappelle-moi|rappelez-moi) (?:de |d'|que )?(?P<task>.+)"),
    (
        "add_todo",
        r"^(?:ajoute|ajoutez|crée|créez|créer|nouvelle)\s+(?:une )?(?:nouvelle "
        rf")?{_FR_TODO}\s*(?::|pour |de |d')?\s*(?P<task>.+)",
    ),
    (
        "add_todo",
        r"^(?:ajoute|mets)\s+(?P<task>.+?)\s+(?:à|dans|sur) (?:mes|ma|la|les) "
        rf"(?:liste de )?(?:{_FR_TODO}){_END}",
    ),
    ("add_todo", r"^(?:je dois|il faut que je|il faut)\s+(?!savoir\b)(?P<task>.+[^?\s])\s*$"),
    ("undo", r"^(?:supprime|supprimez|efface|effacez|annule|annulez|enlève|retire|jette)\b"),
    (
        "append_note",
        r"^(?:ajoute|ajoutez|écris|mets)\s+(?P<text>.+?)\s+(?:à|dans) (?:la |ma "
        r")?note\s+(?P<target>.+)",
    ),
    (
        "make_note",
        r"^(?:crée|créez|écris|écrivez|ajoute|fais|prends)\s+(?:une )?(?:nouvelle "
        r")?note\s*(?:(?:appelée|"
        r"intitulée|nommée)\s*(?P<title>[^:]+)(?:\s*:\s*(?P<content>.+))?|(?:sur|que|disant)?\s*:?\s*(?P<content2>.+))",
    ),
    ("make_note", r"^(?:note|notez) que\s+(?P<content>.+)"),
    (
        "complete_todo",
        r"^(?:marque|marquez)\s+(?P<words>.+?)\s+comme\s+(?:faite?|terminée?)|^(?:termine|coche|"
        r"terminez|cochez)\s+(?P<words2>.+)|^j'ai (?:fini|terminé)(?: de| d')?\s*(?P<words3>.+)",
    ),
    ("complete_todo", r"^(?:la tâche )(?P<words>.+?) est (?:faite|terminée|finie)"),
    ("replan", r"^(?:replanifie|reprogramme|répartis|décale)\b.*\b(?:retard|tâches|tout)\b"),
    ("pin_note", r"^(?:épingle|épinglez)\s+(?P<target>.+)"),
    (
        "move_note",
        r"^(?:déplace|déplacez|range|mets)\s+(?P<target>.+?)\s+(?:dans|vers)\s+(?:le "
        r"|mon )?(?:dossier\s+)?(?P<folder>.+)",
    ),
    (
        "day",
        r"^(?:résume|résumez)\s+(?:ma journée|la journée|aujourd'hui)|^(?:à quoi "
        r"ressemble|comment est) ma journée|^ma journée",
    ),
    ("summarise", r"^(?:résume|résumez|résumé (?:de|du))\s+(?:le |mon )?dossier\s+(?P<folder>.+)"),
    ("summarise", r"^(?:résume|résumez|(?:fais un )?résumé (?:de|du))\s+(?P<target>.+)"),
    (
        "list_folders",
        rf"^(?:(?:liste|montre(?:-moi)?|affiche) )?(?:mes|les) dossiers{_END}|^quels "
        r"(?:sont mes )?dossiers",
    ),
    (
        "list_todos",
        rf"^(?:quelles?|qu'est-ce|montre(?:-moi)?|liste|affiche|que|qu'ai-je|mes|ai-je|{_FR_TODO})\b.*?(?:{_FR_TODO}|"
        rf"à faire|dois-je faire|échéance).*?{_FR_WHEN}",
    ),
    (
        "list_todos",
        r"^(?:quelles sont|montre(?:-moi)?|liste|affiche)\s+(?:toutes "
        rf")?(?:mes|les)\s+{_FR_TODO}|^(?:mes )?{_FR_TODO}{_END}|^que dois-je faire",
    ),
    (
        "list_notes",
        r"^(?:liste|montre(?:-moi)?|affiche)?\s*(?:mes|les)(?: dernières)? notes(?: "
        rf"(?:du|dans le) dossier (?P<folder>.+?))?{_END}",
    ),
    (
        "find_notes",
        r"^(?:cherche|cherchez|trouve|trouvez|recherche)\s+(?:moi )?(?:(?:dans )?(?:mes |les |des "
        r")?notes\s*(?:sur|à propos de|qui parlent de|avec)?\s*)?(?P<words>.+)|^(?:quelles|des) "
        r"notes (?:parlent de|sur)\s+(?P<words2>.+)",
    ),
    (
        "cannot",
        r"^(?:écris|génère|rédige|programme|code|crée)\b.{0,60}?\b(?:script|programme|code|poème|"
        r"histoire|mail|e-mail|courriel|lettre)\b|^(?:envoie|envoyez|réserve|achète|commande|traduis|"
        r"appelle|joue)\b|^quel temps\b",
    ),
)

_ES_WHEN = (
    r"(?:(?P<today>\bhoy\b)|(?P<tomorrow>\bmañana\b)|(?P<overdue>atrasad|vencid)|(?P<week>semana))"
)
_ES_TODO = r"(?:tareas?|pendientes?|recordatorios?)"
SPANISH: tuple[tuple[str, str], ...] = (
    ("add_todo", rf"^(?:nueva )?{_ES_TODO}\s*:\s*(?P<task>.+)"),
    ("make_note", r"^(?:nueva )?nota\s*:\s*(?P<content>.+)"),
    (
        "remember",
        r"^(?:recuerda|acuérdate de|memoriza|ten en cuenta|ten presente|no (?:te "
        r")?olvides(?: de)?)(?: esto)?(?: que |\s*:\s*)"
        r"(?P<content>(?!.*\?\s*$).+)",
    ),
    ("add_todo", r"^no (?:te )?olvides (?:de )?(?P<task>.+)"),
    (
        "recall",
        r"^¿?(?:qué recuerdas|recuerdas algo|recuerdas|te acuerdas|de qué te "
        r"acuerdas|qué sabes todavía)(?: (?:de la|del|de|sobre|acerca de))?"
        rf"(?P<words>[^?]*?){_END}|^¿?qué sabes (?:de|sobre) (?P<words2>mí|nosotros){_END}",
    ),
    (
        "recall",
        r"^¿?(?:de qué |cuándo |qué |ya )?(?:hablamos|hemos hablado|habíamos "
        r"hablado|charlamos)(?: por última vez)?(?! con)"
        rf"(?: (?:de la|del|de|sobre|acerca de))?(?P<words>(?!.*\bcon\b)[^?]*?){_END}",
    ),
    (
        "recall",
        r"^¿?(?:qué )?te (?:dije|he dicho|conté|he contado)(?: ya| algo)?(?: (?:de "
        rf"la|del|de|sobre|acerca de))?(?P<words>[^?]*?){_END}",
    ),
    (
        "leave",
        r"^no (?:me )?(?:crees|añadas|hagas|borres|muevas|fijes|pongas|escribas|agregues|recuerdes|"
        r"quiero|hace falta|es necesario)\b|^(?:déjalo|olvídalo|da igual)\b",
    ),
    (
        "help",
        rf"^(?:ayuda|ayúdame){_END}|^¿?(?:qué|que) (?:puedes|sabes) hacer|^¿?cómo "
        r"funciona|^¿?quién eres",
    ),
    ("thanks", rf"^(?:muchas |mil )?gracias{_END}"),
    ("greet", rf"^(?:¡)?(?:hola|buenos días|buenas tardes|buenas noches|buenas){_END}"),
    ("add_todo", r"^(?:recuérdame|recordarme|acuérdame)\s+(?:de )?(?:que )?(?P<task>.+)"),
    (
        "add_todo",
        r"^(?:añade|agrega|crea|pon|nueva)\s+(?:una )?(?:nueva "
        rf")?{_ES_TODO}\s*(?::|para |de )?\s*(?P<task>.+)",
    ),
    (
        "add_todo",
        r"^(?:añade|agrega|pon)\s+(?P<task>.+?)\s+(?:a|en) (?:mis|la|mi|las) (?:lista "
        rf"de )?{_ES_TODO}{_END}",
    ),
    ("add_todo", r"^(?:tengo que|debo|hay que)\s+(?!saber\b)(?P<task>.+[^?\s])\s*$"),
    ("undo", r"^(?:borra|elimina|quita|deshaz|deshacer|suprime|tira)\b"),
    (
        "append_note",
        r"^(?:añade|agrega|escribe|pon)\s+(?P<text>.+?)\s+(?:a|en) (?:la |mi "
        r")?nota\s+(?P<target>.+)",
    ),
    (
        "make_note",
        r"^(?:crea|escribe|haz|añade|toma)\s+(?:una )?(?:nueva "
        r")?nota\s*(?:(?:llamada|titulada)\s*(?P<title>[^:]+)(?:\s*:\s*(?P<content>.+))?|"
        r"(?:sobre|que|de)?\s*:?\s*(?P<content2>.+))",
    ),
    ("make_note", r"^(?:anota|apunta)(?: que)?\s+(?P<content>.+)"),
    (
        "complete_todo",
        r"^(?:marca)\s+(?P<words>.+?)\s+como\s+(?:hech[oa]|completad[oa]|terminad[oa])|^(?:completa|"
        r"termina|tacha)\s+(?P<words2>.+)|^(?:ya )?he (?:terminado|acabado)(?: "
        r"de)?\s+(?P<words3>.+)",
    ),
    ("complete_todo", r"^la tarea (?P<words>.+?) está (?:hecha|terminada|completada)"),
    ("replan", r"^(?:replanifica|reprograma|reparte)\b.*\b(?:atrasad\w+|vencid\w+|tareas|todo)\b"),
    ("pin_note", r"^(?:fija|ancla)\s+(?P<target>.+)"),
    (
        "move_note",
        r"^(?:mueve|pon)\s+(?P<target>.+?)\s+(?:a|en)\s+(?:la |mi )?(?:carpeta\s+)?(?P<folder>.+)",
    ),
    (
        "day",
        r"^(?:resume|resúmeme)\s+(?:mi día|el día|hoy)|^¿?cómo (?:es|está|se ve) mi día|^mi día",
    ),
    ("summarise", r"^(?:resume|resumen de)\s+(?:la |mi )?carpeta\s+(?P<folder>.+)"),
    ("summarise", r"^(?:resume|resúmeme|(?:haz un )?resumen de)\s+(?P<target>.+)"),
    (
        "list_folders",
        rf"^(?:(?:lista|muestra|muéstrame) )?(?:mis|las) carpetas{_END}|^¿?qué carpetas",
    ),
    (
        "list_todos",
        rf"^¿?(?:qué|cuáles|muestra|muéstrame|lista|tengo|mis|hay|{_ES_TODO})\b.*?(?:{_ES_TODO}|hacer|vence).*?{_ES_WHEN}",
    ),
    (
        "list_todos",
        rf"^¿?(?:muestra|muéstrame|lista|cuáles son)\s+(?:todas )?(?:mis|las)\s+{_ES_TODO}|^(?:mis "
        rf")?{_ES_TODO}{_END}|^¿?qué (?:tengo que|debo) hacer|^¿?qué tareas (?:tengo|hay)",
    ),
    (
        "list_notes",
        r"^(?:lista|muestra|muéstrame)?\s*(?:mis|las)(?: últimas)? notas(?: (?:de|en) "
        rf"la carpeta (?P<folder>.+?))?{_END}",
    ),
    (
        "find_notes",
        r"^(?:busca|encuentra|buscar)\s+(?:(?:en )?(?:mis |las )?notas\s*(?:sobre|de|con|acerca "
        r"de)?\s*)?(?P<words>.+)|^¿?qué notas (?:mencionan|hablan de)\s+(?P<words2>.+)",
    ),
    (
        "cannot",
        r"^(?:escribe|genera|redacta|programa|crea)\b.{0,60}?\b(?:script|programa|código|poema|cuento|"
        r"correo|carta|historia)\b|^(?:envía|manda|reserva|compra|pide|traduce|llama|pon música)\b|"
        r"^¿?qué tiempo (?:hace|hará)",
    ),
)
