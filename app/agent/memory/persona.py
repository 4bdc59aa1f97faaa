"""What the rules can follow of the owner's words.

Names, the language of answers, and whether to be brief, where that is simply stated.
"""

import functools
import itertools
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import PersonaWords

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
MOST_SENTENCES = 500
MOST_WORDS = 8
_NAME = (
    r"(?:[\"“„«「『]\s?([^\"“”„«»「」『』\n]{1,40}?)\s?[\"”“»」』]"
    r"|([^\W\d_a-zß-öø-ÿ][^\s.,;:!?\"“”]{0,39}(?: [^\W\d_a-zß-öø-ÿ][^\s.,;:!?\"“”]{0,39})?))"
)
_HAN_NAME = (
    r"[「『“\"]?([^\s。！，、？「」『』“”\".,!?]{1,12}?)[」』”\"]?"
    r"(?:就好|就行|吧|即可)?(?=[\s。！，,.]|$)"
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


def tells_name(words: str) -> bool:
    """Return whether words begin with what the person is to be called, as “Call me Ines” does."""
    begins = [found.end() for found in itertools.islice(_sentence_start().finditer(words), 1)]
    return any(_first_group(field, words, begins) for field in ("call_me", "my_name"))


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
    found = itertools.islice(_sentence_start().finditer(words), MOST_SENTENCES)
    begins = [one.end() for one in found]
    if not begins or not words:
        return Persona(agent=named)
    wanted = _first_group("answer_in", words, begins).lower()
    return Persona(
        # What to be called is a wish, a name only a fact: so the wish goes first.
        _first_group("call_me", words, begins) or _first_group("my_name", words, begins),
        # “You are” may be followed by anything, so a name that is called so comes before it.
        _first_group("your_name", words, begins) or _first_group("you_are", words, begins) or named,
        next((code for code, names in _language_names().items() if wanted in names), ""),
        any(_pattern("brief").match(words, at) for at in begins),
    )


def _first_group(field: str, words: str, begins: Sequence[int]) -> str:
    """Return what the first sentence says that begins with a pattern of any language."""
    found = next(filter(None, (_pattern(field).match(words, at) for at in begins)), None)
    return next(filter(None, found.groups()), "").strip() if found else ""


@functools.cache
def _sentence_start() -> re.Pattern[str]:
    courtesy = language_data.any_of(PersonaWords, lambda one: one.courtesy)
    end = r"(?:^|[.!?;:](?=\s)|[。！？：；])"
    return re.compile(rf"{end}\s*(?:[-*+]\s+)?(?i:{courtesy})*", re.MULTILINE)


@functools.cache
def _pattern(field: str) -> re.Pattern[str]:
    names = "|".join(name for names in _language_names().values() for name in names)
    macros = {"name": _NAME, "han_name": _HAN_NAME, "language": f"({names})"}
    pattern = language_data.any_of(PersonaWords, lambda one: getattr(one, field))
    return re.compile(language_data.expand_macros(pattern, macros))


@functools.cache
def _language_names() -> Mapping[str, tuple[str, ...]]:
    tables = language_data.of_all(PersonaWords)
    return {
        code: tuple(
            name for one in tables for name in one.languages.get(code, "").split("|") if name
        )
        for code in language_data.languages()
    }
