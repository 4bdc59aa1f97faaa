"""German words and patterns of quick add."""

from app.agent.quickadd.languages.common import NUMERIC, PRIORITY
from app.agent.quickadd.languages.language_spec import Language, Rule, word_set
from app.core.process.lazy_regex import regex

WEEKDAYS = {
    "montag": 0,
    "dienstag": 1,
    "mittwoch": 2,
    "donnerstag": 3,
    "freitag": 4,
    "samstag": 5,
    "sonnabend": 5,
    "sonntag": 6,
}
SHORT = {"mo": 0, "di": 1, "mi": 2, "do": 3, "fr": 4, "sa": 5, "so": 6}
MONTHS = {
    "januar": 1,
    "janner": 1,
    "jaenner": 1,
    "februar": 2,
    "feber": 2,
    "marz": 3,
    "maerz": 3,
    "april": 4,
    "mai": 5,
    "juni": 6,
    "juli": 7,
    "august": 8,
    "september": 9,
    "oktober": 10,
    "november": 11,
    "dezember": 12,
    "jan": 1,
    "feb": 2,
    "mrz": 3,
    "apr": 4,
    "jun": 6,
    "jul": 7,
    "aug": 8,
    "sep": 9,
    "sept": 9,
    "okt": 10,
    "nov": 11,
    "dez": 12,
}
NUMBERS = {
    "ein": 1,
    "eine": 1,
    "einem": 1,
    "einer": 1,
    "einen": 1,
    "eins": 1,
    "zwei": 2,
    "drei": 3,
    "vier": 4,
    "funf": 5,
    "fuenf": 5,
    "sechs": 6,
    "sieben": 7,
    "acht": 8,
    "neun": 9,
    "zehn": 10,
    "elf": 11,
    "zwolf": 12,
    "zwoelf": 12,
    "vierzehn": 14,
    "funfzehn": 15,
    "fuenfzehn": 15,
    "zwanzig": 20,
    "dreissig": 30,
}
UNITS = {
    "minute": "minute",
    "minuten": "minute",
    "min": "minute",
    "stunde": "hour",
    "stunden": "hour",
    "std": "hour",
    "h": "hour",
    "tag": "day",
    "tage": "day",
    "tagen": "day",
    "woche": "week",
    "wochen": "week",
    "wochenende": "weekend",
    "monat": "month",
    "monate": "month",
    "monaten": "month",
    "monats": "month",
    "quartal": "quarter",
    "quartale": "quarter",
    "jahr": "year",
    "jahre": "year",
    "jahren": "year",
    "jahres": "year",
    "tages": "day",
}
PARTS = {
    "fruh": "morning",
    "frueh": "morning",
    "morgen": "morning",
    "vormittag": "morning",
    "vormittags": "morning",
    "morgens": "morning",
    "mittag": "noon",
    "mittags": "noon",
    "nachmittag": "afternoon",
    "nachmittags": "afternoon",
    "abend": "evening",
    "abends": "evening",
    "nacht": "night",
    "nachts": "dawn",
    "mitternacht": "midnight",
}
DAYS = {"ubermorgen": 2, "uebermorgen": 2, "heute": 0, "morgen": 1}
ORDINALS = {
    "ersten": 1,
    "erster": 1,
    "1.": 1,
    "zweiten": 2,
    "2.": 2,
    "dritten": 3,
    "3.": 3,
    "vierten": 4,
    "4.": 4,
    "letzten": -1,
}
BEFORE = word_set("""vom von seit nach guten gutem schonen letzten letzter letztem vergangenen der die das den dem des kapitel version seite abschnitt
 bis kein keinen nicht zu als wie zum zur ab uber gegen unter rosen kar grun mein dein sein ihr unser
 nur zimmer nummer nr schwarzer schwarzen jeden jeder im war ist in""")
AFTER = word_set("""um bis am an mit bei fur fuer wegen im in vor ab dann wenn weil ob per zur zum nach von gegen alle jeden jede jedes vormittag
 mittag
 nachmittag abend nacht fruh frueh anrufen abgeben holen bezahlen kaufen schicken senden abholen treffen machen erledigen besuchen""")
AGAINST = word_set("ist sind war waren wird werden wurde hat hatte zahlt fallt findet")
COMMON = word_set("""der die das und mit fur fuer bei dem den ein eine einen auf zu zum zur von vom bis um am im nicht anrufen kaufen bezahlen
 abholen ist
 noch wegen alle jeden jede jedes nach mutter vater""")

FULL = "|".join(WEEKDAYS)
EVERY = r"(?:jede[nrsm]?|alle)"
PART_OF_DAY = "fruh|frueh|morgens?|vormittags?|mittags?|nachmittags?|abends?|nachts?"
NEXT = r"(?P<next>nachste[nrsm]?|naechste[nrsm]?)"
THIS = r"(?:diese[nrsm]?|kommende[nrsm]?)"
ON_DAY = rf"(?:(?:{FULL}|{'|'.join(SHORT)})\.?,?\s+)?(?:de[nmr]\s+)?"
MACROS = {
    "pre": r"(?P<pre>(?:(?<![0-9]\.\s)(?P<until>bis)(?:\s+(?:zum|spatestens|am))?|spatestens(?:\s+(?:am|bis(?:\s+zum)?))?"
    r"|fallig(?:\s+(?:am|bis))?:?|am"
    r"|vor(?:\s+dem)?|fur|fuer|ab(?:\s+dem)?|zum|den)\s+)",
    "article": "",
    "full": f"(?P<weekday>{FULL})",
    "short": f"(?P<weekday>{'|'.join(SHORT)})",
    "weekdays": rf"(?P<weekdays>(?:{FULL}|{'|'.join(SHORT)})(?:(?:\s*[,&+/]\s*|\s+und\s+)(?:jeden\s+)?(?:{FULL}|{'|'.join(SHORT)})){{0,6}})",
    "adverbs": rf"(?P<weekdays>(?:{FULL})s(?:(?:\s*,\s*|\s+und\s+)(?:{FULL})s){{0,6}})",
    "spoken": r"(?P<hour>ein|eins|zwei|drei|vier|funf|fuenf|sechs|sieben|acht|neun|zehn|elf|zwolf|zwoelf|1[0-2]|[1-9])",
    "amount": r"(?P<amount>viertel|[0-9]{1,2}|funf|fuenf|zehn|zwanzig)(?:\s+minuten)?",
    "at": r"(?P<pre>(?:um|bis(?:\s+um)?|gegen|ab|vor)\s+)",
    "day_part": rf"(?:\s+(?P<part>{PART_OF_DAY}))?",
    "no_measure": r"(?!\s+(?:euro|prozent|grad|meter|kilo|cent|punkte|jahre|tage|ecken))",
    "interval": r"(?:(?P<other>zweiten?|zweites|2\.|andere[nrs]?)\s+|{number}\s+)?",
}
DAY_MONTH = rf"{ON_DAY}{{day}}\.?\s?{{month}}\b(?:\.(?=\s|$))?(?:\s+{{year}})?"
DOTTED = r"(?P<first>[0-3]?[0-9])\.\s?(?P<second>1[0-2]|0?[1-9])\.(?P<year>(?:19|20|21)[0-9]{2}|[0-9]{2}(?!\d|:))?"

PRIORITIES = (
    *PRIORITY,
    Rule(
        "urgent",
        r"(?:dringend|eilt|asap|hochste\s+prioritat|sehr\s+wichtig)(?=\s*[!.]*\s*$)",
        "apart",
    ),
    Rule("urgent", r"(?<=^)\s*(?:dringend|eilt|asap)(?=\s*[:!-])"),
    Rule("high", r"hohe\s+prio(?:ritat)?(?=\s*(?:$|[!.,:]))", "apart"),
    Rule("low", r"(?:niedrige|geringe)\s+prio(?:ritat)?(?=\s*(?:$|[!.,:]))", "apart"),
    Rule("priority", r"prio(?:ritat)?[\s:]+(?P<level>[1-4])", "apart"),
)
RECURRENCE = (
    Rule(
        "monthly_weekday",
        r"(?:am\s+|an\s+jedem\s+|jeden\s+)?{nth}\s+{full}\s+(?:im|jeden|eines\s+jeden|jedes|des)\s+monats?",
    ),
    Rule(
        "monthly_day",
        r"(?:immer\s+)?(?:am|zum)\s+{day}\.\s*(?:jeden|jedes|eines\s+jeden|im|des)\s+monats?",
    ),
    Rule("monthly_day", r"(?:jeden\s+monat|monatlich|alle\s+monate)\s+(?:am|zum)\s+{day}\.?"),
    Rule("monthly_day", r"jeden\s+{day}\.(?:\s+(?:des|im)\s+monats?)?(?!\s*\w)"),
    Rule(
        "monthly_day",
        r"(?:jeden\s+monat|monatlich)\s+am\s+(?:letzten(?:\s+tag)?|monatsende)|am\s+letzten\s+tag\s+(?:jeden|jedes|eines\s+jeden)\s+monats"
        r"|(?:immer|jeweils|jedes)\s+(?:am\s+|zum\s+)?monatsende",
        says={"last": "1"},
    ),
    Rule("yearly", rf"(?:jedes\s+jahr|jahrlich|alle\s+jahre)\s+am\s+{DAY_MONTH}"),
    Rule("yearly", rf"jeden\s+{DAY_MONTH}"),
    Rule(
        "every_weekday",
        rf"(?:an\s+)?{EVERY}[mn]?\s+(?:(?P<other>zweiten|2\.)\s+|(?P<number>dritten|3\.|vierten|4\.)\s+)?{{weekdays}}",
    ),
    Rule(
        "every_weekday",
        rf"(?:{EVERY}\s+(?:(?P<other>zweite|2\.)\s+|{{number}}\s+)?wochen?|wochentlich|woechentlich)\s+(?:am\s+|immer\s+)?{{weekdays}}",
    ),
    Rule("every_weekday", r"(?:immer\s+)?{adverbs}"),
    Rule("every_weekday", rf"immer\s+(?:am\s+)?(?P<weekdays>{FULL})"),
    Rule(
        "workdays",
        r"(?:an\s+)?(?:jede[nm]|alle)\s+(?:werk|arbeits|wochen)tage?n?|werktags|wochentags|an\s+(?:werk|wochen)tagen",
    ),
    Rule("weekends", r"(?:an\s+)?jede[sm]\s+wochenende"),
    Rule(
        "every",
        rf"{EVERY}\s+{{interval}}(?P<unit>tag|tage|woche|wochen|monat|monate|quartal|quartale|jahr|jahre)",
    ),
    Rule("every_part", r"jede[nr]?\s+(?P<part>morgen|vormittag|mittag|nachmittag|abend|nacht)"),
    Rule("daily", r"taglich|taeglich", "apart"),
    Rule("weekly", r"wochentlich|woechentlich", "apart"),
    Rule("fortnightly", r"zweiwochentlich|14-tagig|vierzehntagig|alle\s+14\s+tage", "apart"),
    Rule("monthly", r"monatlich", "apart"),
    Rule("quarterly", r"vierteljahrlich|quartalsweise|jedes\s+quartal", "apart"),
    Rule("annually", r"jahrlich|jaehrlich", "apart"),
)
DATES = (
    *NUMERIC,
    Rule("numeric", rf"{{pre}}?{ON_DAY}{DOTTED}", "phrase"),
    Rule(
        "numeric",
        r"(?P<pre>(?P<until>bis)(?:\s+zum)?\s+|am\s+|vor\s+dem\s+|ab\s+dem\s+|zum\s+)(?P<first>[0-3]?[0-9])\.(?P<second>1[0-2]|0?[1-9])",
        "apart",
    ),
    Rule("date", rf"{{pre}}?{DAY_MONTH}", "phrase"),
    Rule("this_month", rf"(?:am\s+|zum\s+)?{{day}}\.\s+(?:{NEXT}|diese[sn])\s+monats?"),
    Rule(
        "date",
        r"(?P<pre>(?P<until>bis)(?:\s+zum)?\s+|am\s+|vor\s+dem\s+|spatestens\s+am\s+|zum\s+){day}\.(?=\s|$)",
        "apart",
    ),
    Rule("month_end", r"(?:bis\s+|am\s+)?ende\s+{month}(?:\s+{year})?", "apart"),
    Rule("month_end", r"(?:bis\s+)?mitte\s+{month}(?:\s+{year})?", "apart", {"middle": "1"}),
    Rule("ahead", r"(?:in|innerhalb\s+von|binnen)\s+(?:den\s+nachsten\s+)?{number}\s*{unit}"),
    Rule("ahead", r"heute\s+in\s+{number}\s*{unit}"),
    Rule("ahead", r"in\s+(?:anderthalb|eineinhalb)\s+{unit}", says={"number": "1", "half": "1"}),
    Rule("half_hour", r"in\s+(?:einer\s+halben|1/2)\s+stunde"),
    Rule(
        "period",
        r"(?:bis\s+|am\s+|zum\s+)?(?:ende|schluss)\s+(?:de[rs]\s+)?(?:diese[rs]\s+|(?P<next>nachste[rsnm]\s+|naechste[rsnm]\s+))?"
        r"(?P<unit>woche|monats?|jahres|tages)",
        "apart",
        {"end": "1"},
    ),
    *(
        Rule(
            "period", rf"(?:bis\s+|am\s+|zum\s+)(?:zum\s+)?{word}", says={"end": "1", "unit": unit}
        )
        for word, unit in (("monatsende", "monat"), ("jahresende", "jahr"), ("feierabend", "tag"))
    ),
    Rule(
        "period",
        rf"(?:am\s+|bis\s+(?:zum\s+)?|vor\s+dem\s+)?(?:{NEXT}|{THIS})\s+(?P<unit>wochenende|woche|monat|jahr)",
        "phrase",
    ),
    Rule("period", r"(?:am|ubers|uebers|bis(?:\s+zum)?)\s+(?P<unit>wochenende)"),
    Rule(
        "weekday",
        r"(?:am\s+)?(?P<next>nachste\s+woche|naechste\s+woche)\s+(?:am\s+)?{full}{day_part}",
    ),
    Rule("weekday", r"{pre}?{full}\s+(?P<next>nachste(?:r)?\s+woche|naechste(?:r)?\s+woche)"),
    Rule("weekday", r"{pre}?{full}\s+(?P<after_next>in\s+zwei\s+wochen)"),
    Rule("weekday", rf"{{pre}}?(?:{NEXT}|{THIS})\s+{{full}}", "phrase"),
    Rule("weekday", r"(?P<pre>(?:(?P<until>bis)(?:\s+zum)?|am|ab|vor|fur|fuer|fallig)\s+){full}"),
    Rule("weekday", r"(?P<pre>(?:(?P<until>bis)|am|ab)\s+){short}\.?", "apart"),
    Rule(
        "weekday", r"{pre}?{full}(?P<part>vormittag|mittag|nachmittag|abend|nacht|morgen)", "phrase"
    ),
    Rule("weekday", r"{full}", "word"),
    Rule("weekday", r"{short}\.?", "beside"),
    Rule("named", rf"{{pre}}?{{day_name}}(?:\s+(?P<part>{PART_OF_DAY}))?"),
)
TIMES = (
    Rule(
        "range",
        r"(?:von\s+|zwischen\s+|um\s+)?{hour}(?:[:.]{minute})?\s?(?:uhr)?\s?(?:-|bis|und)\s?(?P<end_hour>[0-9]{1,2})(?:[:.][0-5][0-9])?\s?uhr",
    ),
    Rule(
        "range",
        r"(?:von\s+|zwischen\s+)?{hour}:{minute}\s?(?:-|bis|und)\s?(?P<end_hour>[0-9]{1,2}):[0-5][0-9]",
        "phrase",
    ),
    Rule("clock", r"{at}?{hour}(?:[:.]{minute})?\s?uhr{day_part}"),
    Rule("clock", r"{at}?{hour}\s?uhr\s?{minute}"),
    Rule("clock", r"{at}?{spoken}\s+uhr{day_part}"),
    Rule("clock", r"(?P<pre>um\s+){hour}[:.]{minute}{day_part}"),
    Rule("clock", r"{at}?{hour}:{minute}{day_part}(?:\s?h)?", "phrase"),
    Rule("clock", r"{at}?{hour}h{minute}?(?!\w)", "phrase"),
    Rule("clock", r"{at}?halb\s+{spoken}{day_part}", "phrase", {"to_hour": "1"}),
    Rule(
        "clock",
        r"{at}?dreiviertel\s+{spoken}{day_part}",
        "phrase",
        {"to_hour": "1", "amount": "viertel"},
    ),
    Rule("clock", r"{at}?{amount}\s+vor\s+{spoken}{day_part}", "phrase", {"to_hour": "1"}),
    Rule("clock", r"{at}?{amount}\s+nach\s+{spoken}{day_part}", "phrase"),
    Rule("clock", r"(?P<pre>um\s+){hour}{day_part}(?!\s*[-/%\d€]){no_measure}", "apart"),
    Rule("clock", r"(?P<pre>um\s+){spoken}{day_part}(?!\s*[-/%\d€]){no_measure}", "apart"),
    Rule("clock", r"um\s+{hour}(?!\s*[-/%\d€]){no_measure}", "beside"),
    Rule("part", r"(?P<pre>um|gegen|bis)\s+(?P<part>mitternacht)"),
    Rule(
        "part",
        r"(?:am\s+(?:fruhen\s+|spaten\s+)?|in\s+der\s+|gegen\s+|zu\s+|uber\s+)?(?P<part>vormittags?|mittags?|nachmittags?|abends?|nachts?|morgens|fruh|frueh|morgen"
        r"|nacht)",
        "beside",
    ),
)
GERMAN = Language(
    code="de",
    weekdays=WEEKDAYS | SHORT,
    months=MONTHS,
    numbers=NUMBERS | {"dritten": 3, "3.": 3, "vierten": 4, "4.": 4},
    units=UNITS,
    parts=PARTS,
    days=DAYS,
    ordinals=ORDINALS,
    rules=(*PRIORITIES, *RECURRENCE, *DATES, *TIMES),
    macros=MACROS,
    before=BEFORE,
    after=AFTER,
    against=AGAINST,
    common=COMMON
    | word_set("taglich wochentlich monatlich jahrlich werktags dringend uhr halb ende")
    | {
        f"{day}{part}"
        for day in WEEKDAYS
        for part in ("vormittag", "mittag", "nachmittag", "abend", "nacht", "morgen", "s")
    },
    leads=r"(?:bitte\s+)?(?:erinnere?\s+mich(?:\s+daran)?(?:\s+an|,)?|nicht\s+vergessen:?|aufgabe:|todo:|to-do:|erinnerung:)\s+",
    twelve_hours=False,
    names_capitalised=True,
    signs=regex(r"[äöüßÄÖÜ]"),
)
