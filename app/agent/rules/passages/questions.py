"""Reading a question: the words that matter in it, and what kind of thing answers it."""

import re
from typing import Literal, NamedTuple

from app.agent.rules.passages.sentences import plain, stem, words
from app.agent.rules.phrases.phrases import language_of
from app.core.process.lazy_regex import regex

Kind = Literal["when", "number", "where", "who", "why", "other"]
MOST_TERMS = 12
LITTLE = frozenset(
    plain(
        "a about above after again all also am an and any anyone anything are as ask "
        "at be been before being but by can could did do does doing "
        "done down each ever every find for from get gets getting give gives go goes "
        "going got had has have having he her here him his how i if in "
        "into is it its just know known last let like long lot made make many may me "
        "mention might mine more most much must my need next no not "
        "note notes now of off often old on once one only or our out over own please "
        "put question remember said say says see shall she should show "
        "so some somebody someone something still such take tell than that the their "
        "them then there these they thing things this those through to "
        "told too under until up us use used very want wants was way we were what "
        "whats when where which while who whom whose why will with "
        "would write wrote yes yet you your yours come comes coming write written down "
        "ever s ll ve re d m t time kind sort place name "
        # German
        "der die das den dem des ein eine einen einem einer eines und oder aber ist sind war waren "
        "wird werden wurde hat haben hatte habe ich du er "
        "sie es wir ihr mein meine meinen meiner dein was wann wo wohin woher wer wem "
        "wen wie warum "
        "wieso welche welcher welches welchen viel viele "
        "hoch lang lange zu zum zur von vom in im am an auf aus bei beim mit nach fur "
        "uber unter vor um nicht kein keine noch schon bitte mir mich "
        "uns steht lautet gibt gab heisst findet statt da dass so denn "
        # French
        "le la les l un une des de du d et ou mais est sont etait ete a ai as avons ont avait je "
        "tu il elle on nous vous ils elles mon ma mes ton ta "
        "tes son sa ses notre nos votre vos quel quelle quels quelles que quoi qui "
        "quand comment pourquoi combien ce cette ces c s n m t j qu y en "
        "dans sur sous pour par avec sans chez au aux ne pas plus t-il t-elle t-on est-ce "
        # Spanish
        "el los las lo un una unos unas y o pero es son era fue ser esta estan estaba ha han he "
        "yo tu ella nosotros mi mis su sus que quien quienes "
        "cuando donde como por porque cual cuales cuanto cuantos cuanta cuantas de del "
        "al en con sin para se me te nos hay tiene tengo no si"
    ).split()
)
_ASIAN_FILLER = regex(
    r"什么时候|什么地方|多少钱|为什么|是什么|什么|怎么样|怎么|哪里|哪儿|哪个|哪些|哪天|多少|"
    r"几点|几号|几个|多久|我们|你们|他们|告诉我|请问|是谁|谁|吗|呢|吧|了|的|我|你|是|在|有没有"
    r"|いつから|いつまで|いつ|どこ|だれ|誰|なぜ|どうして|どうやって|どれ|どの|何時|何人|何個|"
    r"いくら|いくつ|何|なに|なん|でしょうか|ですか|でした|ました|ますか|です|ます|ください|教えて|"
    r"私"
    r"|(?<=[\u30a0-\u30ff\u4e00-\u9fff」])(?:から|まで|より|には|では|とは|は|が|を|に|で|へ|と|も|の|か)|(?:か)?[？?]"
)
_ASIAN = regex(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")
_KINDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        "number",
        regex(
            r"\bhow "
            r"(?:many|much|long|old|tall|far|high|big|often|heavy|hot|expensive|large|wide|deep)\b|"
            r"\bwie ?viele?\b|\bwie "
            r"(?:hoch|lange?|teuer|gross|alt|oft|schwer)\b|\bcombien\b|\bcuant[oa]s?\b|"
            r"多少|几个|几点|多久|多高|いくら|いくつ|何人|何個|何回|\b(?:number|price|cost|temperature|"
            r"port|frame number|amount)\b"
        ),
    ),
    (
        "when",
        regex(
            r"\bwhen\b|\b(?:what|which) "
            r"(?:time|day|date|year|month|weekday)\b|\bwann\b|\bwelche[nmrs]? "
            r"(?:tag|datum|jahr|monat)\b|\bquand\b|\bquelle "
            r"(?:date|heure)\b|\bcuando\b|\bque (?:dia|"
            r"fecha|hora)\b|什么时候|何时|哪天|几号|几点|いつ|何時|何日|\bdeadline\b"
        ),
    ),
    (
        "where",
        regex(
            r"\bwhere\b|\bin which "
            r"(?:city|town|place|street|room)\b|\bwo\b|\bwohin\b|(?:^|\s)ou\b|\bdonde\b|"
            r"哪里|哪儿|什么地方|どこ"
        ),
    ),
    (
        "who",
        regex(
            r"\bwho\b|\bwhom\b|\bwhose\b|\bwer\b|\bwem\b|\bwen\b|(?:^|\s)(?:a "
            r")?qui\b|\bquien(?:es)?\b|谁|だれ|誰|どなた"
        ),
    ),
    (
        "why",
        regex(
            r"\bwhy\b|\bwarum\b|\bwieso\b|\bweshalb\b|\bpourquoi\b|\bpor que\b|为什么|なぜ|どうして"
        ),
    ),
)
_MONTHS = (
    r"jan(?:uary|uar)?|feb(?:ruary|ruar)?|mar(?:ch|z)?|marz|apr(?:il)?|may|mai|june?|juni|july?|"
    r"juli|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|okt(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?|dez(?:ember)?|janvier|fevrier|mars|avril|juin|juillet|aout|septembre|octobre|novembre|decembre|"
    r"enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre"
)
_DAYS = (
    r"mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?|montags?|dienstags?|"
    r"mittwochs?|donnerstags?|freitags?|samstags?|sonntags?|"
    r"lundis?|mardis?|mercredis?|jeudis?|vendredis?|samedis?|dimanches?|lunes|martes|miercoles|jueves|viernes|sabados?|domingos?"
)
_DATE = regex(
    rf"\b(?:{_MONTHS}|{_DAYS})\b|\b(?:19|20)\d\d\b|\b\d{{1,2}}[:.]\d\d\b|\b\d{{1,2}}\.(?:\s|\d)|"
    rf"\b\d{{1,2}}/\d{{1,2}}\b|\bat (?:noon|midnight|\d)|\b\d{{1,2}} ?(?:am|pm|uhr|h)\b"
    r"|\b(?:today|tomorrow|yesterday|tonight|morning|evening|afternoon|noon|midnight|christmas|"
    r"easter|spring|summer|autumn|winter|week|month|year|daily|"
    r"weekly|every|end|beginning|herbst|fruhling|sommer|weihnachten|ostern|noel|paques|navidad)\b|[月日号點点時时年]"
)
_NUMBER = regex(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|"
    r"thirty|forty|fifty|hundred|thousand|half|twice|once|dozen|"
    r"zwei|drei|vier|funf|sechs|sieben|acht|neun|zehn|zwolf|zwanzig|hundert|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|vingt|cent|"
    r"dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|veinte|cien|media)\b|[一二三四五六七八九十百千万两]"
)
_PLACE = regex(
    r"\b(?:in|at|on|behind|under|near|next to|above|below|inside|opposite|beside|between|with|to|"
    r"im|am|beim|bei|hinter|unter|neben|auf|nach|vor|uber|liegt|dans|chez|sur|sous|derriere|"
    r"pres|en|detras|debajo|cerca|sobre|junto)\b|[在里上下旁边處处近中]|[にで]"
)
_REASON = regex(
    r"\b(?:because|since|so that|due to|reason|therefore|weil|denn|damit|grund|parce|car|puisque|"
    r"afin|porque|pues|debido)\b|因为|由于|ので|から|ため"
)
_NAME = regex(
    r"(?<![.!?]\s)(?<!^)\b[A-ZÄÖÜÉÀÇÑ][\w'’-]+|\b(?:Mr|Mrs|Ms|Dr|Herr|Frau|Madame|Monsieur|Señora?)\b|"
    r"^[A-Z]\w+ (?=[a-z]+(?:s|ed)\b)|さん|先生|阿姨|[王李张刘陈小老]\S"
)


_CAPITAL = regex(r"(?<=[a-z,] )[A-ZÀ-Ý][^\W\d_]+")


class Question(NamedTuple):
    """A question: its terms as they were written and as stems, the kind of answer wanted, what
    must stand in it, and the names it asks about.
    """

    terms: tuple[str, ...]
    stems: tuple[str, ...]
    kind: Kind
    focus: frozenset[str]
    names: frozenset[str]


_ASKS = (
    r"\b(?:what(?:'s| is| was| are| were)|which is|wie (?:lautet|heisst)|quel(?:le)? est|cual es)"
)
_FOCUS = regex(
    _ASKS + r"\s+(?:the |das |der |die |le |la |el )?((?:[\w-]+ ){0,2}?[\w-]+) "
    r"(?:of|for|from|at|in|des|der|von|du|de|del)\b"
)
GENERAL = frozenset(
    stem(word)
    for word in words(
        "name number price cost date time address amount size title reason colour "
        "color way list plan answer temperature height weight"
    )
)


def read(message: str) -> Question:
    """Give what matters in a question; every message is one."""
    text = plain(message[:1000])
    terms = tuple(dict.fromkeys(_terms(text)))[:MOST_TERMS]
    kind: Kind = next((kind for kind, pattern in _KINDS if pattern.search(text)), "other")
    asked_for = _FOCUS.search(text)
    return Question(
        terms, tuple(stem(term) for term in terms), kind, _focus(asked_for), _names(message[:1000])
    )


def _names(message: str) -> frozenset[str]:
    """Give the stems of what is written like a name; in German, where nouns are too, none."""
    if language_of(message) == "de":
        return frozenset()
    return frozenset(
        stem(word)
        for found in _CAPITAL.finditer(message)
        for word in words(found[0])
        if word not in LITTLE and len(word) > 1
    )


def _focus(found: re.Match[str] | None) -> frozenset[str]:
    wanted = [stem(word) for word in words(found[1]) if word not in LITTLE][-1:] if found else []
    return frozenset(word for word in wanted if word not in GENERAL)


def _terms(text: str) -> list[str]:
    if _ASIAN.search(text):
        text = _ASIAN_FILLER.sub(" ", text)
    found = words(text)
    kept = [
        word
        for word in found
        if word not in LITTLE and (len(word) > 1 or word.isdecimal() or _ASIAN.match(word))
    ]
    return kept or [word for word in found if len(word) > 1]


def is_asian(message: str) -> bool:
    """Say whether a message is written without spaces."""
    return bool(_ASIAN.search(message))


def fits(kind: Kind, text: str) -> bool:
    """Say whether a text holds a thing of the kind that a question wants."""
    match kind:
        case "when":
            return bool(_DATE.search(plain(text)))
        case "number":
            return bool(_NUMBER.search(plain(text)))
        case "where":
            return bool(_PLACE.search(plain(text)))
        case "who":
            return bool(_NAME.search(text))
        case "why":
            return bool(_REASON.search(plain(text)))
        case _:
            return True
