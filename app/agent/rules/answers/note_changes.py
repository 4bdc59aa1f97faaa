"""Changes of notes: write, add to, tick, name, tag, pin and move notes."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

import msgspec

from app.agent.rules.answers import folder_changes, list_answers, targets, todo_changes
from app.agent.rules.dialogue import dialogue_words, references, resolve_reference, said_days
from app.agent.rules.languages import language_data
from app.agent.rules.languages.list_tables import Lists
from app.agent.rules.passages import log_lines, new_rows, note_lines, questions, sections, tables
from app.agent.rules.passages.sentences import fold_text, split_sentences
from app.agent.rules.routing import wording
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Call, Step, Thing, Trace, call_tool, mark_of, note_link

LONGEST_TITLE = 120
LONGEST_TOLD = 160
_COMMA = re.compile("[,，、;；]")
_MARK = re.compile(r"^\s*[-*+]\s+(?:\[[ x]\]\s+)?")
"""What stands before the text of an item."""
_NUMBERED = re.compile(r"(\d{1,4})([.)][ \t]+)")
_OPEN_BOX = re.compile(r"^(\s*(?:[-*+]|\d+[.)])\s+\[) (\]\s+)(.*)$")


def make_note(asked: Asked, route: Route) -> Step:
    """Write a note down, in a folder where one is named; without a title its first sentence is
    one.
    """
    if made := asked.of("create_note"):
        note = made[0].content["note"]
        about = (Thing("note", note["id"], note["title"]),)
        trace = Trace(about=about, undo=(("trash_note", {"noteId": note["id"]}),))
        meant = folder_changes.find_meant(asked, route)
        where = route.phrase("in_folder", folder=meant["name"]) if meant else ""
        title = note_link(note["id"], note["title"])
        return Step(route.phrase("noted", title=f"{title}{where}"), trace=trace)
    if asked.refusal:
        return list_answers.tell_refusal(asked, route)
    if route.get("folder") and not asked.has("list_folders"):
        return call_tool("list_folders")
    folder = folder_changes.find_meant(asked, route)
    there = route.get("folder")
    if there and not folder and references.points_there(there, route.language):
        return Step(route.phrase("no_folder", folder=there))
    # What follows “in” is a folder only where there is one of that name.
    content = route.get("content") if folder or not route.get("folder") else route.get("whole")
    title = wording.unquoted(route.get("title")) or _title_of(content)
    place = {"folderId": folder["id"]} if folder else {}
    return call_tool("create_note", title=_line(title) or "Note", content=content, **place)


def _title_of(content: str) -> str:
    """Return the first sentence of a text, at most a line: “Elderflower syrup. 30 flower heads”."""
    line = content.partition("\n")[0].strip()
    found = split_sentences(line)
    return (found[0].text.rstrip(".。") if len(found) > 1 else line)[:LONGEST_TITLE]


def append_note(asked: Asked, route: Route) -> Step:
    """Write a line at the end of the note that is meant; in a list as one more of its items."""
    note = _read_note(asked, route)
    if isinstance(note, Step):
        return note
    if done := asked.of("edit_note"):
        lines = _new_lines(note["markdown"], str(done[0].arguments["content"]))
        kind = "appended_lines" if lines else "appended"
        return _edited(route, done[0].content["note"], kind, lines=lines)
    if asked.refusal:
        return list_answers.tell_refusal(asked, route)
    content = _with_text(asked, route, note)
    # With the revision that was read: a change in between is refused and not overwritten.
    return call_tool("edit_note", noteId=note["id"], content=content, ifRevision=note["revision"])


def _with_text(asked: Asked, route: Route, note: Mapping[str, Any]) -> str:
    """Return a note's Markdown with the text of a wish at its end, or at the end of what stands
    `under` a heading, where it has that once.
    """
    markdown, under = str(note["markdown"]), route.get("under")
    part = sections.named(markdown, under) if under else None
    if part is None:
        return _appended(asked, route, note, markdown)
    held, rest = markdown[part.start : part.end], markdown[part.end :]
    kept = held.rstrip()
    below = _appended(asked, route, note, kept).rstrip("\n")
    if kept:
        return f"{markdown[: part.start]}{below}{held[len(kept) :] or chr(10)}{rest}"
    lead = markdown[: part.start].rstrip("\n")
    return f"{lead}\n\n{below}\n{chr(10) * bool(rest)}{rest}"


def _appended(asked: Asked, route: Route, note: Mapping[str, Any], markdown: str) -> str:
    """Return a part of a note with the text of a wish after it, in the form of its other lines."""
    written = route.get("written") or route.language
    text = route.get("text")
    told = said_days.past_days(asked, text, written)  # “on Saturday I got 2 kg”
    told = told or said_days.past_days(asked, _beside(asked.message, text, note), written)
    day = date.fromisoformat(route.get("day")) if route.get("day") else next(iter(told), None)
    if route.get("row"):
        kept = markdown.rstrip("\n")
        return f"{kept}\n{route.get('row')}\n"
    if log_lines.is_log(markdown):
        return log_lines.add(markdown, text, asked, day)
    if row := new_rows.add(markdown, text, asked, day):
        return row
    if route.get("listed") and not _last_mark(markdown.rstrip("\n")):
        return _listed(markdown, text)
    return append_text(markdown, _parts(markdown, route))


def _beside(message: str, text: str, note: Mapping[str, Any]) -> str:
    """Return a message without what is to be written and without the name of the note, in which a
    day is none: “Friday football”.
    """
    rest = message.replace(text, " ", 1)
    return re.sub(re.escape(str(note["title"])), " ", rest, flags=re.IGNORECASE)


def _new_lines(before: str, after: str) -> str:
    """Return the lines that a note has got, without the marks of a list or the outer ones of a
    table, as an answer tells them; empty where they are too long for that.
    """
    known = set(before.split("\n"))
    added = [_MARK.sub("", one).strip() for one in after.split("\n") if one not in known]
    added = [
        " | ".join(filter(None, tables.cells(one))) if one[:1] == "|" else one for one in added
    ]
    told = ", ".join(filter(None, added))
    return told if len(told) <= LONGEST_TOLD else ""


def replace_text(asked: Asked, route: Route) -> Step:
    """Put another sentence in place of one that stands in the note once."""
    note = _read_note(asked, route)
    if isinstance(note, Step):
        return note
    if done := asked.of("edit_note"):
        said = {"old": route.get("from"), "new": route.get("to")}
        if not route.get("from"):  # a cell that was empty
            row = " | ".join(tables.cells(route.get("new")))
            return _edited(route, done[0].content["note"], "appended_lines", lines=row)
        return _edited(route, done[0].content["note"], "replaced", **said)
    if asked.refusal:
        return list_answers.tell_refusal(asked, route)
    if note["markdown"].count(route.get("old")) != 1:
        return Step(route.phrase("none_fits", words=route.get("from")))
    content = note["markdown"].replace(route.get("old"), route.get("new"))
    return call_tool("edit_note", noteId=note["id"], content=content, ifRevision=note["revision"])


def tick_item(asked: Asked, route: Route) -> Step:
    """Tick the open item of a note's list that the words name."""
    note = _read_note(asked, route)
    if isinstance(note, Step):
        return note
    lines = note["markdown"].split("\n")
    fitting = _items(lines, route.get("text"))
    if done := asked.of("edit_note"):
        item = fitting[0]["title"] if fitting else route.get("text")
        return _edited(route, done[0].content["note"], "ticked", item=item)
    if asked.refusal:
        return list_answers.tell_refusal(asked, route)
    if len(fitting) != 1:
        return Step(route.phrase("none_fits", words=route.get("text")), empty=True)
    number = fitting[0]["line"]
    lines[number] = _OPEN_BOX.sub(r"\1x\2\3", lines[number])
    return call_tool(
        "edit_note", noteId=note["id"], content="\n".join(lines), ifRevision=note["revision"]
    )


def _items(lines: Sequence[str], words: str) -> Sequence[Mapping[str, Any]]:
    """Return the open items that words name; or that they hold as a whole: “the eggs we have”."""
    rows = [
        {"title": found[3], "line": number}
        for number, line in enumerate(lines)
        if (found := _OPEN_BOX.match(line))
    ]
    gap = "" if questions.is_asian(words) else " "
    said = f" {fold_text(words)} "
    held = [row for row in rows if f"{gap}{fold_text(str(row['title']))}{gap}" in said]
    return resolve_reference.fitting_rows(words, rows) or held


def change_note(asked: Asked, route: Route) -> Step:
    """Give the note that is meant another name, or put a tag on it or off."""
    note = _read_note(asked, route)
    if isinstance(note, Step):
        return note
    fields: dict[str, Any] = {}
    if route.get("title"):
        fields = {"title": route.get("title")}
    else:
        # “Take the tag off it”: where there is one, it is that.
        only = note["tags"] if route.get("untag") and len(note["tags"]) == 1 else [""]
        tag = _tag(asked, route) or only[0]
        if not tag:
            return targets.ask_what(route)
        tags = [one.lstrip("#") for one in re.split(r"[,，、]\s*", tag)]
        others = {fold_text(one) for one in tags}
        kept = [one for one in note["tags"] if fold_text(one) not in others]
        fields = {"tags": kept if route.get("untag") else [*kept, *tags]}
    if done := asked.of("edit_note"):
        made = done[0].content["note"]
        # What was read before the change tells how it was.
        old = {"title": note["title"]} if "title" in fields else {"tags": note["tags"]}
        trace = Trace(
            about=(Thing("note", made["id"], made["title"]),),
            undo=(("edit_note", {"noteId": made["id"], **old}),),
            marks=(mark_of("note", made),),
        )
        if "title" in fields:
            text = route.phrase("renamed", old=note["title"], title=made["title"])
        else:
            name = "untagged" if route.get("untag") else "tagged"
            text = route.phrase(name, title=made["title"], tag=", #".join(tags))
        return Step(text, trace=trace)
    if asked.refusal:
        return list_answers.tell_refusal(asked, route)
    if fields == {"title": note["title"]}:
        return targets.called_so(route, (Thing("note", note["id"], note["title"]),))
    return call_tool("edit_note", noteId=note["id"], ifRevision=note["revision"], **fields)


def _tag(asked: Asked, route: Route) -> str:
    """Return the tag that is meant: that of the turn before for “that same tag”."""
    tag, language = route.get("tag"), route.get("written") or route.language
    if tag and dialogue_words.whole(language, "the_same", tag):
        tag = asked.earlier[0].arguments.get("tag", "") if asked.earlier else ""
    return tag.lstrip("#")


def rename(asked: Asked, route: Route) -> Step:
    """Give the todo, note or folder that is meant another name."""
    if folder_changes.is_meant(asked, route):
        wish = {"folder": route.get("target"), "title": route.get("title")}
        return folder_changes.rename_folder(asked, msgspec.structs.replace(route, arguments=wish))
    found = targets.find_things(
        asked, route, ("todo", "note"), words=route.get("target"), completed=None
    )
    if isinstance(found, Step):
        return found
    if len(found) > 1:
        return targets.ask_which(route, found)
    settled = msgspec.structs.replace(route, things=found)
    if found[0].kind == "todo":
        return todo_changes.change_todo(asked, settled)
    return change_note(asked, settled)


def pin_note(asked: Asked, route: Route) -> Step:
    """Pin or unpin the note that is meant."""
    found = targets.find_things(asked, route, ("note",), words=route.get("target"))
    if isinstance(found, Step):
        return found
    pinned = not route.get("unpin")
    if asked.of("pin_note"):
        were = {
            row["id"]: row.get("pinned")
            for result in asked.of("list_notes")
            for row in result.content.get("notes", ())
        }
        undo = tuple(
            ("pin_note", {"noteId": one.id, "pinned": not pinned})
            for one in found
            if were.get(one.id) is not pinned
        )
        links = ", ".join(note_link(one.id, one.title) for one in found)
        name = "pinned" if pinned else "unpinned"
        return Step(route.phrase(name, title=links), trace=Trace(about=found, undo=undo))
    if asked.refusal:
        return list_answers.tell_refusal(asked, route)
    return Step(calls=tuple(("pin_note", {"noteId": one.id, "pinned": pinned}) for one in found))


def move_note(asked: Asked, route: Route) -> Step:
    """Move the note that is meant into the folder of that name."""
    if not asked.has("list_folders"):
        return call_tool("list_folders")
    folder = folder_changes.find_meant(asked, route)
    if folder is None:
        return Step(route.phrase("no_folder", folder=route.get("folder")), empty=True)
    note = _read_note(asked, route)
    if isinstance(note, Step):
        return note
    if asked.of("move_note"):
        back = {"noteId": note["id"], "folderId": note["folderId"]}
        trace = Trace(
            about=(Thing("note", note["id"], note["title"]),),
            shown=(Thing("folder", folder["id"], folder["name"]),),
            undo=(("move_note", back),),
        )
        link = note_link(note["id"], note["title"])
        return Step(route.phrase("moved", title=link, folder=folder["name"]), trace=trace)
    if asked.refusal:
        return list_answers.tell_refusal(asked, route)
    return call_tool("move_note", noteId=note["id"], folderId=folder["id"])


def append_text(markdown: str, lines: list[str]) -> str:
    """Return a note's Markdown with texts after it, as items where it ends in a list."""
    kept = markdown.rstrip("\n")
    if mark := _last_mark(kept):
        return "\n".join([kept, *(f"{mark}{' '.join(one.split())}" for one in lines)]) + "\n"
    if number := _numbered(kept):
        marks = (f"{int(number[1]) + at}{number[2]}" for at in range(1, len(lines) + 1))
        return "\n".join([kept, *map("".join, zip(marks, lines, strict=True))]) + "\n"
    text = "\n\n".join(lines)
    return f"{kept}\n\n{text}\n" if kept else f"{text}\n"


def _numbered(markdown: str) -> re.Match[str] | None:
    """Return the number of the last item of a numbered list in which a note ends."""
    last = markdown.rpartition("\n")[2]
    found = _NUMBERED.match(last)
    if found is None or log_lines.DATED.match(last):
        return None
    before = rf"(?m)^{int(found[1]) - 1}[.)][ \t]"
    return found if found[1] == "1" or re.search(before, markdown) else None


def _listed(markdown: str, item: str) -> str:
    """Return a note's Markdown with one more item after the last of its list, with text below."""
    lines = markdown.split("\n")
    last = max(at for at, line in enumerate(lines) if _last_mark(line))
    return "\n".join([*lines[: last + 1], f"{_last_mark(lines[last])}{item}", *lines[last + 1 :]])


def _last_mark(markdown: str) -> str:
    last = markdown.rpartition("\n")[2].lstrip()
    marks = ("- [ ] ", "* [ ] ", "- [x] ", "- ", "* ", "+ ")
    return next(filter(last.startswith, marks), "").replace("x", " ")


def _parts(markdown: str, route: Route) -> list[str]:
    """Return what is added: several items where it ends in a list, else one text; one where most
    items have commas themselves, or begin with a number as it does: those of a log.
    """
    text = route.get("text")
    items = [_MARK.sub("", one) for one in markdown.splitlines() if _last_mark(one)]
    if not _last_mark(markdown.rstrip("\n")) or _are_most(_COMMA.search, items):
        return [text]
    if text[:1].isdigit() and _are_most(lambda one: one[:1].isdigit(), items):
        return [text]
    language = route.get("written") or route.language
    some = re.compile(language_data.join_pattern(language_data.load_table(language, Lists).some))
    several = dialogue_words.split_list(text, route.language)
    firsts = (note_lines.amounts(one)[:1] for one in several[1:])
    if any(one.start <= 1 and note_lines.is_money(one.unit) for found in firsts for one in found):
        return [text]  # “boxes, 0.90 € each” is one thing
    return [one[found.end() :] if (found := some.match(one)) else one for one in several]


def _are_most(fits: Callable[[str], Any], items: Sequence[str]) -> bool:
    return 2 * sum(bool(fits(one)) for one in items) > len(items)


def _read_note(asked: Asked, route: Route) -> Step | Mapping[str, Any]:
    """Return the one note that is meant, whole, or the step that finds or reads it."""
    found = targets.find_things(asked, route, ("note",), words=route.get("target"))
    if isinstance(found, Step):
        return found
    if len(found) > 1:
        return targets.ask_which(route, found)
    read = asked.of("get_note_content")
    if not read:
        if asked.refusal:
            return list_answers.tell_refusal(asked, route)
        return call_tool("get_note_content", noteId=found[0].id)
    note: Mapping[str, Any] = read[0].content["note"]
    return note


def _edited(route: Route, note: Mapping[str, Any], name: str, **values: str) -> Step:
    undo: tuple[Call, ...] = (("restore_snapshot", {"noteId": note["id"]}),)
    about = (Thing("note", note["id"], note["title"]),)
    trace = Trace(about=about, undo=undo, marks=(mark_of("note", note),))
    under = f" ({route.get('under')})" if route.get("under") else ""
    title = f"{note_link(note['id'], note['title'])}{under}"
    return Step(route.phrase(name, title=title, **values), trace=trace)


def _line(text: str) -> str:
    """Return a text as the one line that a title is."""
    return " ".join("".join(mark if mark.isprintable() else " " for mark in text).split())
