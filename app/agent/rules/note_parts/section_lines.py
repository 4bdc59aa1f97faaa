"""The line of a section that a message changes: “Hugo is a 36 now” of the shoes under “Hugo”.

The section is the one that the message names, else the one that was told just before; the line is
the one that it names, else the one that was told, be it of another section.
"""

import re
from collections.abc import Sequence

from app.agent.quickadd import quickadd
from app.agent.rules.answers.item_changes import Held
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.listed import changed_lines, fitting_numbers
from app.agent.rules.listed.fitting_numbers import Place
from app.agent.rules.note_parts import cell_values
from app.agent.rules.note_parts.cells import Changed, begins_else
from app.agent.rules.passages import named_rows, named_sections, note_lines, questions
from app.agent.rules.passages.named_sections import Section
from app.agent.rules.passages.note_lines import Amount, Line
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Trace

_SIZE = re.compile(r"(?<![\w'’.-])(?:X{0,3}[SL]|M)(?![\w'’.-])")


def change(looked: Asked, held: Held, language: Language) -> Changed | None:
    """Return the change of the one line of a section that a message means; None where it means
    none, or may mean several.
    """
    last = looked.earlier[0] if looked.earlier else Trace()
    markdown = str(held.record["markdown"])
    sections = named_sections.read(markdown) if held.thing in last.about else []
    named = named_sections.named_in(looked.message, sections)
    meant = named or [one for one in sections if one.name == last.section]
    if len(meant) != 1:
        return None
    section = meant[0]
    own, text = markdown[section.start : section.end], looked.message
    line = _line(own, text, section, "") or _line(own, text, section, last.field)
    is_told = line is not None and _line(own, text, section, "") is None
    found = _changed(looked, line, language) if line else None
    if line is None or found is None:
        return None
    old, new = found
    # what stands under several headings is told apart by its own
    lead = markdown[section.start : markdown.index(line.text, section.start)]
    if markdown.count(line.text) == 1:
        lead = ""
    if markdown.count(lead + line.text) != 1:
        return None
    changed = f"{line.text[: new.start]}{new.text}{line.text[new.end :]}"
    arguments = {"old": lead + line.text, "new": lead + changed, "from": old, "to": new.text}
    place = looked.message.rfind(new.text)
    rest = f"{looked.message[:place]} {looked.message[place + len(new.text) :]}"
    known = f"{section.name} {line.text} {held.thing.title}"
    left = frozenset(note_lines.left_of_title(rest, known))
    if questions.is_asian(rest):
        letters = {*re.findall(r"[\u30a0-\u30ff\u3400-\u9fff]", rest)} - {*known}
        left = frozenset(sorted(letters)[::2])  # two letters are about a word
    route = Route("replace_text", language, arguments, (held.thing,))
    is_else = begins_else(looked.message[: max(place, 0)], left, language)
    tells_old = cell_values.says(rest, old)
    place_of = Place(old, (), line.label, known, is_named=not is_told)
    fit = fitting_numbers.fit(text, new.text, place_of, language)
    return Changed(route, left, tells_old, bool(named), is_told, is_else, fit)


def _line(own: str, message: str, section: Section, field: str) -> Line | None:
    """Return the one line of a section that a message names, else the one that was told."""
    lines = [one for one in note_lines.read(own) if one.label and not one.columns]
    said = named_rows.read_said(message.replace(section.name, " "))
    named = [one for one in lines if named_rows.is_said(one.label, said)]
    named = named or [one for one in lines if named_rows.is_near(one.label, said)]
    found = named or [one for one in lines if one.label == field]
    return found[0] if len(found) == 1 else None


def _changed(looked: Asked, line: Line, language: Language) -> tuple[str, Amount] | None:
    """Return the old value of a line and the new one in its place: a number for the only number, or
    a size such as “L” for another.
    """
    message = looked.message
    if _SIZE.fullmatch(line.value.strip()):
        sizes = _SIZE.findall(message)
        start = line.text.rindex(line.value.strip())
        old = line.value.strip()
        is_new = len(sizes) == 1 and sizes[0] != old
        return (old, Amount(sizes[0], start, start + len(old), "")) if is_new else None
    spans = quickadd.read_line(message, now=looked.now, locale=language).spans
    days = [(one.start, one.end) for one in spans if one.kind in ("date", "time")]
    new = _outside(note_lines.amounts(message), days)
    if len(new) != 1:
        return None
    old_amount = note_lines.only_amount(line, new[0].unit)
    found = changed_lines.with_amount(line, new[0], message, is_sure=True)
    if old_amount is None or found is None:
        return None
    old, to = found.replaced
    return old, Amount(to, old_amount.start, old_amount.end, "")


def _outside(amounts: Sequence[Amount], days: Sequence[tuple[int, int]]) -> list[Amount]:
    """Return the amounts that are no part of a day or a time."""
    return [
        one
        for one in amounts
        if not any(start < one.end and one.start < end for start, end in days)
    ]
