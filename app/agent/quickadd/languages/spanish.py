"""Spanish words and patterns of quick add."""

from app.agent.quickadd.languages.common import MERIDIEM, NUMERIC, PRIORITY
from app.agent.quickadd.languages.language_spec import Language, Rule, word_set
from app.core.process.lazy_regex import regex

WEEKDAYS = {
    name: number
    for number, name in enumerate(
        ("lunes", "martes", "miercoles", "jueves", "viernes", "sabado", "domingo")
    )
}
MONTHS = {
    "enero": 1,
    "febrero": 2,
    "marzo": 3,
    "abril": 4,
    "mayo": 5,
    "junio": 6,
    "julio": 7,
    "agosto": 8,
    "septiembre": 9,
    "setiembre": 9,
    "octubre": 10,
    "noviembre": 11,
    "diciembre": 12,
    "ene": 1,
    "feb": 2,
    "abr": 4,
    "jun": 6,
    "jul": 7,
    "ago": 8,
    "sept": 9,
    "sep": 9,
    "oct": 10,
    "nov": 11,
    "dic": 12,
}
NUMBERS = {
    "un": 1,
    "una": 1,
    "uno": 1,
    "dos": 2,
    "tres": 3,
    "cuatro": 4,
    "cinco": 5,
    "seis": 6,
    "siete": 7,
    "ocho": 8,
    "nueve": 9,
    "diez": 10,
    "once": 11,
    "doce": 12,
    "quince": 15,
    "veinte": 20,
    "treinta": 30,
    "un par de": 2,
    "primero": 1,
}
UNITS = {
    "minuto": "minute",
    "minutos": "minute",
    "min": "minute",
    "hora": "hour",
    "horas": "hour",
    "h": "hour",
    "dia": "day",
    "dias": "day",
    "semana": "week",
    "semanas": "week",
    "fin de semana": "weekend",
    "finde": "weekend",
    "mes": "month",
    "meses": "month",
    "trimestre": "quarter",
    "trimestres": "quarter",
    "ano": "year",
    "anos": "year",
}
PARTS = {
    "madrugada": "dawn",
    "manana": "morning",
    "mananas": "morning",
    "mediodia": "noon",
    "tarde": "afternoon",
    "tardes": "afternoon",
    "noche": "night",
    "noches": "night",
    "medianoche": "midnight",
}
DAYS = {"pasado manana": 2, "manana": 1, "hoy": 0}
ORDINALS = {
    "primer": 1,
    "primero": 1,
    "segundo": 2,
    "tercer": 3,
    "tercero": 3,
    "cuarto": 4,
    "ultimo": -1,
}
BEFORE = word_set("""de del desde tras pasado pasada ultimo un una los las mi tu su nuestro la capitulo version pagina seccion sala numero no que
 como santo
 a al por cada buenos buenas""")
AFTER = word_set(
    """a al con para en por antes hasta desde sobre si porque cuando luego cada todos todas temprano"""
)
AGAINST = word_set("es son era fue cuenta sera seran hay estan")
COMMON = word_set("""el la los las de del un una y con para en al mi su por llamar comprar pagar enviar que todos todas cada a hoy antes
 urgente fin prioridad diario entre desde""")

FULL = "|".join(WEEKDAYS)
DAY_LIST = "lunes|martes|miercoles|jueves|viernes|sabados?|domingos?"
EVERY = r"(?:cada|tod[oa]s\s+l[oa]s)"
ON_DAY = rf"(?:(?:el\s+)?(?:{FULL}),?\s+)?(?:el\s+)?(?:dia\s+)?"
DAY = r"(?P<day>1ro|1º|primero|uno|[12][0-9]|3[01]|0?[1-9])"
PARTS_OF_DAY = "madrugada|manana|tarde|noche"
MACROS = {
    "pre": r"(?P<pre>(?:(?P<until>hasta)(?:\s+el)?|para(?:\s+el)?|antes\s+del?|a\s+partir\s+del?|desde\s+el|el)\s+)",
    "article": "",
    "full": f"(?P<weekday>{FULL})",
    "weekdays": rf"(?P<weekdays>(?:{DAY_LIST})(?:(?:\s*[,&+/]\s*|\s+y\s+)(?:los\s+|el\s+)?(?:{DAY_LIST})){{0,6}})",
    "date_day": DAY,
    "spoken": r"(?P<hour>una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|1[0-9]|2[0-3]|0?[1-9])",
    "at": r"(?P<pre>(?:a|hacia|sobre|antes\s+de|hasta|para)\s+las?\s+)",
    "day_part": rf"(?:\s+(?:de|por|en)\s+la\s+(?P<part>{PARTS_OF_DAY}))?",
    "interval": r"(?:{number}\s+)?",
}
DAY_MONTH = (
    rf"{ON_DAY}{{date_day}}\s+(?:de\s+)?{{month}}\b(?:\.(?=\s|$))?(?:\s+(?:del?\s+)?{{year}})?"
)

PRIORITIES = (
    *PRIORITY,
    Rule(
        "urgent",
        r"(?:urgente|asap|maxima\s+prioridad|prioridad\s+maxima|muy\s+importante)(?=\s*[!.]*\s*$)",
        "apart",
    ),
    Rule("urgent", r"(?<=^)\s*(?:urgente|asap)(?=\s*[:!-])"),
    Rule("high", r"(?:alta\s+prioridad|prioridad\s+alta)(?=\s*(?:$|[!.,:]))", "apart"),
    Rule("low", r"(?:baja\s+prioridad|prioridad\s+baja)(?=\s*(?:$|[!.,:]))", "apart"),
    Rule("priority", r"prioridad[\s:]+(?P<level>[1-4])", "apart"),
)
RECURRENCE = (
    Rule(
        "monthly_weekday",
        r"(?:cada|todos\s+los|el)\s+{nth}e?s?\s+{full}s?\s+(?:de\s+cada|del|de\s+todos\s+los)\s+mes(?:es)?",
    ),
    Rule(
        "monthly_day", r"(?:el\s+)?(?:dia\s+)?{date_day}\s+de\s+(?:cada\s+mes|todos\s+los\s+meses)"
    ),
    Rule(
        "monthly_day",
        r"(?:cada\s+mes|todos\s+los\s+meses|mensualmente),?\s+el\s+(?:dia\s+)?{date_day}",
    ),
    Rule("monthly_day", r"(?:cada|todos\s+los\s+dias)\s+(?:dia\s+)?{date_day}\s+(?:de|del)\s+mes"),
    Rule(
        "monthly_day",
        r"(?:el\s+ultimo\s+dia\s+de|a\s+fin(?:al|ales|es)?\s+de)\s+(?:cada\s+mes|todos\s+los\s+meses)",
        says={"last": "1"},
    ),
    Rule("yearly", rf"(?:cada\s+ano|todos\s+los\s+anos|anualmente),?\s+el\s+{DAY_MONTH}"),
    Rule("yearly", rf"(?:cada|todos\s+los)\s+{DAY_MONTH}"),
    Rule("every_weekday", rf"{EVERY}\s+{{weekdays}}"),
    Rule(
        "every_weekday",
        rf"un\s+(?P<weekdays>{FULL})\s+(?:si\s+y\s+(?:otro|uno)\s+no|de\s+cada\s+dos)",
        says={"other": "1"},
    ),
    Rule("every_weekday", rf"{EVERY}\s+{{interval}}semanas?,?\s+(?:el\s+|los\s+){{weekdays}}"),
    Rule("every_weekday", r"los\s+{weekdays}", "apart"),
    Rule(
        "workdays",
        r"(?:cada|todos\s+los)\s+dias?\s+(?:laborables?|habil(?:es)?|de\s+(?:la\s+)?semana|entre\s+semana)|entre\s+semana|de\s+lunes\s+a\s+viernes",
    ),
    Rule("weekends", r"(?:cada|todos\s+los)\s+fin(?:es)?\s+de\s+semana|cada\s+finde"),
    Rule("every", r"un\s+(?P<unit>dia)\s+si\s+y\s+(?:otro|uno)\s+no", says={"number": "2"}),
    Rule(
        "every",
        rf"{EVERY}\s+{{interval}}(?P<unit>dias?|semanas?|mes(?:es)?|trimestres?|anos?)",
        "phrase",
    ),
    Rule(
        "every_part",
        r"(?:cada|todas\s+las|todos\s+los)\s+(?P<part>mananas?|mediodia|tardes?|noches?)",
        "phrase",
    ),
    Rule("fortnightly", r"quincenalmente|cada\s+quincena"),
    Rule("daily", r"a\s+diario|diariamente"),
    Rule("weekly", "semanalmente"),
    Rule("monthly", "mensualmente"),
    Rule("quarterly", "trimestralmente"),
    Rule("annually", "anualmente"),
)
DATES = (
    *NUMERIC,
    Rule(
        "numeric",
        r"(?P<pre>(?:el|antes\s+del|(?P<until>hasta\s+el)|para\s+el)\s+)(?:dia\s+)?(?P<first>[0-3]?[0-9])/(?P<second>1[0-2]|0?[1-9])",
        "apart",
    ),
    Rule("date", rf"{{pre}}?{DAY_MONTH}", "phrase"),
    Rule(
        "this_month",
        r"{pre}?(?:dia\s+)?{date_day}\s+(?:de\s+este\s+mes|del\s+mes\s+(?P<next>que\s+viene|proximo)|del\s+proximo\s+mes)",
    ),
    Rule(
        "date",
        r"(?P<pre>(?:el|antes\s+del|(?P<until>hasta\s+el)|para\s+el)\s+)(?:dia\s+)?{date_day}",
        "apart",
    ),
    Rule(
        "month_end",
        r"(?:a\s+|para\s+)?(?:fines|finales|final)\s+de\s+{month}(?:\s+de\s+{year})?",
        "apart",
    ),
    Rule("month_end", r"a\s+mediados\s+de\s+{month}", "apart", {"middle": "1"}),
    Rule("ahead", r"(?:dentro\s+de|en)\s+(?:l[oa]s\s+proxim[oa]s\s+)?{number}\s*{unit}", "phrase"),
    Rule("half_hour", r"(?:en|dentro\s+de)\s+media\s+hora"),
    Rule(
        "period",
        r"(?:(?:a|al|para|antes\s+de|antes\s+del)\s+)?(?:el\s+)?(?:fin|finales|final|fines)\s+(?:de\s+(?:la\s+|este\s+|esta\s+)?|del\s+)"
        r"(?P<unit>dia|mes|ano)",
        "apart",
        {"end": "1"},
    ),
    Rule(
        "period",
        r"(?:a|antes\s+de|para)\s+(?:finales|final)\s+de\s+(?:la\s+|esta\s+)?(?P<unit>semana)",
        "apart",
        {"end": "1"},
    ),
    Rule(
        "period",
        r"(?:para\s+|antes\s+de\s+)?(?:el|la)?\s*(?P<unit>fin\s+de\s+semana|finde|semana|mes|ano)\s+(?P<next>que\s+viene|proxim[oa])",
        "apart",
    ),
    Rule(
        "period",
        r"(?:para\s+|antes\s+de\s+)?(?:el|la)?\s*(?P<next>proxim[oa])\s+(?P<unit>fin\s+de\s+semana|finde|semana|mes|ano)",
        "apart",
    ),
    Rule("period", r"est[ea]\s+(?P<unit>fin\s+de\s+semana|finde|semana|mes|ano)", "apart"),
    Rule("period", r"(?:durante\s+)?el\s+(?P<unit>fin\s+de\s+semana|finde)", "apart"),
    Rule("weekday", r"{pre}?(?P<next>proximo)\s+{full}"),
    Rule(
        "weekday",
        r"{pre}?{full}\s+(?P<next>proximo|de\s+la\s+(?:semana\s+que\s+viene|proxima\s+semana|semana\s+proxima))",
    ),
    Rule(
        "weekday",
        r"{pre}?(?P<next>(?:la\s+)?(?:semana\s+que\s+viene|proxima\s+semana))\s+(?:el\s+){full}",
    ),
    Rule("weekday", r"{pre}?(?:este\s+){full}"),
    Rule("weekday", r"{pre}?{full}\s+que\s+viene"),
    Rule(
        "weekday", r"{pre}{full}(?!\s+de\s+(?:ramos|resurreccion|pascua|ceniza|gloria))", "phrase"
    ),
    Rule("weekday", r"{full}", "word"),
    Rule(
        "named",
        r"(?P<pre>(?:para|antes\s+de|a\s+partir\s+de|desde|(?P<until>hasta))\s+)?{day_name}(?:\s+(?:por|en|a)\s+(?:la\s+)?(?P<part>madrugada|manana|tarde|noche))?",
    ),
    Rule("named", r"{day_name}\s+al?\s+(?P<part>mediodia)"),
    Rule("today", r"est[ae]\s+(?P<part>manana|tarde|noche|mediodia)"),
)
TIMES = (
    Rule(
        "range",
        r"(?:de|entre(?:\s+las)?)\s+{hour}(?::{minute})?\s?(?:a|-|y(?:\s+las)?)\s?(?P<end_hour>[0-9]{1,2})(?::[0-5][0-9])?(?:\s?(?P<end_meridiem>[ap]\.?m\b\.?)|\s?h\b)",
    ),
    Rule(
        "range",
        r"(?:de\s+|entre\s+)?{hour}:{minute}\s?(?:a|-|y)\s?(?P<end_hour>[0-9]{1,2}):[0-5][0-9]",
        "phrase",
    ),
    Rule("clock", rf"{{at}}?{{hour}}(?:[:.]{{minute}})?\s?{MERIDIEM}", "phrase"),
    Rule("clock", r"{at}{spoken}[:.]{minute}(?:\s?h(?:oras)?\b)?{day_part}"),
    Rule("clock", r"{at}{spoken}\s?h(?:oras)?\b{day_part}"),
    Rule("clock", rf"{{at}}{{spoken}}\s+(?:de|por|en)\s+la\s+(?P<part>{PARTS_OF_DAY})"),
    Rule("clock", r"{at}{spoken}(?!\s*[-/%\d])", "apart"),
    Rule("clock", r"{at}{spoken}(?=\s+[a-z]{2,14}(?:ar|er|ir)(?:se|me|les?|l[oa]s?)?(?:\s|$))"),
    Rule("clock", r"{at}{spoken}\s+en\s+punto{day_part}"),
    Rule("clock", r"{at}{spoken}\s+y\s+media{day_part}", says={"half_past": "1"}),
    Rule("clock", r"{at}{spoken}\s+y\s+(?P<amount>cuarto|cinco|diez|veinte|[0-5]?[0-9]){day_part}"),
    Rule(
        "clock",
        r"{at}{spoken}\s+menos\s+(?P<amount>cuarto|cinco|diez|veinte){day_part}",
        says={"to_hour": "1"},
    ),
    Rule("clock", r"{hour}:{minute}(?:\s?h(?:oras|rs)?\b)?{day_part}", "phrase"),
    Rule("clock", r"{hour}(?::{minute})?\s?h(?:oras|rs)?\b", "phrase"),
    Rule("part", r"(?P<pre>al?\s+|hacia\s+(?:el\s+)?)(?P<part>mediodia|medianoche)", "apart"),
    Rule(
        "part",
        r"(?:por\s+la\s+|en\s+la\s+|a\s+la\s+)(?P<part>manana|tarde|noche|madrugada)",
        "beside",
    ),
)
SPANISH = Language(
    code="es",
    weekdays=WEEKDAYS | {"sabados": 5, "domingos": 6},
    months=MONTHS,
    numbers=NUMBERS | {"1ro": 1, "1º": 1},
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
    leads=r"(?:por\s+favor,?\s+)?(?:recu[eé]rdame\s+(?:que\s+)?|recordar(?:me)?\s*:\s*|no\s+olvidar\s+|no\s+olvides\s+|tarea\s?:\s*|recordatorio\s?:\s*|todo\s?:\s*)",
    signs=regex(r"[áíóúñ¿¡ÁÍÓÚÑ]"),
)
