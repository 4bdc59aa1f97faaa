"""English words and patterns of quick add."""

import msgspec

from app.agent.quickadd.languages.common import MERIDIEM, NUMERIC, PRIORITY
from app.agent.quickadd.languages.language_spec import Language, Rule, word_set

NUMBERS = {
    "a couple of": 2,
    "an": 1,
    "a": 1,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
    "fifteen": 15,
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "sixty": 60,
    "ninety": 90,
    "third": 3,
    "3rd": 3,
    "fourth": 4,
    "4th": 4,
    "fifth": 5,
    "sixth": 6,
}
WEEKDAYS = {
    name: number
    for number, name in enumerate(
        ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
    )
}
SHORT = {
    "mon": 0,
    "tue": 1,
    "tues": 1,
    "wed": 2,
    "weds": 2,
    "thu": 3,
    "thur": 3,
    "thurs": 3,
    "fri": 4,
    "sat": 5,
    "sun": 6,
}
MONTHS = {
    "january": 1,
    "february": 2,
    "march": 3,
    "april": 4,
    "may": 5,
    "june": 6,
    "july": 7,
    "august": 8,
    "september": 9,
    "october": 10,
    "november": 11,
    "december": 12,
    "jan": 1,
    "feb": 2,
    "mar": 3,
    "apr": 4,
    "jun": 6,
    "jul": 7,
    "aug": 8,
    "sep": 9,
    "sept": 9,
    "oct": 10,
    "nov": 11,
    "dec": 12,
}
PARTS = {
    "early morning": "morning",
    "morning": "morning",
    "noon": "noon",
    "midday": "noon",
    "lunchtime": "noon",
    "lunch": "noon",
    "afternoon": "afternoon",
    "evening": "evening",
    "night": "night",
    "midnight": "midnight",
}
UNITS = {
    "minute": "minute",
    "minutes": "minute",
    "min": "minute",
    "mins": "minute",
    "hour": "hour",
    "hours": "hour",
    "hr": "hour",
    "hrs": "hour",
    "h": "hour",
    "day": "day",
    "days": "day",
    "week": "week",
    "weeks": "week",
    "wk": "week",
    "wks": "week",
    "fortnight": "fortnight",
    "month": "month",
    "months": "month",
    "quarter": "quarter",
    "quarters": "quarter",
    "year": "year",
    "years": "year",
    "weekend": "weekend",
}
DAYS = {
    "the day after tomorrow": 2,
    "day after tomorrow": 2,
    "tomorrow": 1,
    "tommorow": 1,
    "tommorrow": 1,
    "tomorow": 1,
    "tmrw": 1,
    "tmr": 1,
    "2moro": 1,
    "today": 0,
}
ORDINALS = {
    "first": 1,
    "1st": 1,
    "second": 2,
    "2nd": 2,
    "third": 3,
    "3rd": 3,
    "fourth": 4,
    "4th": 4,
    "last": -1,
}
BEFORE = word_set("""of from since after last past previous good black casual super ash fat holy cyber freaky ruby a an one that another some any
 no not
 to than like chapter version page section is was were never every each between my our your his her their this next the it's its be re under
 within against over twice thrice half semi article step part size level day days room number no bloody palm easter whit shrove""")
AGAINST = word_set("is are was were will would has had isn't wasn't won't or counts count matters")
AFTER = word_set("""at on by with to for about in before after until till every each due regarding via if so because when while then please
 around during near without as from starting per""")
COMMON = word_set("""the and to of with for my call buy send at on from about this is write read book check pay clean ask get make take your his
 her their
 our its next every by until""")

NTH = r"(?:st|nd|rd|th)"
EVERY = r"(?:every|each)"
ALL_DAYS = "|".join(sorted([f"{name}s?" for name in WEEKDAYS] + list(SHORT), key=len, reverse=True))
PLURALS = "|".join(f"{name}s" for name in WEEKDAYS)
ON_DAY = rf"(?:(?:{'|'.join([*WEEKDAYS, *SHORT])})\.?,?\s+)?"
DAY_MONTH = (
    rf"{ON_DAY}(?:the\s+)?{{day}}{NTH}?\s+(?:of\s+)?{{month}}\b(?:\.(?=\s|$))?(?:,?\s+{{year}})?"
)
MONTH_DAY = rf"{ON_DAY}{{month}}\b\.?\s+(?:the\s+)?{{day}}{NTH}?(?![\d:])(?:,?\s+{{year}})?"
AT = r"(?P<pre>(?:at|by|before|until|till|around|@)\s*)"
INTERVALS = (
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "twelve",
    "third",
    "3rd",
    "fourth",
    "4th",
    "fifth",
    "sixth",
)
MACROS = {
    "pre": r"(?P<pre>(?:(?P<until>until|till|til|thru|through)|due(?:\s+(?:on|by|date))?:?|by|on|before|for|starting(?:\s+(?:on|from))?|beginning)"
    r"\s+)",
    "article": "",
    "weekdays": rf"(?P<weekdays>(?:{ALL_DAYS})(?:(?:\s*[,&+/]\s*(?:and\s+)?|\s+and\s+)(?:{ALL_DAYS})){{0,6}})",
    "short": f"(?P<weekday>{'|'.join(SHORT)})",
    "interval": rf"(?:(?P<other>other|second|2nd|alternate)\s+|(?P<number>[0-9]{{1,3}}|{'|'.join(INTERVALS)})\s+)?",
    "past": r"(?P<amount>quarter|[0-9]{1,2}|five|ten|twenty)(?:\s+minutes)?",
    "number_hour": r"(?P<hour>one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|1[0-2]|0?[1-9])",
}

RECURRENCE = (
    Rule(
        "monthly_weekday",
        rf"(?:on\s+)?(?:the\s+)?{{nth}}\s+{{weekday}}\s+(?:of\s+|in\s+)?{EVERY}\s+month",
    ),
    Rule(
        "monthly_weekday",
        rf"(?:on\s+)?{EVERY}\s+{{nth}}\s+{{weekday}}\s+(?:of|in)\s+(?:the|every|each|a)\s+month",
    ),
    Rule("monthly_weekday", rf"(?:{EVERY}\s+month|monthly)\s+on\s+the\s+{{nth}}\s+{{weekday}}"),
    Rule(
        "monthly_day", rf"(?:on\s+)?(?:the\s+)?{{day}}{NTH}\s+(?:day\s+)?(?:of\s+)?{EVERY}\s+month"
    ),
    Rule("monthly_day", rf"(?:{EVERY}\s+month|monthly)\s+on\s+(?:the\s+|day\s+)?{{day}}{NTH}?"),
    Rule("monthly_day", rf"{EVERY}\s+{{day}}{NTH}(?:\s+of\s+the\s+month)?", "apart"),
    Rule(
        "monthly_day",
        rf"(?:on\s+|at\s+)?(?:the\s+)?(?:last\s+day|end)\s+of\s+{EVERY}\s+month",
        says={"last": "1"},
    ),
    Rule("yearly", rf"(?:(?:{EVERY}\s+year|yearly|annually)\s+on\s+|{EVERY}\s+){DAY_MONTH}"),
    Rule("yearly", rf"(?:(?:{EVERY}\s+year|yearly|annually)\s+on\s+|{EVERY}\s+){MONTH_DAY}"),
    Rule("every_weekday", rf"(?:on\s+)?{EVERY}\s+{{interval}}{{weekdays}}", "phrase"),
    Rule("every_weekday", rf"(?:{EVERY}\s+{{interval}}weeks?|weekly)\s+on\s+{{weekdays}}"),
    Rule(
        "every_weekday",
        rf"on\s+(?P<weekdays>(?:{PLURALS})(?:(?:\s*,\s*|\s+and\s+)(?:on\s+)?(?:{PLURALS})){{0,6}})",
        "apart",
    ),
    Rule(
        "workdays",
        rf"(?:on\s+)?{EVERY}\s+(?:week|work|working\s+|business\s+)day|on\s+(?:weekdays|workdays)",
        "phrase",
    ),
    Rule("workdays", r"weekdays|workdays", "beside"),
    Rule("weekends", rf"(?:on\s+)?{EVERY}\s+weekend|(?:on|at)\s+weekends", "phrase"),
    Rule(
        "every",
        rf"{EVERY}\s+(?:single\s+)?{{interval}}(?P<unit>days?|weeks?|wks?|months?|quarters?|years?)",
        "phrase",
    ),
    Rule("every_part", rf"{EVERY}\s+(?:single\s+)?{{part}}", "phrase"),
    Rule("daily", "daily", "apart"),
    Rule("weekly", "weekly", "apart"),
    Rule("fortnightly", rf"biweekly|fortnightly|{EVERY}\s+fortnight", "apart"),
    Rule("monthly", "monthly", "apart"),
    Rule("quarterly", "quarterly", "apart"),
    Rule("annually", "yearly|annually", "apart"),
)
DATES = (
    *NUMERIC,
    Rule("date", rf"{{pre}}?{DAY_MONTH}", "phrase"),
    Rule("date", rf"{{pre}}?{MONTH_DAY}", "phrase"),
    Rule("date", rf"{{pre}}?(?:{'|'.join(WEEKDAYS)}),?\s+the\s+{{day}}{NTH}", "apart"),
    Rule(
        "date",
        rf"(?P<pre>(?P<until>until|till)\s+|(?:due|by|on|before|for)\s+)(?:the\s+)?{{day}}{NTH}",
        "apart",
    ),
    Rule("this_month", rf"{{pre}}?(?:the\s+)?{{day}}{NTH}\s+of\s+(?:this|(?P<next>next))\s+month"),
    Rule("month_end", r"{pre}?(?:at\s+)?(?:the\s+)?end\s+of\s+{month}(?:\s+{year})?", "apart"),
    Rule(
        "month_end", r"(?:(?:in|by|due)\s+)?mid[\s-]{month}(?:\s+{year})?", "apart", {"middle": "1"}
    ),
    Rule(
        "ahead",
        r"(?:(?:with)?in|starting\s+in)\s+(?:the\s+next\s+)?{number}\s*{unit}(?:'s?)?(?:\s+time)?",
        "phrase",
    ),
    Rule("ahead", r"{number}\s+{unit}\s+(?:from\s+(?:now|today)|later)"),
    Rule("ahead", r"in\s+{number}\s+and\s+a\s+half\s+{unit}", says={"half": "1"}),
    Rule("half_hour", r"in\s+(?:half\s+an\s+hour|a\s+half\s+hour|1/2\s+hour)"),
    Rule(
        "period",
        r"(?:(?:by|at|before|due)\s+)?(?:the\s+)?end\s+of\s+(?:the\s+|this\s+|(?P<next>next\s+))?(?P<unit>day|week|month|year)",
        "apart",
        {"end": "1"},
    ),
    *(
        Rule("period", rf"(?:by\s+)?{word}", "apart", {"end": "1", "unit": unit})
        for word, unit in (
            ("eod", "day"),
            ("cob", "day"),
            ("eow", "week"),
            ("eom", "month"),
            ("eoy", "year"),
        )
    ),
    Rule(
        "period",
        r"{pre}?(?:(?P<next>next)|this)\s+(?:coming\s+)?(?P<unit>weekend|week|month|year)",
        "apart",
    ),
    Rule("period", r"(?:on|at|over)\s+the\s+(?P<unit>weekend)", "apart"),
    Rule("weekday", r"{pre}?(?P<next>next)\s+week\s+(?:on\s+)?{weekday}"),
    Rule("weekday", r"{pre}?{weekday}\s+(?:of\s+)?(?P<next>next)\s+week"),
    Rule("weekday", r"{pre}?{weekday}\s+(?:of\s+)?(?P<this_week>this)\s+week"),
    Rule("weekday", r"{pre}?(?:(?P<next>next)|this(?:\s+coming)?|coming)\s+{weekday}", "phrase"),
    Rule(
        "weekday",
        r"{pre}?(?:(?P<next>next)|this(?:\s+coming)?|coming)\s+{short}\b(?:\.(?=\s|$))?",
        "apart",
    ),
    Rule("named", r"{pre}?{day_name}"),
    Rule("today", r"{pre}?(?P<part>tonight)"),
    Rule("weekday", r"{pre}?{weekday}", "word"),
    Rule(
        "weekday",
        r"(?P<pre>due\s+|by\s+|on\s+|before\s+|for\s+|(?P<until>until|till)\s+){short}\b(?:\.(?=\s|$))?",
        "apart",
    ),
    Rule("weekday", r"(?P<weekday>mon|tue|tues|weds|thu|thur|thurs|fri)(?=\s*$)", "apart"),
    Rule("weekday", r"{short}\b(?:\.(?=\s|$))?", "beside"),
)
TIMES = (
    Rule(
        "range",
        rf"(?:(?:from|between|at)\s+)?{{hour}}(?::{{minute}})?\s?{MERIDIEM}?\s?(?:-|to|until|till|and)\s?(?P<end_hour>[0-9]{{1,2}})(?::[0-5][0-9])?"
        r"\s?(?P<end_meridiem>[ap]\.?m\b\.?)",
        "phrase",
    ),
    Rule(
        "range",
        r"(?:(?P<pre>from|between|at)\s+)?{hour}:{minute}\s?(?:-|to|until|till|and)\s?(?P<end_hour>[0-9]{1,2}):[0-5][0-9]",
        "phrase",
    ),
    Rule(
        "range",
        r"(?:from|between|at)\s+{hour}\s?(?:-|to|until|till|and)\s?(?P<end_hour>[0-9]{1,2})",
        "beside",
    ),
    Rule("clock", rf"{AT}?{{hour}}(?:[:.]{{minute}})?\s?{MERIDIEM}", "phrase"),
    Rule(
        "clock",
        rf"(?:{AT}|(?<!john\s)(?<!luke\s)(?<!mark\s)(?<!acts\s)(?<!psalm\s)(?<!matthew\s)(?<!romans\s)(?<!genesis\s)(?<!exodus\s))"
        r"{hour}:{minute}(?:\s?h)?",
        "phrase",
    ),
    Rule("clock", rf"{AT}?{{number_hour}}\s+o'?\s?clock"),
    Rule("clock", rf"{AT}?half\s+past\s+{{number_hour}}", says={"half_past": "1"}),
    Rule("clock", rf"{AT}?(?:a\s+)?{{past}}\s+past\s+{{number_hour}}", "phrase"),
    Rule("clock", rf"{AT}?(?:a\s+)?{{past}}\s+to\s+{{number_hour}}", "apart", {"to_hour": "1"}),
    Rule("clock", r"(?P<pre>at\s+|@\s*){number_hour}(?:\s+sharp)?(?!\s*[-/%\d])", "apart"),
    Rule("clock", r"(?:at\s+|@\s*){hour}(?!\s*[-/%\d])", "beside"),
    Rule("clock", r"(?:by|before|around)\s+{number_hour}(?!\s*[-/%\d])", "beside"),
    Rule(
        "part",
        r"(?P<pre>at\s+|by\s+|before\s+|until\s+)(?P<part>noon|midday|midnight|lunchtime|lunch)",
        "apart",
    ),
    Rule("part", r"(?:in\s+the\s+|at\s+|around\s+|by\s+){part}", "beside"),
    Rule(
        "part",
        r"(?P<part>(?:early\s+)?morning|afternoon|evening|night|noon|midday|midnight)",
        "beside",
    ),
)
TODAY = (Rule("today", r"this\s+(?P<part>morning|afternoon|evening)"),)
PRIORITIES = (
    *PRIORITY,
    Rule("urgent", r"(?:urgent(?:ly)?|asap|(?:top|highest)\s+priority)(?=\s*[!.]*\s*$)", "apart"),
    Rule("urgent", r"(?<=^)\s*(?:urgent|asap)(?=\s*[:!-])"),
    Rule("high", r"high\s+prio(?:rity)?(?=\s*(?:$|[!.,:]))", "apart"),
    Rule("low", r"low\s+prio(?:rity)?(?=\s*(?:$|[!.,:]))", "apart"),
    Rule("priority", r"prio(?:rity)?[\s:]+(?P<level>[1-4])", "apart"),
)
ENGLISH = Language(
    code="en",
    weekdays=WEEKDAYS | {f"{name}s": number for name, number in WEEKDAYS.items()} | SHORT,
    months=MONTHS,
    numbers=NUMBERS,
    units=UNITS,
    parts=PARTS | {"tonight": "night"},
    days=DAYS,
    ordinals=ORDINALS,
    rules=(*PRIORITIES, *RECURRENCE, *TODAY, *DATES, *TIMES),
    macros=MACROS | {"weekday": f"(?P<weekday>{'|'.join(WEEKDAYS)})"},
    before=BEFORE,
    after=AFTER,
    against=AGAINST,
    common=COMMON,
    leads=r"(?:please\s+)?(?:remind\s+me\s+(?:to|about|of|that)|(?:add|create|new)\s+(?:a\s+)?(?:to-?do|task|reminder)(?:\s+to\b|:)?|to-?do:|task:|reminder:"
    r"|(?:do\s+not|don['’]t)\s+forget\s+to|remember\s+to|i\s+(?:need|have)\s+to)\s+",
    month_first=True,
)
BRITISH = msgspec.structs.replace(ENGLISH, month_first=False)
