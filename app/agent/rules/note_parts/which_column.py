"""The question which column of a row a new value is for, and what its answer changes.

“12:30 now” after the row of a dog was told may be when it comes, or when it is fetched.
"""

from app.agent.rules.answers.item_changes import Held
from app.agent.rules.changes.marked import Marked
from app.agent.rules.dialogue import dialogue_words
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.note_parts import cell_values, cells
from app.agent.rules.passages import questions, tables
from app.agent.rules.passages.sentences import fold_text
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Question, Step, Trace

LACKS = "column"
MOST = 4
"""So many columns are asked about at most."""
WORDS, LETTERS = 5, 12
"""So many words, or letters where no spaces part words, has an answer at most."""


def ask(looked: Asked, held: Held, language: Language) -> Step | None:
    """Return the question which column a message means, where it says no more than a new value for
    a row, and that may be for several; None where it says more.
    """
    found = cells.unsure(looked, held, language)
    if found is None or found[2] or len(found[1]) > MOST:
        return None
    row, values, _ = found
    old, told = tables.cells(row.text), (looked.earlier[0].section if looked.earlier else "")
    says_now = cells.says_now(language).search(Marked(looked.message).text)
    if not (says_now or told == old[0] or cell_values.says(looked.message, row.label)):
        return None
    names = [row.columns[one.column] for one in values]
    listed = ", ".join(
        f"{row.columns[one.column]} ({old[one.column]})"
        if old[one.column]
        else row.columns[one.column]
        for one in values
    )
    wish = Route("replace_text", language, {}, (held.thing,))
    text = wish.phrase("which_column", row=row.label, to=values[0].text, columns=listed)
    arguments = {
        "old": row.text,
        "note": f"{held.thing.id}",
        "title": held.thing.title,
        "columns": "\n".join(names),
        "from": "\n".join(old[one.column] for one in values),
        "to": "\n".join(one.text for one in values),
        "new": "\n".join(cells.written(row, one) for one in values),
    }
    asks = Question("replace_text", arguments, lacks=LACKS)
    trace = Trace(intent="replace_text", language=language, about=(held.thing,), asks=asks)
    return Step(text, trace=trace)


def answered(asked: Asked, language: Language) -> Route | None:
    """Return the change that a message chooses after such a question: by the name of a column, by
    what it has now, or “the first one”; None where it chooses none.
    """
    last = asked.earlier[0] if asked.earlier else Trace()
    if last.asks is None or last.asks.lacks != LACKS or len(last.about) != 1:
        return None
    size = len(asked.message) if questions.is_asian(asked.message) else len(asked.message.split())
    if size > (LETTERS if questions.is_asian(asked.message) else WORDS) or "?" in asked.message:
        return None
    held = {
        name: last.asks.arguments[name].split("\n") for name in ("columns", "from", "to", "new")
    }
    names, text = held["columns"], asked.message
    meant = [at for at in range(len(names)) if cells.names_column(text, names, at)]
    meant = meant or [at for at, one in enumerate(held["from"]) if cell_values.says(text, one)]
    number = dialogue_words.ordinal(language, fold_text(text))
    if not meant and number is not None and 0 < number <= len(names):
        meant = [number - 1]
    if len(meant) != 1:
        return None
    said = {name: held[name][meant[0]] for name in ("from", "to", "new")}
    arguments = {"old": last.asks.arguments["old"], **said}
    return Route("replace_text", last.language or language, arguments, last.about)
