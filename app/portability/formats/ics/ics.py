"""Reads iCalendar files: todos and journals come along.

Events are told of, since calendars are connected and not copied.
"""

from collections.abc import Iterator
from pathlib import Path

from app.core.schema import TITLE_MOST
from app.errors import Invalid
from app.portability.archives import open_source
from app.portability.archives.source_tree import Entry, Tree, files
from app.portability.content.clean_text import (
    UNREADABLE,
    clean_line,
    clean_text,
    folder_name,
    join_paragraphs,
    markdown_link,
    note_damaged_text,
    reason_text,
    report_name,
    tag_labels,
    title_of,
    web_address,
)
from app.portability.content.source_items import (
    Item,
    NotCarried,
    Source,
    SourceFile,
    SourceNote,
    item_address,
)
from app.portability.formats import todo_parts
from app.portability.formats.ics import ics_lines, ics_values
from app.portability.formats.ics.ics_lines import Component

ENDINGS = frozenset({"ics", "ical", "icalendar"})
JOURNALS = "Journal"
_EVENT = (
    "events are not imported; connect the calendar instead to keep them up to date (POST "
    "/tools/integrations)"
)


def recognise(path: Path) -> bool:
    """Return whether a file, or each file of a folder or an archive, is a calendar; never
    raises."""
    return open_source.looks(_looks_like_ics, path)


def read(path: Path) -> Source:
    """Open a calendar, or a folder or an archive of calendars."""
    if path.is_file() and not open_source.looks(_looks_like_ics, path):
        raise Invalid(
            f"{path.name} is not an iCalendar file: it must begin with BEGIN:VCALENDAR.",
            field="path",
        )
    return Calendars(open_source.tree_of(path))


class Calendars:
    """Calendars. The first look finds which todos are parts of others, the second gives them one
    after another.
    """

    format = "ics"
    identity = "ics"
    """A UID is one of a kind, in whatever file it stands."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._steps: dict[str, list[tuple[str, bool]]] = {}
        self._are_steps: set[str] = set()
        self._parents: dict[str, tuple[str, bool]] = {}
        """UID of each part -> UID of what it is a part of, and whether a step can hold it."""
        self._done: set[str] = set()
        self._titles: dict[str, str] = {}
        self._read = False

    def total(self) -> int | None:
        """Return None: counting is reading."""
        return None

    def items(self) -> Iterator[Item]:
        """Yield todos and notes; tell of everything else."""
        self._look()  # a part may stand before or behind the todo it belongs to
        given: set[str] = set()
        for entry in files(self._tree):
            if isinstance(entry, NotCarried):
                yield entry
            elif not open_source.looks(_is_calendar, entry):
                yield NotCarried(report_name(entry.path), "it is not an iCalendar file")
            else:
                yield from self._calendar(entry, given)

    def close(self) -> None:
        """Let go of the archive."""
        self._tree.close()

    def _calendar(self, entry: Entry, given: set[str]) -> Iterator[Item]:
        zones: dict[str, str] = {}
        count = 0
        try:
            with entry.open() as stream:
                for component in ics_lines.components(stream):
                    count += 1
                    yield from self._component(component, zones, given)
        except UNREADABLE as error:
            yield NotCarried(
                report_name(entry.path),
                f"it is damaged after {count} entries: {reason_text(error)}",
            )

    def _component(
        self, component: Component, zones: dict[str, str], given: set[str]
    ) -> Iterator[Item]:
        name = report_name(component.text("SUMMARY") or component.text("UID"))
        if component.name == "VTIMEZONE":
            zones[component.text("TZID")] = component.text("X-LIC-LOCATION")
            return
        for fault in component.faults:
            yield NotCarried(name, fault)
        if component.name == "VEVENT":
            yield NotCarried(name, _EVENT)
        elif component.name in ("VTODO", "VJOURNAL") and not component.whole:
            yield NotCarried(name, "it is incomplete")
        elif component.name == "VTODO":
            yield from self._todo(component, zones, given)
        elif component.name == "VJOURNAL":
            yield from _journal(component, zones, given)
        else:
            yield NotCarried(name, f"{clean_line(component.name, 40)} entries are not imported")

    def _todo(self, component: Component, zones: dict[str, str], given: set[str]) -> Iterator[Item]:
        own = _key(component)
        title = component.text("SUMMARY") or clean_line(component.text("DESCRIPTION"), 80)
        if own in self._are_steps:
            return
        if own in given:
            yield NotCarried(
                report_name(title), "another todo has the same UID; the first one was imported"
            )
            return
        given.add(own)
        when = ics_values.when(component, zones)
        about = ics_values.extra_lines(component, zones, self._titles)
        for reason in (*when.lost, *ics_values.lost_reasons(component)):
            yield NotCarried(report_name(title), reason)
        yield from todo_parts.todo(
            key=own,
            title=title,
            description=join_paragraphs(
                component.text("DESCRIPTION"), "\n".join([*about, *when.about])
            ),
            steps=self._steps.get(own, ()),
            completed=ics_values.is_done(component),
            completed_at=ics_values.moment(component, "COMPLETED", zones),
            priority=ics_values.priority(component),
            due=when.due,
            rule=when.rule,
            created=ics_values.moment(component, "CREATED", zones),
        )

    def _look(self) -> None:
        """Look through everything once for todos that are parts of others.

        Those that have only a title become steps.
        """
        if self._read:
            return
        for entry in files(self._tree):
            if isinstance(entry, Entry):
                open_source.looks(self._remember, entry)
        whole = {parent for parent, _ in self._parents.values()}
        for own, (parent, simple) in self._parents.items():
            # A part with parts of its own stays a todo: steps have no steps.
            if simple and own not in whole and parent in self._titles:
                self._are_steps.add(own)
                self._steps.setdefault(parent, []).append((self._titles[own], own in self._done))
        self._read = True

    def _remember(self, entry: Entry) -> bool:
        with entry.open() as stream:
            for component in ics_lines.components(stream):
                own = _key(component)
                if component.name == "VTODO" and component.whole and own not in self._titles:
                    self._titles[own] = clean_line(component.text("SUMMARY"))
                    if parent := ics_values.parent_of(component):
                        self._parents[own] = (parent, ics_values.has_only_a_title(component))
                    if ics_values.is_done(component):
                        self._done.add(own)
        return True


def _journal(component: Component, zones: dict[str, str], given: set[str]) -> Iterator[Item]:
    own = _key(component)
    text = "\n\n".join(component.texts("DESCRIPTION"))
    title = clean_line(component.text("SUMMARY")) or title_of(text, "Journal")
    if own in given:
        yield NotCarried(
            report_name(title), "another entry has the same UID; the first one was imported"
        )
        return
    given.add(own)
    rows: list[str] = []
    for number, (value, parameters) in enumerate(component.all("ATTACH"), 1):
        if inside := ics_values.decoded(value, parameters):
            name = (
                clean_line(parameters.get("FILENAME") or parameters.get("X-FILENAME"))
                or f"attachment {number}"
            )
            yield SourceFile(
                key=f"{own}/{number}", name=name, open=ics_values.opener(inside), size=len(inside)
            )
            picture = parameters.get("FMTTYPE", "").startswith("image/")
            rows.append(
                markdown_link(name, item_address("attachment", f"{own}/{number}"), picture=picture)
            )
        elif page := web_address(value):
            rows.append(markdown_link(page, page))
        else:
            yield NotCarried(
                report_name(title), "one of its attachments is damaged or on another computer"
            )
    rows += [f"Link: {page}" for page in component.texts("URL") if page]
    for reason in ics_values.lost_reasons(component):
        yield NotCarried(report_name(title), reason)
    yield from note_damaged_text(title, title, text)
    start = ics_values.moment(component, "DTSTART", zones)
    yield SourceNote(
        key=own,
        path=(folder_name(component.calendar, JOURNALS),),
        title=title,
        text=join_paragraphs(text, "\n".join(rows)),
        tags=tag_labels(ics_values.categories(component)),
        created=ics_values.moment(component, "CREATED", zones) or start,
        updated=ics_values.moment(component, "LAST-MODIFIED", zones) or start,
    )


def _key(component: Component) -> str:
    """Return the UID, with the day that an exception of a series is for.

    A digest of all where there is none.
    """
    instance = component.text("RECURRENCE-ID")
    # One day of a series that was changed is an entry of its own with the UID of the series.
    own = clean_text(component.text("UID"))[:TITLE_MOST] or component.digest()
    return f"{own}/{instance}" if instance else own


def _looks_like_ics(path: Path) -> bool:
    return open_source.all_are(path, _is_calendar, ENDINGS)


def _is_calendar(entry: Entry) -> bool:
    with entry.open() as stream:
        return (
            stream.read(200)
            .removeprefix(b"\xef\xbb\xbf")
            .lstrip()
            .upper()
            .startswith(b"BEGIN:VCALENDAR")
        )
