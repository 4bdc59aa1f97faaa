"""The items of a note that a message takes off, where it seems to delete the note or untag it.

“He has the head torch, cross it off” after the line “Ben: a thermos, a head torch” was told.
"""

from app.agent.rules.answers import item_changes
from app.agent.rules.answers.item_changes import Held, Item
from app.agent.rules.changes.marked import Marked
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.listed import list_words, named_items
from app.agent.rules.passages import note_lines, questions
from app.agent.rules.passages.sentences import fold_text
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step, Thing


def ask_removed(asked: Asked, note: Thing, language: Language) -> Step | None:
    """Return the question whether the items of a note that a message names whole are to be taken
    off it, or the step that reads the note; None where it names none, or asks for nothing of that.
    """
    cue = list_words.words_of(language).cues["remove"]
    if note.kind != "note" or not cue.search(Marked(asked.message).text):
        return None
    held = item_changes.read(asked, note)
    if not isinstance(held, Held):
        return held
    items = [
        one
        for one in named_items.mark_named(Marked(asked.message), held.items)
        if _is_whole(one, asked.message, note.title)
    ]
    if not items:
        return None
    changes = {one.place: "remove" for one in items}
    return item_changes.ask_changes(Route("change_items", language, {}, (note,)), held, changes)


def _is_whole(item: Item, message: str, title: str) -> bool:
    """Return whether a message has all words of an item, which are no mere part of a title."""
    if questions.is_asian(item.title):
        name = fold_text(item.title).strip()
        return name in fold_text(message) and name not in fold_text(title)
    words = note_lines.content(item.title)
    return bool(words) and words <= note_lines.content(message) - note_lines.content(title)
