"""What people ask of their calendar, as patterns in the order in which they are tried, in six
languages.
"""

_GATHERINGS = r"(?:meetings?|appointments?|events?|calls)"

PATTERNS: dict[str, tuple[tuple[str, str], ...]] = {
    "en": (
        (
            "free",
            r"^(?:am i|are we|will i be|would i be|i'm|i am) (?:still |already "
            r")?(?:free|busy|available|booked)\b",
        ),
        (
            "free",
            r"^(?:do i have|have i got) (?:any |some |a )?(?:free "
            r")?(?:time|gaps?|slots?|openings?)\b",
        ),
        (
            "free",
            r"^(?:when|what times?) (?:am i|are we) free\b|^(?:is|are) "
            r"(?P<when>[^?]{2,40}?) (?:still )?free[\s?]*$",
        ),
        (
            "events",
            r"^(?:what(?:'s| is| do i have| have i got| "
            r"does)?|which|show|list|check|read|give|anything|is there anything|do i "
            r"have|have i got|"
            r"tell me|look at|open)\b.{0,40}?\b(?:calendar|diary)\b(?! apps?\b)",
        ),
        (
            "events",
            rf"^(?:what|which|how many) (?:other |more )?{_GATHERINGS} "
            r"(?:do i have|do we have|have i got|are (?:there|scheduled|planned|on|coming)|is)\b",
        ),
        (
            "events",
            r"^(?:do i have|have i got|is there|are there|do we have)(?: any| an?| "
            rf"some)?(?: more| other)? {_GATHERINGS}\b",
        ),
        (
            "events",
            r"^(?:show|list|give|tell)(?: me)?(?: all)?(?: of)? (?:my |the )?(?:upcoming "
            rf"|next |coming )?(?:{_GATHERINGS}|agenda|schedule)\b"
            r"(?! (?:about|on) the\b)",
        ),
        (
            "events",
            r"^(?:my |the )(?:upcoming |next "
            rf")?(?:{_GATHERINGS}|calendar|schedule|agenda)\b.{{0,30}}$",
        ),
        ("events", r"^(?:calendar|agenda|schedule)\b.{0,30}$"),
        ("events", rf"^(?:when|what)(?:'s| is) (?:my|the|our) next {_GATHERINGS}\b"),
        (
            "events",
            r"^(?:when(?:'s| is)|what time is) (?:my|the|our) "
            r"(?!next\b)(?P<words>[^?]+?)(?: (?:meeting|appointment))\b[\s?]*$",
        ),
        (
            "events",
            r"^what(?:'s| is) (?:planned|scheduled|on the agenda|on my agenda|on my "
            r"schedule|coming up)\b|^what have i got planned\b",
        ),
    ),
    "de": (
        (
            "free",
            r"^(?:bin ich|sind wir|habe? ich|haben wir) "
            r"(?!.*\btermin)[^?]{0,40}?\b(?:frei|zeit|verfügbar|beschäftigt|verplant|lücken?)\b",
        ),
        ("free", r"^wann (?:bin ich|habe? ich|sind wir) .{0,40}?\b(?:frei|zeit)\b"),
        (
            "events",
            r"^(?:was|welche|wie viele|zeige?|gibt es|habe? "
            r"ich|stehen|steht|liste|nenne|schau|ist)\b.{0,40}?"
            r"\b(?:kalender|termine?n?|besprechung(?:en)?)\b",
        ),
        (
            "events",
            r"^(?:mein(?:e|en)? |der |die )?(?:nächste[nr]? |kommenden? "
            r")?(?:kalender|termine?|besprechungen)\b.{0,30}$",
        ),
        (
            "events",
            r"^wann (?:ist|habe ich) (?:mein(?:e|en)?|der|die|den) nächste[nr]? "
            r"(?:termin|besprechung)\b",
        ),
    ),
    "fr": (
        (
            "free",
            r"^(?:suis-je|serai-je|est-ce que je (?:suis|serai)|je suis|sommes-nous) "
            r"(?:encore )?(?:libre|disponible|occupée?|prise?)\b",
        ),
        (
            "free",
            r"^quand (?:suis-je|est-ce que je suis) libre\b|^(?:ai-je|est-ce que j'ai) "
            r"(?:du temps|un créneau)\b",
        ),
        (
            "events",
            r"^(?:qu'est-ce qu(?:e j'ai|'il y a)|qu'y "
            r"a-t-il|qu'ai-je|que(?:ls?|lles?)?|montre|affiche|liste|ai-je|est-ce que "
            r"j'ai|combien|y a-t-il)"
            r".{0,40}?\b(?:calendrier|agenda|rendez-vous|réunions?)\b",
        ),
        (
            "events",
            r"^(?:mon |mes |le |les )?(?:prochaine?s? "
            r")?(?:calendrier|agenda|rendez-vous|réunions?)\b.{0,30}$",
        ),
        ("events", r"^quand est (?:mon|ma|le|la) (?:prochaine? )?(?:rendez-vous|réunion)\b"),
    ),
    "es": (
        (
            "free",
            r"^¿?(?:estoy|estaré|estamos) (?:libre|disponible|ocupad[oa])s?\b|^¿?cuándo "
            r"(?:estoy|estaré) (?:libre|disponible)\b",
        ),
        ("free", r"^¿?tengo (?:tiempo|algún hueco|un hueco|un rato) (?:libre )?"),
        (
            "events",
            r"^¿?(?:qué|que|cuáles|cuántas|cuántos|muestra|muéstrame|enséñame|lista|tengo|hay)\b.{0,40}?"
            r"\b(?:calendario|agenda|citas?|reuniones|reunión|eventos)\b",
        ),
        (
            "events",
            r"^(?:mi |mis |el |la |las )?(?:próxim[oa]s? "
            r")?(?:calendario|agenda|citas?|reuniones|eventos)\b.{0,30}$",
        ),
        ("events", r"^¿?cuándo es (?:mi|la) (?:próxima )?(?:cita|reunión)\b"),
    ),
    "zh": (
        ("free", r"有空|有没有空|有时间吗|空闲|忙不忙|忙吗|有安排吗"),
        (
            "events",
            r"^(?!.*(?:添加|新建|创建|删除)).{0,20}(?:日历|日程|行程|日程表)(?:上|里|中)?(?:都)?(?:有什么|有哪些|安排|是什么)?.{0,10}$",
        ),
        (
            "events",
            r"有(?:什么|哪些|没有|几个)?(?:会议|会(?!员|计)|安排|约会|预约)|下(?:一|个|一个)(?:会议|会|预约)",
        ),
    ),
    "ja": (
        ("free", r"空いて(?:い|る|ます)|空きは?あ|暇(?:です|だ|で|は)|時間(?:は|が)?(?:あ|取れ)"),
        (
            "events",
            r"(?:予定|カレンダー|スケジュール|会議|打ち合わせ|アポ)(?:は|を|が|に|の)?"
            r"(?:何|なに|教え|見せ|あり|ある|ですか|一覧|表示|入って|[?？]|$)",
        ),
        ("events", r"次の(?:予定|会議|打ち合わせ)"),
    ),
}
