"""A text after a colon of which the words before it say in which note it goes.

“Add at the bottom: …”, “in his vet note: …”, “in the note about that hive: …”: the note that these
words name, else the one spoken of last.
"""

import re
from collections.abc import Callable

import msgspec

from app.agent.rules.answers import targets
from app.agent.rules.changes import last_spoken, named, reused, texts
from app.agent.rules.changes import marked as changed
from app.agent.rules.changes.marked import Marked
from app.agent.rules.dialogue import references
from app.agent.rules.languages import language_data
from app.agent.rules.languages.change_tables import ChangeKind, Changes
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.list_tables import Lists
from app.agent.rules.listed import list_words
from app.agent.rules.near import near
from app.agent.rules.passages.sentences import split_words, stem
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step, Thing

Act = Callable[[Asked, Route], Step]
MAY = frozenset(
    "add_todo make_note append_note ask cannot message tell_view remember change_todo show_note"
    " move_note list_todos todo_state".split()
)
"""What a message may only seem to be that writes into a note."""
LONGEST_HEAD = 80
OTHERS: tuple[ChangeKind, ...] = ("todo", "todos", "step", "tag", "rename", "folder")
"""The changes whose words before a colon say that the text is something else."""


def may_write(asked: Asked, route: Route) -> bool:
    """Return whether the words before a colon may mean a note, so that it is looked up."""
    language = route.get("written") or route.language
    return route.intent in MAY and not route.things and _may(asked.message, language)


def write(asked: Asked, route: Route, act: Act) -> Step | None:
    """Return the step that writes a text into the note that the words before its colon mean, or
    asks; None where they say of no note that it goes there.
    """
    language = route.get("written") or route.language
    if not near.has_looked(asked):
        return Step(calls=near.looks(asked))
    head, text = _parted(asked.message)
    is_said = list_words.words_of(language).into.search(head.text) is not None
    if route.intent == "message" and not is_said:
        return None
    part = msgspec.structs.replace(asked, message=head.message)
    meant = _meant(part, head, language, is_said=is_said)
    if not (meant or is_said):
        return None
    wish = Route("append_note", route.language, {"text": text}, meant[:1])
    if len(meant) != 1:
        wish = msgspec.structs.replace(wish, things=())
        return targets.ask_which(wish, meant) if meant else targets.ask_what(wish)
    if not _is_covered(head, language):
        return near.ask_whole(wish)
    return reused.reuse(asked, lambda part: act(part, wish))


def _may(message: str, language: Language) -> bool:
    """Return whether the words before a colon say that the text goes into a note."""
    if not all(language_data.has_table(language, one) for one in (Lists, Changes)):
        return False
    head, text = _parted(message)
    words, changes = list_words.words_of(language), changed.words_of(language)
    if not text or len(head.text) > LONGEST_HEAD or "\n" in head.text or not changes.spaced:
        return False
    if changes.denies.search(head.text) or any(
        changes.cues[one].search(head.text) for one in OTHERS
    ):
        return False
    is_written = changes.cues["append"].search(head.text)
    onto = is_written and changed.any_place(changes.onto).search(head.text)
    return bool(onto or words.into.search(head.text))


def _parted(message: str) -> tuple[Marked, str]:
    """Return what stands before and after the first colon."""
    head, _, text = re.sub(r"\s*:\s+", "\0", message, count=1).partition("\0")
    return Marked(head), text.strip()


def _meant(asked: Asked, head: Marked, language: Language, *, is_said: bool) -> tuple[Thing, ...]:
    """Return the notes that words name, of several those with a word of what was spoken of last;
    where they name none what that was, if it `is_said` that they are about a note.
    """
    last, words = asked.earlier[:1], changed.words_of(language)
    found = named.find(asked, head, near.things(asked), last_spoken.NOTES, language)
    if not is_said and not (found and named.beside(head, found[0], words.onto, words)):
        return ()
    if not found:
        spoken = references.newest(asked, last_spoken.NOTES).things
        return spoken or next((references.notes_told(one) for one in last), ())
    head.mark([found[0][1:]], named.NAME)
    spoken = tuple(thing for one in last for thing in (*one.about, *one.shown))
    of_last = {stem(word) for thing in spoken for word in split_words(thing.title)}
    said = {stem(word) for word in split_words(head.message)}
    shares = {
        one: len(of_last & {stem(word) for word in split_words(one.title)} - said)
        for one in found[0].things
    }
    most = max(shares.values())
    return tuple(one for one, share in shares.items() if share == most)


def _is_covered(head: Marked, language: Language) -> bool:
    """Return whether all words before a colon only say that and where something is written."""
    words, changes = list_words.words_of(language), changed.words_of(language)
    for pattern in (changes.cues["append"], words.cues["add"], words.also["add"], words.into):
        head.fit(pattern, "p")
    return texts.is_covered(head, changes, "append")
