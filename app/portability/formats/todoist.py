"""Todoist's templates: a CSV for each project, alone, in a folder, or in the zip of a backup."""

import csv
import hashlib
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path

import msgspec

from app.errors import Invalid
from app.portability.archives import open_source
from app.portability.archives.folder_tree import FileTree
from app.portability.archives.source_tree import Entry, Tree, files
from app.portability.content.clean_text import (
    UNREADABLE,
    clean_line,
    clean_text,
    join_paragraphs,
    markdown_link,
    moment_from_epoch,
    note_damaged_text,
    reason_text,
    report_name,
    web_address,
)
from app.portability.content.source_items import Item, NotCarried, Source
from app.portability.formats import todo_parts, todoist_dates

PRIORITIES = {"1": 5, "2": 4, "3": 3}
"""1 is the highest of a CSV file, other than in Todoist's API; 4 is none."""
ENDINGS = frozenset({"csv"})
LOOKED_AT = 4096
_NUMBER = re.compile(r"\s*\[\d+\]$")
_FILE = re.compile(r"\[\[file (\{.*?\})\]\]", re.DOTALL)


class _Task(msgspec.Struct):
    """A task of the top with what hangs on it."""

    title: str
    key: str
    description: list[str]
    steps: list[tuple[str, bool]]
    priority: int | None
    due: str | None
    rule: str | None
    path: list[str]
    """The titles of the sub-task that was read last, and of those above it."""


def recognise(path: Path) -> bool:
    """Return whether a file is such a CSV, or whether all of a folder or an archive are.

    Never raises.
    """
    return open_source.looks(_looks_like_todoist, path)


def read(path: Path) -> Source:
    """Open a CSV, a folder or a zip of them."""
    if path.is_file() and not open_source.looks(_looks_like_todoist, path):
        raise Invalid(
            f"{path.name} is not a CSV file of Todoist: its first line must name the columns TYPE "
            "and CONTENT.",
            field="path",
        )
    return Todoist(open_source.tree_of(path))


class Todoist:
    """Projects as templates, read row after row."""

    format = "todoist-csv"

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def total(self) -> int | None:
        """Return None: counting is reading."""
        return None

    def items(self) -> Iterator[Item]:
        """Yield a todo for each task of the top, its sub-tasks as steps."""
        keys: Counter[str] = Counter()
        for entry in files(self._tree):
            if isinstance(entry, NotCarried):
                yield entry
            elif (
                entry.ending in ENDINGS or isinstance(self._tree, FileTree)
            ) and open_source.looks(_is_template, entry):
                yield from _Project(entry, keys).items()
            else:
                yield NotCarried(report_name(entry.path), "it is not a Todoist CSV file")

    def close(self) -> None:
        """Close the archive."""
        self._tree.close()


class _Project:
    """One file."""

    def __init__(self, entry: Entry, keys: Counter[str]) -> None:
        self._entry = entry
        self._name = clean_line(_NUMBER.sub("", entry.stem))
        self._section = ""
        self._task: _Task | None = None
        self._keys = keys
        exported = moment_from_epoch(entry.modified, 1) if entry.modified else None
        # dates without a year are read from the day of the export on
        self._day = date.fromisoformat(exported[:10]) if exported else None

    def items(self) -> Iterator[Item]:
        """Yield the todos of the file."""
        count, authors = 0, 0
        try:
            with (
                self._entry.open() as stream,
                io.TextIOWrapper(stream, "utf-8-sig", "replace", newline="") as text,
            ):
                rows = csv.reader(text)
                columns = [name.strip().upper() for name in next(rows, [])]
                for row in rows:
                    count += 1
                    # people change these files: a row may be shorter or longer than the head
                    given = {
                        name: clean_text(value).strip()
                        for name, value in zip(columns, row, strict=False)
                    }
                    authors += given.get("TYPE") == "task" and bool(given.get("AUTHOR"))
                    yield from self._row(given, count)
        except (csv.Error, *UNREADABLE) as error:
            yield NotCarried(
                report_name(self._entry.path),
                f"it is damaged after {count} rows: {reason_text(error)}",
            )
        yield from self._finished()
        if authors:
            yield NotCarried(
                report_name(self._name), f"the authors of its {authors} tasks were not imported"
            )

    def _row(self, row: Mapping[str, str], number: int) -> Iterator[Item]:
        kind, content = row.get("TYPE", ""), row.get("CONTENT", "")
        if kind == "section":
            yield from self._finished()
            self._section = clean_line(content)
        elif kind == "task":
            indent = row.get("INDENT", "")
            level = int(indent) if indent.isdecimal() and len(indent) < 3 else 1
            yield from self._step(row, level) if level > 1 and self._task else self._begun(row)
        elif kind == "note":
            yield from self._note(content)
        elif kind and not kind.startswith("meta"):
            yield NotCarried(
                report_name(content or f"row {number}"),
                f"it is a {clean_line(kind, 30)}, which is not a task, section or comment",
            )

    def _begun(self, row: Mapping[str, str]) -> Iterator[Item]:
        yield from self._finished()
        content = row.get("CONTENT", "")
        # a template has no ids; names and places stay the same in the next export
        digest = hashlib.sha256(
            "\0".join((self._name, self._section, content)).encode()
        ).hexdigest()[:24]
        self._keys[digest] += 1
        when = todoist_dates.parse_due(
            row.get("DATE", ""), row.get("DATE_LANG", ""), row.get("TIMEZONE", ""), self._day
        )
        about = {
            "Project": self._name,
            "Section": self._section,
            "Responsible": row.get("RESPONSIBLE"),
            "Deadline": row.get("DEADLINE"),
            "Duration": " ".join(filter(None, (row.get("DURATION"), row.get("DURATION_UNIT")))),
            "Date": "" if when else row.get("DATE"),
        }
        lines = "\n".join(
            f"{word}: {value}"
            for word, value in about.items()
            # so the export writes what is not set
            if value and value not in ("None", "None None")
        )
        self._task = _Task(
            title=content,
            key=f"{digest}-{self._keys[digest]}",
            description=[row.get("DESCRIPTION", ""), lines],
            steps=[],
            path=[],
            priority=PRIORITIES.get(row.get("PRIORITY", "")),
            due=when.due if when else None,
            rule=when.rule if when else None,
        )
        yield from note_damaged_text(content, content)
        if row.get("DATE") and when is None:
            yield _unread(
                content,
                row["DATE"],
                missing=todoist_dates.no_such_day(row["DATE"], row.get("DATE_LANG", ""), self._day),
            )
        elif when is not None and when.year is not None:
            yield _guessed(content, row["DATE"], when.year)

    def _step(self, row: Mapping[str, str], level: int) -> Iterator[Item]:
        """Add a step; what a step cannot have goes into the description."""
        task = self._task
        if task is None:
            return
        content = clean_line(row.get("CONTENT"))
        # levels count from 1, which is the task itself
        task.path = [*task.path[: level - 2], content]
        title = " › ".join(task.path)
        task.steps.append((title, False))
        lost = [
            row.get("DESCRIPTION", ""),
            *(
                f"{word}: {row[name]}"
                for name, word in (("DATE", "Date"), ("RESPONSIBLE", "Responsible"))
                if row.get(name)
            ),
        ]
        if row.get("PRIORITY", "") in PRIORITIES:
            lost.append(f"Priority: p{row['PRIORITY']}")
        if any(lost):
            task.description.append("\n".join([f"{title}:", *filter(None, lost)]))
            yield NotCarried(
                report_name(content),
                "steps have only a title; the rest of this sub-task is in the description "
                "of its todo",
            )

    def _note(self, content: str) -> Iterator[Item]:
        """Add a comment to the task above; one that stands before all tasks is the project's."""
        for found in _FILE.finditer(content):
            yield NotCarried(
                report_name(_file(found[1])[0]),
                "this file stays at Todoist; the comment links to it",
            )
        text = _FILE.sub(lambda found: markdown_link(*_file(found[1])), content)
        if self._task is None:
            yield NotCarried(
                report_name(text),
                "it is a comment on a project or section; only comments on tasks are imported",
            )
        else:
            self._task.description.append(text)

    def _finished(self) -> Iterator[Item]:
        task, self._task = self._task, None
        if task is not None:
            yield from todo_parts.todo(
                key=task.key,
                title=task.title,
                description=join_paragraphs(*task.description),
                steps=task.steps,
                priority=task.priority,
                due=task.due,
                rule=task.rule,
            )


def _looks_like_todoist(path: Path) -> bool:
    return open_source.all_are(path, _is_template, ENDINGS)


def _is_template(entry: Entry) -> bool:
    with entry.open() as stream:
        first = stream.read(LOOKED_AT).decode("utf-8-sig", "replace").partition("\n")[0]
    columns = [name.strip().strip('"').upper() for name in first.split(",")]
    return columns[:2] == ["TYPE", "CONTENT"] and "INDENT" in columns


def _unread(content: str, text: str, *, missing: bool) -> NotCarried:
    why = "names a day that does not exist" if missing else "is unclear"
    return NotCarried(
        report_name(content),
        f"its date “{clean_line(text, 60)}” {why}; it was added to the description",
    )


def _guessed(content: str, text: str, year: int) -> NotCarried:
    return NotCarried(
        report_name(content),
        f"its date “{clean_line(text, 60)}” has no year; {year} was used, nearest to the export",
    )


def _file(text: str) -> tuple[str, str]:
    """Return the name and the address of a file that Todoist keeps."""
    try:
        found = msgspec.json.decode(text, type=dict[str, object])
    except msgspec.DecodeError:
        return "file", ""
    return clean_line(found.get("file_name")) or "file", web_address(found.get("file_url"))
