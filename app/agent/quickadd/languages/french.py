"""French words and patterns of quick add."""

from app.agent.quickadd.languages.common import NUMERIC, PRIORITY
from app.agent.quickadd.languages.language_spec import Language, Rule, word_set
from app.core.process.lazy_regex import regex

WEEKDAYS = {
    name: number
    for number, name in enumerate(
        ("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche")
    )
}
MONTHS = {
    "janvier": 1,
    "fevrier": 2,
    "mars": 3,
    "avril": 4,
    "mai": 5,
    "juin": 6,
    "juillet": 7,
    "aout": 8,
    "septembre": 9,
    "octobre": 10,
    "novembre": 11,
    "decembre": 12,
    "janv": 1,
    "fevr": 2,
    "fev": 2,
    "avr": 4,
    "juil": 7,
    "sept": 9,
    "oct": 10,
    "nov": 11,
    "dec": 12,
}
NUMBERS = {
    "un": 1,
    "une": 1,
    "deux": 2,
    "trois": 3,
    "quatre": 4,
    "cinq": 5,
    "six": 6,
    "sept": 7,
    "huit": 8,
    "neuf": 9,
    "dix": 10,
    "onze": 11,
    "douze": 12,
    "quinze": 15,
    "vingt": 20,
    "trente": 30,
    "premier": 1,
    "1er": 1,
}
UNITS = {
    "minute": "minute",
    "minutes": "minute",
    "min": "minute",
    "mn": "minute",
    "heure": "hour",
    "heures": "hour",
    "h": "hour",
    "jour": "day",
    "jours": "day",
    "journee": "day",
    "semaine": "week",
    "semaines": "week",
    "week-end": "weekend",
    "weekend": "weekend",
    "mois": "month",
    "trimestre": "quarter",
    "trimestres": "quarter",
    "an": "year",
    "ans": "year",
    "annee": "year",
    "annees": "year",
}
PARTS = {
    "matin": "morning",
    "matinee": "morning",
    "midi": "noon",
    "apres-midi": "afternoon",
    "soir": "evening",
    "soiree": "evening",
    "nuit": "night",
    "minuit": "midnight",
}
DAYS = {"apres-demain": 2, "apres demain": 2, "demain": 1, "aujourd'hui": 0, "aujourdhui": 0}
ORDINALS = {
    "premier": 1,
    "1er": 1,
    "deuxieme": 2,
    "2e": 2,
    "2eme": 2,
    "second": 2,
    "troisieme": 3,
    "3e": 3,
    "3eme": 3,
    "quatrieme": 4,
    "4e": 4,
    "dernier": -1,
}
BEFORE = word_set("""de du des d depuis apres dernier derniere bon bonne un une les mon ton son notre votre leur chapitre version page section
 salle numero
 pas que comme saint est sont etait is are was a au aux ou""")
AFTER = word_set("""a au aux avec pour chez par avant apres des jusqu sur en dans matin soir midi apres-midi vers si car quand puis chaque tous toutes
 prochain""")
AGAINST = word_set("est sont etait sera seront fut compte")
COMMON = word_set("""le la les de du des un une et avec pour chez au aux a mon ma mes son sa ses en dans appeler acheter payer envoyer rappeler
 prendre sur
 rendre ce cette urgente urgents fin priorite tous toutes chaque avant""")

FULL = "|".join(WEEKDAYS)
EVERY = r"(?:chaque|tous\s+les|toutes\s+les)"
ON_DAY = rf"(?:(?:{FULL}),?\s+)?(?:le\s+)?"
DAY = r"(?P<day>1er|premier|[12][0-9]|3[01]|0?[1-9])"
MARKS = r"(?:h(?:eures?)?|:)"
MACROS = {
    "pre": r"(?P<pre>(?:(?P<until>jusqu'(?:au|a))|d'ici(?:\s+(?:le|au))?|pour(?:\s+le)?|avant(?:\s+le)?|des(?:\s+le)?"
    r"|a\s+partir\s+d[ue]|a\s+rendre\s+le|le)\s+)",
    "article": "",
    "full": f"(?P<weekday>{FULL})",
    "weekdays": rf"(?P<weekdays>(?:{FULL})s?(?:(?:\s*[,&+/]\s*|\s+et\s+)(?:les\s+|le\s+|chaque\s+)?(?:{FULL})s?){{0,6}})",
    "date_day": DAY,
    "spoken": r"(?P<hour>une|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|1[0-9]|2[0-3]|0?[1-9])",
    "at": r"(?P<pre>(?:a|vers|avant|des|pour|jusqu'a)\s+)",
    "day_part": r"(?:\s+(?:du\s+|de\s+l')(?P<part>matin|apres-midi|soir))?",
    "interval": r"(?:{number}\s+)?",
}
DAY_MONTH = rf"{ON_DAY}{{date_day}}\s+{{month}}\b(?:\.(?=\s|$))?(?:\s+{{year}})?"

PRIORITIES = (
    *PRIORITY,
    Rule(
        "urgent",
        r"(?:urgente?s?|asap|priorite\s+(?:absolue|maximale)|tres\s+important)(?=\s*[!.]*\s*$)",
        "apart",
    ),
    Rule("urgent", r"(?<=^)\s*(?:urgent|asap)(?=\s*[:!-])"),
    Rule("high", r"(?:haute\s+priorite|priorite\s+(?:haute|elevee))(?=\s*(?:$|[!.,:]))", "apart"),
    Rule("low", r"(?:basse\s+priorite|priorite\s+(?:basse|faible))(?=\s*(?:$|[!.,:]))", "apart"),
    Rule("priority", r"prio(?:rite)?[\s:]+(?P<level>[1-4])", "apart"),
)
RECURRENCE = (
    Rule(
        "monthly_weekday",
        r"(?:(?:chaque|tous\s+les|le)\s+)?{nth}s?\s+{full}s?\s+(?:de\s+chaque|de\s+tous\s+les|du|chaque)\s+mois",
    ),
    Rule("monthly_day", r"(?:le\s+)?{date_day}\s+(?:de\s+chaque|de\s+tous\s+les|chaque|du)\s+mois"),
    Rule("monthly_day", r"(?:chaque\s+mois|tous\s+les\s+mois)\s+le\s+{date_day}"),
    Rule("monthly_day", r"tous\s+les\s+{date_day}\s+du\s+mois"),
    Rule(
        "monthly_day",
        r"(?:(?:le\s+)?dernier\s+jour|(?:a\s+la\s+)?fin)\s+de\s+chaque\s+mois|(?:chaque|tous\s+les)\s+mois\s+a\s+la\s+fin"
        r"|(?:a\s+)?chaque\s+fin\s+de\s+mois",
        says={"last": "1"},
    ),
    Rule("yearly", rf"(?:chaque\s+annee|tous\s+les\s+ans)\s+le\s+{DAY_MONTH}"),
    Rule("yearly", rf"(?:tous\s+les|chaque)\s+{DAY_MONTH}"),
    Rule(
        "every_weekday", r"{every}\s+(?P<other>deuxiemes?\s+)?{weekdays}".replace("{every}", EVERY)
    ),
    Rule("every_weekday", r"un\s+(?P<weekdays>" + FULL + r")\s+sur\s+deux", says={"other": "1"}),
    Rule("every_weekday", rf"{EVERY}\s+{{interval}}semaines?\s+(?:le\s+)?{{weekdays}}"),
    Rule(
        "workdays",
        r"(?:chaque|tous\s+les)\s+jours?\s+(?:ouvres?|ouvrables?|de\s+(?:la\s+)?semaine)|en\s+semaine",
    ),
    Rule("weekends", r"(?:chaque|tous\s+les)\s+week-?ends?"),
    Rule("every", r"un\s+(?P<unit>jour)\s+sur\s+deux", says={"number": "2"}),
    Rule("every", r"une\s+(?P<unit>semaine)\s+sur\s+deux", says={"number": "2"}),
    Rule(
        "every",
        rf"{EVERY}\s+{{interval}}(?P<unit>jours?|semaines?|mois|trimestres?|ans|annees?)",
        "phrase",
    ),
    Rule("every_part", rf"{EVERY}\s+(?P<part>matin|midi|apres-midi|soir|nuit)s?"),
    Rule("daily", r"quotidiennement|tous\s+les\s+jours"),
    Rule("weekly", "hebdomadairement"),
    Rule("monthly", "mensuellement"),
    Rule("annually", "annuellement"),
)
DATES = (
    *NUMERIC,
    Rule(
        "numeric",
        r"(?P<pre>(?:le|avant\s+le|(?P<until>jusqu'au)|d'ici\s+le|pour\s+le)\s+)(?P<first>[0-3]?[0-9])[/.](?P<second>1[0-2]|0?[1-9])",
        "apart",
    ),
    Rule("date", rf"{{pre}}?{DAY_MONTH}", "phrase"),
    Rule("this_month", r"{pre}?{date_day}\s+du\s+mois\s+(?:(?P<next>prochain)|courant)"),
    Rule(
        "date",
        r"(?P<pre>(?:le|avant\s+le|(?P<until>jusqu'au)|d'ici\s+le|pour\s+le)\s+){date_day}",
        "apart",
    ),
    Rule(
        "month_end",
        r"(?:d'ici\s+|a\s+la\s+|avant\s+la\s+|pour\s+)?fin\s+{month}(?:\s+{year})?",
        "apart",
    ),
    Rule(
        "month_end",
        r"(?:a\s+la\s+|vers\s+la\s+)?mi-{month}(?:\s+{year})?",
        "apart",
        {"middle": "1"},
    ),
    Rule("ahead", r"(?:dans|d'ici|sous)\s+(?:les\s+)?{number}\s*{unit}", "phrase"),
    Rule("half_hour", r"dans\s+une\s+demi-heure"),
    Rule(
        "period",
        r"(?:d'ici\s+(?:a\s+)?|a\s+|avant\s+|pour\s+|en\s+)?(?:la\s+)?fin\s+(?:de\s+(?:la\s+|l'|cette\s+)?|du\s+|d')"
        r"(?P<unit>journee|semaine|mois|annee)(?:\s+(?P<next>prochaine?))?",
        "apart",
        {"end": "1"},
    ),
    Rule(
        "period",
        r"(?:(?:d'ici|avant|pour)\s+)?(?:l[ea]\s+|l')(?P<unit>week-?end|semaine|mois|annee|an)\s+(?P<next>prochaine?|suivante?)",
        "phrase",
    ),
    Rule(
        "period",
        r"(?:(?:d'ici|avant|pour)\s+)?(?P<unit>week-?end|semaine|mois|annee|an)\s+(?P<next>prochaine?)",
        "apart",
    ),
    Rule("period", r"cett?e?\s+(?P<unit>week-?end|semaine|annee)", "apart"),
    Rule("period", r"ce\s+(?P<unit>mois)(?:-ci)?", "apart"),
    Rule(
        "weekday",
        r"{pre}?{full}\s+(?P<next>prochain|de\s+la\s+semaine\s+prochaine|de\s+la\s+semaine\s+suivante)",
    ),
    Rule("weekday", r"{pre}?(?P<next>la\s+semaine\s+prochaine),?\s+(?:le\s+)?{full}"),
    Rule("weekday", r"{pre}?ce\s+{full}"),
    Rule("weekday", r"{pre}?{full}\s+qui\s+vient"),
    Rule(
        "weekday",
        r"(?P<pre>(?:d'ici(?:\s+a)?|pour|avant|des|a\s+partir\s+de|(?P<until>jusqu'a))\s+){full}",
    ),
    Rule("weekday", r"(?:le\s+)?{full}(?=\s+(?:matin|apres-midi|soir|midi)\b)"),
    Rule("weekday", r"{full}", "word"),
    Rule(
        "named",
        r"{pre}?{day_name}(?:\s+(?:en\s+)?(?P<part>matin|midi|apres-midi|soir|soiree|nuit))?",
    ),
    Rule("named", r"(?P<pre>d'ici\s+(?:a\s+)?|jusqu'a\s+|avant\s+){day_name}"),
    Rule("today", r"ce(?:t|tte)?\s+(?P<part>matin|midi|apres-midi|soir|nuit)"),
)
TIMES = (
    Rule(
        "range",
        r"(?:de|entre)\s+{hour}\s?h\s?{minute}?\s?(?:-|a|et)\s?(?P<end_hour>[0-9]{1,2})\s?h(?:[0-5][0-9])?",
    ),
    Rule(
        "range",
        r"{hour}\s?h\s?{minute}?\s?-\s?(?P<end_hour>[0-9]{1,2})\s?h(?:[0-5][0-9])?",
        "phrase",
    ),
    Rule("clock", r"{at}?{hour}\s?(?:heures?|h)\s?{minute}{day_part}", "phrase"),
    Rule("clock", r"{at}?{hour}\s?(?:heures?|h){day_part}", "phrase"),
    Rule("clock", r"{at}?{hour}:{minute}{day_part}", "phrase"),
    Rule("clock", r"{at}?{spoken}\s+heures?{day_part}", "phrase"),
    Rule(
        "clock",
        r"{at}?{spoken}\s?h(?:eures?)?\s+et\s+demie{day_part}",
        "phrase",
        {"half_past": "1"},
    ),
    Rule("clock", r"{at}?{spoken}\s?h(?:eures?)?\s+et\s+(?P<amount>quart){day_part}", "phrase"),
    Rule(
        "clock",
        r"{at}?{spoken}\s?h(?:eures?)?\s+moins\s+(?:le\s+)?(?P<amount>quart|cinq|dix|vingt){day_part}",
        "phrase",
        {"to_hour": "1"},
    ),
    Rule("part", r"(?P<pre>a\s+|vers\s+|avant\s+|pour\s+)(?P<part>midi|minuit)", "apart"),
    Rule("part", r"(?:au\s+|dans\s+la\s+|dans\s+l'|le\s+|l'|en\s+fin\s+d['e]\s*)?{part}", "beside"),
)
FRENCH = Language(
    code="fr",
    weekdays=WEEKDAYS,
    months=MONTHS,
    numbers=NUMBERS,
    units=UNITS,
    parts=PARTS,
    days=DAYS,
    ordinals=ORDINALS,
    rules=(*PRIORITIES, *RECURRENCE, *DATES, *TIMES),
    macros=MACROS,
    before=BEFORE,
    after=AFTER,
    against=AGAINST,
    common=COMMON,
    leads=r"(?:s'il\s+te\s+pla[iî]t,?\s+)?(?:rappelle[rz]?[-\s]moi\s+(?:de\s+|d['’]|que\s+)|n['’]oublie[rz]?\s+pas\s+(?:de\s+|d['’])|ne\s+pas\s+oublier\s+(?:de\s+|d['’])"
    r"|t[aâ]che\s?:\s*|rappel\s?:\s*|[aà]\s+faire\s?:\s*|todo\s?:\s*)",
    twelve_hours=False,
    signs=regex(r"[àâçèéêëîïôùûœÀÂÇÈÉÊÎÔŒ]"),
)
