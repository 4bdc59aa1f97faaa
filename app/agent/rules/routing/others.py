"""How others ask whether an agent's owner has time.

By “you”, by “he” or “she”, and by name, as patterns in six languages.
"""

import re

_FREE_EN = r"(?:free|busy|available|booked)\b"
_TIME_EN = (
    r"(?:any |some |a |an )?(?:free |spare |half an "
    r")?(?:time|gaps?|slots?|openings?|minutes?|moment|hour)\b"
)
_FREE_DE = r"(?:frei|(?<!zur )zeit|verfügbar|beschäftigt|verplant|belegt|lücken?)\b"
_FREE_FR = r"(?:encore |déjà |toujours )?(?:libres?|disponibles?|dispos?|occupée?s?|prise?s?)\b"
_TIME_FR = r"(?:encore )?(?:du temps|le temps|un moment|un créneau|une heure)\b"
_FREE_ES = r"(?:libres?|disponibles?|ocupad[oa]s?)\b"
_TIME_ES = r"(?:algo de |un poco de )?(?:tiempo|algún hueco|un hueco|un rato|un momento|una hora)\b"

PATTERNS: dict[str, tuple[str, ...]] = {
    "en": (
        rf"^(?:are you|is {{who}}|(?:will|would) (?:you|{{who}}) be|are they) (?:still "
        rf"|already |also |currently |usually )?{_FREE_EN}",
        rf"^(?:do you|does {{who}}|(?:will|would) (?:you|{{who}})) have "
        rf"{_TIME_EN}|^(?:have you|has {{who}}) got {_TIME_EN}",
        r"^(?:at )?(?:when|what times?|(?:what|which) days?) (?:are you|is "
        rf"{{who}}|(?:will|would) (?:you|{{who}}) be) (?:usually |next )?{_FREE_EN}",
        r"^(?:at )?(?:when|what times?|(?:what|which) days?) (?:do you|does "
        rf"{{who}}|(?:will|would) (?:you|{{who}})) have {_TIME_EN}",
        r"^(?:tell me |let me know |do you know )(?:when|if|whether) (?:you "
        rf"are|you're|{{who}} is|(?:you|{{who}}) will be) {_FREE_EN}",
        r"^(?:tell me |let me know |do you know )(?:when|if|whether) (?:you "
        rf"have|{{who}} has) {_TIME_EN}",
        rf"^how {_FREE_EN} (?:are you|is {{who}})\b|^(?:what(?:'s| is) "
        rf")?(?:your|his|her|their|{{name}}'s?) availability\b",
    ),
    "de": (
        rf"^(?:bist du|seid ihr|sind sie|ist {{who}}|hast du|habt ihr|haben sie|hat "
        rf"{{who}}|wirst du|wird {{who}})"
        rf"(?!.*\btermin)(?: [^?]{{0,40}}?)? {_FREE_DE}",
        rf"^wann (?:bist du|seid ihr|sind sie|ist {{who}}|hast du|habt ihr|haben "
        rf"sie|hat {{who}})(?!.*\btermin)(?: [^?]{{0,40}}?)? {_FREE_DE}",
    ),
    "fr": (
        r"^(?:quand |à quelle heure "
        r")?(?:es-tu|êtes-vous|seras-tu|serez-vous|est-(?:il|elle)|sera-t-(?:il|elle)"
        rf"|{{name}} (?:est|sera-t)-(?:il|elle)) {_FREE_FR}",
        rf"^(?:quand )?(?:est-ce que )?(?:tu es|vous êtes|{{name}} est|tu seras|vous "
        rf"serez|{{name}} sera) {_FREE_FR}",
        rf"^(?:quand )?est-ce qu'(?:il|elle) (?:est|sera) {_FREE_FR}|^quand est "
        rf"{{name}} {_FREE_FR}",
        rf"^(?:quand )?(?:as-tu|avez-vous|auras-tu|aurez-vous|a-t-(?:il|elle)|{{name}} "
        rf"a-t-(?:il|elle)) {_TIME_FR}",
        rf"^(?:quand )?(?:est-ce que )?(?:tu as|vous avez|{{name}} a) "
        rf"{_TIME_FR}|^(?:quand )?est-ce qu'(?:il|elle) a {_TIME_FR}",
    ),
    "es": (
        rf"^¿?(?:cu[aá]ndo |a qué hora )?(?:{{who}} "
        rf")?(?:est[aá]s?|estar[aá]s?|están|estáis) (?:{{who}} )?{_FREE_ES}",
        rf"^¿?(?:cu[aá]ndo |a qué hora )?(?:{{who}} "
        rf")?(?:tienes?|tendr[aá]s?|tienen|tenéis) (?:{{who}} )?{_TIME_ES}",
    ),
    "zh": (
        r"(?:你|您|他|她|{name}).{0,20}?(?:有空|有没有空|没空|有时间|有没有时间|空闲|忙不忙|忙吗|方便吗|有安排吗)",
    ),
    "ja": (
        r"(?:空いて(?:い|る|ます)|空きは?あ|暇(?:です|だ|で|は)|時間(?:は|が)?(?:あ|取れ)|忙し(?:い|く)|ご?都合(?:は|が)?(?:いい|よろし|つ|どう|いかが)|予定(?:は|が)?空)",
    ),
}
"""Whose time is meant stands as {name}, a name of the owner's, or {who}, which may be a pronoun
too.
"""
_PRONOUNS = {
    "en": "he|she|they",
    "de": "er|sie",
    "fr": "il|elle",
    "es": "él|ella|usted|tú|ustedes",
    "zh": "",
    "ja": "",
}
_TITLES = r"(?:(?:mrs?|ms|dr|prof|sr|sra|m|mme)\.? |herr |frau |monsieur |madame |señora? )?"


def patterns(language: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Give a language's patterns, with the names of the owner in place."""
    name = f"{_TITLES}(?:{'|'.join(map(re.escape, sorted(names, key=len, reverse=True)))})"
    who = f"(?:{name}|{_PRONOUNS[language]})" if _PRONOUNS[language] else name
    return tuple(
        pattern.replace("{name}", name).replace("{who}", who) for pattern in PATTERNS[language]
    )
