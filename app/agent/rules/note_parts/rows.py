"""Rows of a table that a message adds as a whole, or takes out by their names.

“One more for the orders: Lindner, 2, Friday” has a value for each column; “Carol has cancelled,
take her row out” names a row and says that it goes.
"""

import re
from collections.abc import Sequence

from app.agent.rules.answers.item_changes import Held
from app.agent.rules.changes.marked import Marked, words_of
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.languages.plain_tables import PlainWords
from app.agent.rules.listed import list_words
from app.agent.rules.note_parts import cell_values, cells, said_rows
from app.agent.rules.passages import new_rows, note_lines, questions, tables
from app.agent.rules.passages.note_lines import Line
from app.agent.rules.passages.sentences import fold_text, stem
from app.agent.rules.reader import reader
from app.agent.rules.routing import routing
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Call, Question, Step, Thing, Trace

LEAST = 3
"""So many columns has a table at least whose row is known by its values alone."""
NAMES = frozenset({"item", "text", "name", "title", "step", "target"})
"""The slots that may hold the name of a new row."""
WORDS, LETTERS = 3, 8
"""So many words, or letters where no spaces part words, has such a name at most."""
LIMIT = 40
_CLAUSES = re.compile(r"[,;.!?，、；。！？…–—]+\s*")
_DENIED = re.compile(r"ない(?:で|よ)|ちゃ(?:だめ|ダメ|いけ)|別|不要|先不")
_COLON = re.compile(r"[:：](?!\d)")
_END = re.compile(r"(?<=[^\W\d]{3})[.!]\s|[。！]")
_PARTS = re.compile(r"\s*(?:(?<!\d),|,(?!\d)|[，、;；])\s*")
_RUN = re.compile(r"[\u30a0-\u30ff]+|[\u3400-\u9fff]+")
_NAMED = re.compile(
    r"[\u30a0-\u30ff]{2,}|[\u3400-\u9fff]{2,}|[^\W\d_\u3040-\u30ff\u3400-\u9fff]{2,}"
)
_EDGES = " \t\n.。!！:："


def may_be_row(message: str) -> bool:
    """Return whether a message has so many parts that they may be the values of a row."""
    return len(_PARTS.split(message)) >= LEAST


def says_removed(message: str, language: Language) -> bool:
    """Return whether a message says that a row goes, or something out of a table."""
    return bool(_row(language).search(Marked(message).text) and removes(message, language))


def _row(language: Language) -> re.Pattern[str]:
    return language_data.line_words(language, "row")


def removes(message: str, language: Language) -> bool:
    """Return whether a message asks for something to be taken out, and no clause that does so
    denies it: “don't take it out”.
    """
    cue, words = list_words.words_of(language).cues["remove"], words_of(language)
    asking = [one for one in _CLAUSES.split(Marked(message).text) if cue.search(one)]
    return bool(asking) and not any(
        words.denies.search(one) or _DENIED.search(one) for one in asking
    )


def removed(looked: Asked, held: Held, language: Language) -> Route | None:
    """Return the change of a table that loses the one row that a message names."""
    if not removes(looked.message, language):
        return None
    lines = [one for one in note_lines.read(str(held.record["markdown"])) if one.columns]
    row = said_rows.find_row(looked, lines, held, language)
    if row is None and _points_back(looked.message, language):
        row = said_rows.told(looked, lines, held)
    if row is None or not row.label or _names_another(looked.message, row, lines):
        return None
    if _says_else(looked.message, f"{row.text} {held.thing.title}", language):
        return None  # “drop Frank a line”
    if not says_removed(looked.message, language) and any(
        cells.names_column(looked.message, row.columns, at) for at in range(1, len(row.columns))
    ):
        return None  # “take the shirt number of Frank out”
    rows = str(held.record["markdown"]).split("\n")
    places = {one.place for one in held.items if one.title == row.label}
    is_row = says_removed(looked.message, language)
    if rows.count(row.text) != 1 or not (is_row or places <= {rows.index(row.text)}):
        return None  # an item of a list may be called so, too
    arguments = {"remove": row.label, "row": row.text}
    return Route("change_items", language, arguments, (held.thing,))


def taken_from(asked: Asked, language: Language) -> Thing | None:
    """Return the note out of which the turn before has taken a row, where a message may say the
    same of another.
    """
    text = asked.message
    size = len(text) if questions.is_asian(text) else len(text.split())
    most = LETTERS * 2 if questions.is_asian(text) else WORDS * 2
    if size > most or not language_data.line_words(language, "as_well").search(Marked(text).text):
        return None
    last = asked.earlier[0] if asked.earlier else Trace()
    is_gone = last.intent == "change_items" and "row" in last.arguments and last.undo
    return last.about[0] if is_gone and len(last.about) == 1 else None


def one_more(looked: Asked, held: Held, language: Language) -> Route | None:
    """Return the change of a table that loses another row: “Paul too” after one was taken out."""
    also, text = language_data.line_words(language, "as_well"), Marked(looked.message).text
    name = also.sub(" ", text).strip(f"{_EDGES},，、")
    markdown = str(held.record["markdown"])
    rows = [
        one
        for one in note_lines.read(markdown)
        if one.columns
        if name in (plain_letters(cell).lower() for cell in tables.cells(one.text))
        if any(map(str.isalpha, name))
    ]
    if len(rows) != 1 or markdown.split("\n").count(rows[0].text) != 1:
        return None
    arguments = {"remove": rows[0].label, "row": rows[0].text}
    return Route("change_items", language, arguments, (held.thing,))


def look(asked: Asked, language: Language) -> Call | None:
    """Return the call that looks for the row that a message takes out, be it of whatever note: of
    one with a word that is neither of the row nor asks for that; None where there is none.
    """
    if not says_removed(asked.message, language) or _points_back(asked.message, language):
        return None
    words = _NAMED.findall(_asking_gone(asked.message, language))
    words = [one for one in words if questions.is_asian(one) or note_lines.content(one)]
    either = "|".join(map(re.escape, dict.fromkeys(words)))
    fields = {"pattern": f"(?i)({either})", "mode": "regex", "limit": LIMIT}
    return ("grep_notes", fields) if words else None


def found(looked: Asked, language: Language) -> tuple[Thing, ...]:
    """Return the one note of all with a row of which a message says a cell as a whole, as what goes
    out of it; none where several have one, and none or several are named.
    """
    call, said = look(looked, language), fold_text(looked.message)
    places = {
        (Thing("note", row["noteId"], row["title"]), match["text"])
        for result in looked.of("grep_notes")
        if (result.tool, result.arguments) == call and not result.failed
        for row in result.content.get("results", ())
        for match in row["matches"]
        if match["text"].lstrip().startswith("|")
        for cell in tables.cells(match["text"])
        if len(cell) > 1 and any(map(str.isalpha, cell))
        if note_lines.places(fold_text(cell)).search(said)
    }
    named = {one for one in places if len(places) > 1 and fold_text(one[0].title) in said}
    places = named or places
    return tuple(note for note, _ in places) if len(places) == 1 else ()


def ask(wish: Route, held: Held) -> Step:
    """Return the question whether a row is to be taken out of a note that nobody has named."""
    row = " | ".join(filter(None, tables.cells(wish.get("row"))))
    told = f"{wish.phrase('taken_off_whether', item=row)} ({held.link})"
    means = language_data.load_table(wish.language, PlainWords).means
    asks = Question(wish.intent, dict(wish.arguments), lacks="yes", choices=wish.things)
    trace = Trace(intent=wish.intent, language=wish.language, asks=asks)
    return Step(means.replace("{plain}", told), trace=trace)


def names_row(title: str, language: Language) -> bool:
    """Return whether a title has a word for a row itself."""
    return _row(language).search(Marked(title).text) is not None


def _points_back(message: str, language: Language) -> bool:
    """Return whether a message takes out a row and says no more of it: “take his row out”."""
    if not says_removed(message, language):
        return False
    left = _asking_gone(message, language)
    if questions.is_asian(message):
        return not any(len(one) > 1 for one in _RUN.findall(left))
    return not note_lines.content(left) and not re.search(r"\d", left)


def _asking_gone(message: str, language: Language) -> str:
    """Return the words of the clause by which a row goes but those that ask for that."""
    cue, kept = list_words.words_of(language).cues["remove"], list[str]()
    for clause in _CLAUSES.split(message):
        marked = Marked(clause)
        if cue.search(marked.text):
            for pattern in (cue, _row(language), words_of(language).courtesy):
                marked.fit(pattern, "p")
            kept.append(marked.left(words_of(language)))
    return " ".join(kept)


def _says_else(message: str, known: str, language: Language) -> bool:
    """Return whether the clause by which a row goes has a word that is neither of the row, nor asks
    for that.
    """
    if questions.is_asian(message):
        return False
    left = note_lines.content(_asking_gone(message, language))
    return bool(left - note_lines.content(known))


def _names_another(message: str, row: Line, lines: Sequence[Line]) -> bool:
    """Return whether a message says the name of another row, too: “take Sam's row out, and Ana's”;
    one whose name is part of that of the row is none.
    """
    rest = fold_text(message).replace(fold_text(row.label), " ", 1)
    labels = [one.label for one in lines if one.label and one.label != row.label]
    return any(note_lines.places(fold_text(one)).search(rest) for one in labels)


def added(looked: Asked, held: Held, language: Language) -> Route | None:
    """Return the new row of the table in which a note ends, where a message has a value for each
    of its columns.
    """
    markdown = str(held.record["markdown"]).rstrip()
    found = tables.find(markdown)
    if not found or found[-1].end != len(markdown) or len(found[-1].header) < LEAST:
        return None
    header = found[-1].header
    parts = _parts(looked, held, len(header), language)
    others = [tables.cells(one) for one in markdown[found[-1].start : found[-1].end].splitlines()]
    row = [_value(part, name) for part, name in zip(parts, header, strict=False)]
    if len(row) != len(header) or not others:
        return None
    columns = [[one[at] for one in others if at < len(one)] for at in range(len(header))]
    row = [*map(cell_values.bare_number, row, columns)]
    if not all(map(new_rows.is_alike, row, columns)):
        return None
    values = [
        cell_values.as_before(value, column).replace("|", "\\|")
        for value, column in zip(row, columns, strict=True)
    ]
    arguments = {"text": ", ".join(values), "row": f"| {' | '.join(values)} |"}
    return Route("append_note", language, arguments, (held.thing,))


def _parts(looked: Asked, held: Held, count: int, language: Language) -> list[str]:
    """Return the values of a row: what stands after a colon in one sentence, else the clauses of a
    message. The first value may be the name in what stands before all others.
    """
    message = looked.message
    colon = _COLON.search(message)
    lead, text = (message[: colon.start()], message[colon.end() :]) if colon else ("", message)
    text = _END.split(text)[0].strip(_EDGES)
    parts = [one for one in _PARTS.split(text) if one and _left(one, language)]
    if colon:
        if len(parts) == count - 1:
            return [_name_in(looked, held, _PARTS.split(lead)[-1], language), *parts]
        return parts
    if len(parts) == count + 1:
        return parts[1:]
    return [_name_in(looked, held, parts[0], language), *parts[1:]] if parts else []


def _name_in(looked: Asked, held: Held, lead: str, language: Language) -> str:
    """Return the name of a new row in words that ask for one: what they were read to write, else
    what is left without the words that only ask; empty where a sentence is left.
    """
    at = looked.message.find(lead)
    title = note_lines.content(held.thing.title)
    for said in reader.read(looked, (), language).likely:
        for one in said.spans:
            name = looked.message[one.start : one.end]
            is_within = at <= one.start and one.end <= at + len(lead)
            if one.slot in NAMES and is_within and not note_lines.content(name) & title:
                return routing.trim_name(name.strip(_EDGES))
    left = _left(lead, language)
    is_name = len(left) <= LETTERS if questions.is_asian(left) else len(left.split()) <= WORDS
    is_name = is_name and left in lead and not note_lines.content(left) & title
    return routing.trim_name(left) if is_name else ""


def _left(text: str, language: Language) -> str:
    """Return a text without the words that only ask for something to be added to a table."""
    words, marked = list_words.words_of(language), Marked(text)
    for pattern in (words.table, words.place, words.cues["add"], words.also["add"]):
        marked.fit(pattern, "p")
    return marked.left(words_of(language)).strip(_EDGES)


def _value(part: str, name: str) -> str:
    """Return what a part says of a column, without the name of that: “due” of “subs due”."""
    if questions.is_asian(part):
        held = fold_text(part)
        return part[len(name) :].strip(" 是为は") if held.startswith(fold_text(name)) else part
    words, names = part.split(), _stems(name)
    return " ".join(words[1:]) if len(words) > 1 and _stems(words[0]) <= names else part


def _stems(text: str) -> set[str]:
    return {stem(one) for one in re.findall(r"\w+", fold_text(text))}
