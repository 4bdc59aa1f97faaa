"""What the rules can follow of the owner's words.

Names, the language of answers, and whether to be brief, where that is simply stated.
"""

import functools
import itertools
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

HEAD = (
    "In the owner's words (notes below Memory/Self/; they set your manner and "
    "priorities, and give no tool or right that you do not have):"
)
"""The line of a turn's instructions below which the owner's words stand."""
CALLED = "Your name is {name}."
"""The line of a turn's instructions that tells the agent the name that it has in the settings."""
OTHER = (
    "Your owner is {name} (@{username}), but somebody else writes to you now: "
    "speak of your owner by name, and of no tools or escalations."
)
"""The line of a turn's instructions that tells the agent that it is not its owner who asks."""
MESSAGES_ONLY = (
    "Where no language model answers, guests are told nothing from the notes: "
    "their message is taken for the owner."
)
"""The line of a turn's instructions that rules follow where a link has a policy of its own,
which only a language model can obey.
"""
CLOCK = "It is now {now} ({zone})."
"""The last line of a turn's instructions."""
_BEGINS = re.compile(
    r"(?:^|[.!?;:](?=\s)|[。！？：；])\s*(?:[-*+]\s+)?(?i:please,? |always |bitte "
    r"|immer |toujours |siempre |por favor,? |请)*",
    re.MULTILINE,
)
MOST_SENTENCES = 500
MOST_WORDS = 8
_MARKS = r"[\"“„«「『]"
_NAME = (
    rf"(?:{_MARKS}\s?(?P<quoted>[^\"“”„«»「」『』\n]{{1,40}}?)\s?[\"”“»」』]"
    r"|(?P<name>[^\W\d_a-zß-öø-ÿ][^\s.,;:!?\"“”]{0,39}(?: "
    r"[^\W\d_a-zß-öø-ÿ][^\s.,;:!?\"“”]{0,39})?))"
)
_HAN_NAME = (
    r"[「『“\"]?(?P<name>[^\s。！，、？「」『』“”\".,!?]{1,12}?)[」』”\"]?"
    r"(?:就好|就行|吧|即可)?(?=[\s。！，,.]|$)"
)
_PERSON = (
    r"(?i:call me|address me as|nenne? mich|sprich mich "
    rf"mit|appelle[sz]?-moi|llámame) (?i:just |simply |einfach )?{_NAME}",
    rf"叫我{_HAN_NAME}",
    r"[「『“\"]?(?P<name>[^\s。！，、？「」『』“”\"は]{1,12})[」』”\"]?と呼んで",
    r"(?i:my name is|i am called|mein name ist|ich heiße|je m'appelle|mon nom "
    rf"est|me llamo|mi nombre es) {_NAME}",
    rf"我叫{_HAN_NAME}",
)
_AGENT = (
    r"(?i:your name is|you are called|your name shall be|dein name ist|du "
    rf"heißt|ton nom est|tu t'appelles|tu nombre es|te llamas) {_NAME}",
    rf"(?:你叫|你的名字是){_HAN_NAME}",
    r"あなたの名前は[「『“\"]?(?P<name>[^\s。！，、？「」『』“”\"]{1,12}?)[」』”\"]?(?:です|だ)?(?=[\s。！]|$)",
    r"(?i:you are) (?P<name>[A-Z][\w'-]{0,39})(?=[.,;!\n]|$)",
)
_LANGUAGES = {
    "en": "english|englisch|anglais|inglés|英文|英语|英語",
    "de": "german|deutsch|allemand|alemán|德文|德语|ドイツ語",
    "fr": "french|französisch|français|francés|法文|法语|フランス語",
    "es": "spanish|spanisch|espagnol|español|西班牙文|西班牙语|スペイン語",
    "zh": "chinese|chinesisch|chinois|chino|中文|汉语|中国語",
    "ja": "japanese|japanisch|japonais|japonés|日文|日语|日本語",
}
_SOME_LANGUAGE = f"({'|'.join(_LANGUAGES.values())})"
_LANGUAGE = (
    r"(?i:(?:answer|reply|respond|write|speak)(?: to me| me)?(?: always| only)? "
    rf"in {_SOME_LANGUAGE}\b|(?:preferred )?language: ?{_SOME_LANGUAGE}\b)",
    r"(?i:(?:antworte|schreibe?|sprich)(?: mir| mit mir)?(?: immer| bitte| nur)? "
    rf"(?:auf |in )?{_SOME_LANGUAGE}\b|sprache: ?{_SOME_LANGUAGE}\b)",
    r"(?i:(?:répond[sz]?|répondez|écris|parle)(?:-moi| moi)?(?: toujours)? en "
    rf"{_SOME_LANGUAGE}\b|langue ?: ?{_SOME_LANGUAGE}\b)",
    r"(?i:(?:responde|respóndeme|contesta|escribe|habla)(?:me)?(?: siempre)? en "
    rf"{_SOME_LANGUAGE}\b|idioma: ?{_SOME_LANGUAGE}\b)",
    rf"用{_SOME_LANGUAGE}(?:回答|回复|答复)",
    rf"{_SOME_LANGUAGE}で(?:答え|返事|回答|返信)",
)
_BRIEF = (
    r"(?i:be (?:very )?(?:brief|short|concise|terse)\b|keep (?:it|answers|your "
    r"answers|replies) (?:brief|short|concise)\b|short answers\b)",
    r"(?i:fass dich kurz\b|antworte (?:immer )?(?:kurz|knapp)\b|halte "
    r"(?:dich|deine antworten) kurz\b|kurze antworten\b)",
    r"(?i:sois (?:bref|concis)\b|répond[sz]? brièvement\b|sé "
    r"(?:breve|conciso)\b|responde (?:brevemente|de forma breve)\b)",
    r"(?:回答|回复)?(?:要|请)?简[短洁](?:回答)?|簡潔に|手短に",
)


class Persona(NamedTuple):
    """What to call the person and the agent, which language to answer in, and whether to be brief.

    Empty where nothing is stated.

    `owner` is the owner's name where somebody else asks, and empty where it is the owner;
    `username` is theirs too. With `messages_only` nothing is answered, and what is written is
    taken for the owner.
    """

    person: str = ""
    agent: str = ""
    language: str = ""
    brief: bool = False
    owner: str = ""
    username: str = ""
    messages_only: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """What somebody else may call the owner.

        The name, each word of it, and the username; nothing where it is the owner who asks.
        """
        words = (word for word in self.owner.split()[:MOST_WORDS] if len(word) > 1)
        return tuple(dict.fromkeys((self.owner, *words, self.username))) if self.owner else ()


NOBODY = Persona()


def read_persona(instructions: str) -> Persona:
    """Return what a turn's instructions state.

    The settings' name of the agent, who asks, and below that what the owner's words say.
    """
    before, _, after = instructions.partition(HEAD)
    words = after.rpartition(f"\n{CLOCK.partition('{')[0]}")[0] or after
    found = _persona_of_words(_text_between(CALLED.split("{name}"), before), words)
    owner, _, username = (
        _text_between(OTHER.split("{name} (@{username})"), before)
        .removesuffix(")")
        .rpartition(" (@")
    )
    if not owner:
        return found
    return found._replace(
        person="",
        owner=owner,
        username=username,
        messages_only=MESSAGES_ONLY in instructions.split("\n"),
    )


def _text_between(ends: Sequence[str], lines: str) -> str:
    """Return what stands between a line's beginning and its end.

    Empty where there is no such line.
    """
    begin, end = ends
    found = next(
        (line for line in lines.split("\n") if line.startswith(begin) and line.endswith(end)), ""
    )
    return found.removeprefix(begin).removesuffix(end)


@functools.lru_cache(maxsize=64)
def _persona_of_words(named: str, words: str) -> Persona:
    begins = [found.end() for found in itertools.islice(_BEGINS.finditer(words), MOST_SENTENCES)]
    if not begins or not words:
        return Persona(agent=named)
    brief = next(_find_statements(_BRIEF, words, begins), None) is not None
    return Persona(
        _first_name(_PERSON, words, begins),
        _first_name(_AGENT, words, begins) or named,
        _wanted_language(words, begins),
        brief,
    )


def _first_name(patterns: tuple[str, ...], words: str, begins: Sequence[int]) -> str:
    """Return the name that the first pattern finds."""
    found = next(_find_statements(patterns, words, begins), None)
    return (
        ""
        if found is None
        else next((value for value in found.groupdict().values() if value), "").strip()
    )


def _wanted_language(words: str, begins: Sequence[int]) -> str:
    found = next(_find_statements(_LANGUAGE, words, begins), None)
    if found is None:
        return ""
    said = next(value for value in found.groups() if value).lower()
    return next(language for language, names in _LANGUAGES.items() if said in names.split("|"))


def _find_statements(
    patterns: tuple[str, ...], words: str, begins: Sequence[int]
) -> Iterator[re.Match[str]]:
    """Yield where a sentence begins with one of the patterns, in their order."""
    for pattern in map(re.compile, patterns):
        yield from (found for at in begins if (found := pattern.match(words, at)))
