"""Todos of Todoist, todo.txt and iCalendar.

What each field becomes, and what is told where it becomes nothing.
"""

import io
import os
from datetime import date
from pathlib import Path

import pytest

from app.portability.content.source_items import SourceTodo
from app.portability.formats import todoist_dates
from app.portability.formats.formats import open_import
from app.portability.formats.ics import ics_lines
from tests.support import foreign_exports as exports
from tests.support.foreign_exports import Read

HEAD = "TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG,TIMEZONE\n"


def todoist(place: Path, *rows: str, head: str = HEAD) -> Read:
    return Read(
        open_import(
            exports.single(place / "List.csv", (head + "\n".join(rows)).encode()), "todoist-csv"
        )
    )


def todo_txt(place: Path, text: str) -> Read:
    return Read(open_import(exports.single(place / "todo.txt", text.encode()), "todo.txt"))


def one_line(place: Path, text: str) -> SourceTodo:
    [todo] = todo_txt(place, text).todos.values()
    return todo


def calendar(place: Path, *lines: str, kind: str = "VTODO") -> Read:
    text = "\r\n".join(
        [
            "BEGIN:VCALENDAR",
            "VERSION:2.0",
            f"BEGIN:{kind}",
            "UID:u1",
            "SUMMARY:It",
            *lines,
            f"END:{kind}",
            "END:VCALENDAR",
            "",
        ]
    )
    return Read(open_import(exports.single(place / "a.ics", text.encode()), "ics"))


@pytest.mark.parametrize(
    ("written", "priority"),
    [("1", 5), ("2", 4), ("3", 3), ("4", None), ("", None), ("9", None), ("x", None)],
)
def test_priority_1_of_a_csv_is_the_highest(
    tmp_path: Path, written: str, priority: int | None
) -> None:
    assert todoist(tmp_path, f"task,T,,{written},1,,,,,").todos["T"].priority == priority


@pytest.mark.parametrize(
    ("text", "language", "due", "rule"),
    [
        ("2024-05-01", "en", "2024-05-01", None),
        ("2024-05-01 14:30", "en", "2024-05-01T12:30:00.000Z", None),
        ("2024-05-01T10:00:00Z", "en", "2024-05-01T10:00:00.000Z", None),
        ("15 Jan 2025", "en", "2025-01-15", None),
        ("Jan 15, 2025 9am", "en", "2025-01-15T08:00:00.000Z", None),
        ("15. Januar 2025", "de", "2025-01-15", None),
        ("15 May 2025", "de", "2025-05-15", None),
        ("Oct 5 2025", "ja", "2025-10-05", None),
        ("12 Mar 2023", "es", "2023-03-12", None),
        ("every day", "en", "2024-05-03", "FREQ=DAILY"),
        ("every monday", "en", "2024-05-06", "FREQ=WEEKLY;BYDAY=MO"),
        ("every friday", "en", "2024-05-03", "FREQ=WEEKLY;BYDAY=FR"),
        ("every mon, wed", "en", "2024-05-06", "FREQ=WEEKLY;BYDAY=MO,WE"),
        ("every 15th", "en", "2024-05-15", "FREQ=MONTHLY;BYMONTHDAY=15"),
        ("jeden Montag", "de", "2024-05-06", "FREQ=WEEKLY;BYDAY=MO"),
        ("every monday at 9am", "en", "2024-05-06T07:00:00.000Z", "FREQ=WEEKLY;BYDAY=MO"),
    ],
)
def test_dates_that_can_mean_one_thing_are_understood(
    text: str, language: str, due: str, rule: str | None
) -> None:
    found = todoist_dates.parse_due(text, language, "Europe/Berlin", date(2024, 5, 3))
    assert found is not None
    assert (found.due, found.rule) == (due, rule)


def test_a_date_without_a_year_is_the_one_nearest_to_the_export_and_told(tmp_path: Path) -> None:
    todoist(
        tmp_path,
        "task,Past,,4,1,,,Apr 20,de,",
        "task,Next,,4,1,,,5 Jan,en,",
        "task,Timed,,4,1,,,May 10 9am,en,Europe/Berlin",
    )
    path = tmp_path / "List.csv"
    os.utime(path, (1_733_011_200, 1_733_011_200))  # 1 December 2024
    read = Read(open_import(path, "todoist-csv"))
    assert [read.todos[title].due for title in ("Past", "Next", "Timed")] == [
        "2025-04-20",
        "2025-01-05",
        "2025-05-10T07:00:00.000Z",
    ]
    assert read.lost["Next"] == "its date “5 Jan” has no year; 2025 was used, nearest to the export"
    os.utime(path, (1_714_737_600, 1_714_737_600))  # 3 May 2024
    assert [todo.due for todo in Read(open_import(path, "todoist-csv")).todos.values()][:2] == [
        "2024-04-20",
        "2024-01-05",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "tomorrow",
        "in 3 days",
        "5th",
        "May",
        "every 3 days",
        "every week",
        "every! day",
        "every last day",
        "2024-13-01",
        "foo",
        "p1",
        "x" * 500,
        "every monday maybe",
        "0000-01-01",
        "2024-05-01 25:00",
        "every day after lunch",
    ],
)
def test_dates_that_are_not_certain_are_left_to_the_reader(tmp_path: Path, text: str) -> None:
    assert todoist_dates.parse_due(text, "en", "", date(2024, 5, 3)) is None
    read = todoist(tmp_path, f"task,T,,4,1,,,{text},en,")
    assert (read.todos["T"].due, read.todos["T"].rule) == (None, None)
    assert not text or (
        "is unclear" in read.lost["T"] and f"Date: {text}" in (read.todos["T"].description or "")
    )


@pytest.mark.parametrize(
    ("text", "language"),
    [("31 Apr", "en"), ("2024-02-30", "en"), ("Feb 30 2025 10:00", "de"), ("31. April", "de")],
)
def test_a_day_that_does_not_exist_is_told_as_such(
    tmp_path: Path, text: str, language: str
) -> None:
    read = todoist(tmp_path, f"task,T,,4,1,,,{text},{language},")
    assert (read.todos["T"].due, read.todos["T"].rule) == (None, None)
    assert read.lost["T"] == (
        f"its date “{text}” names a day that does not exist; it was added to the description"
    )
    assert f"Date: {text}" in (read.todos["T"].description or "")


def test_what_recurs_counts_from_the_day_of_the_export_however_late_it_is_read(
    tmp_path: Path,
) -> None:
    path = exports.single(
        tmp_path / "List.csv", (HEAD + "task,T,,4,1,,,every monday,en,\n").encode()
    )
    os.utime(path, (0, 1_000_000_000))  # a Sunday in 2001
    assert Read(open_import(path)).todos["T"].due == "2001-09-10"


@pytest.mark.parametrize(
    ("zone", "due"),
    [
        ("", "2024-05-01T14:30:00"),
        ("No/Where", "2024-05-01T14:30:00"),
        ("Asia/Tokyo", "2024-05-01T05:30:00.000Z"),
    ],
)
def test_a_time_without_a_zone_stays_a_wall_time(tmp_path: Path, zone: str, due: str) -> None:
    assert todoist(tmp_path, f"task,T,,4,1,,,2024-05-01 14:30,en,{zone}").todos["T"].due == due


def test_an_older_csv_without_descriptions_is_read(tmp_path: Path) -> None:
    head = "TYPE,CONTENT,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG\n"
    assert todoist(tmp_path, "task,T,1,1,,,2024-05-01,en", head=head).todos["T"].due == "2024-05-01"


def test_sub_tasks_are_steps_below_the_names_of_those_above_them(tmp_path: Path) -> None:
    read = todoist(
        tmp_path,
        *(
            f"task,{name},,4,{level},,,,,"
            for name, level in (
                ("A", 2),
                ("B", 2),
                ("C", 3),
                ("D", 4),
                ("E", 2),
                ("F", 1),
                ("G", 9),
                ("H", "x"),
            )
        ),
    )
    steps = {title: [step for step, _ in todo.steps] for title, todo in read.todos.items()}
    assert steps == {"A": ["B", "B › C", "B › C › D", "E"], "F": ["G"], "H": []}


def test_steps_beyond_a_hundred_are_lines_of_the_description(tmp_path: Path) -> None:
    read = todoist(
        tmp_path, "task,T,,4,1,,,,,", *(f"task,s{number},,4,2,,,,," for number in range(105))
    )
    todo = read.todos["T"]
    assert len(todo.steps) == 100
    assert "- [ ] s104" in (todo.description or "")
    assert "5 are in its description" in read.lost["T"]


def test_a_long_title_is_whole_in_the_description(tmp_path: Path) -> None:
    [todo] = todoist(tmp_path, f"task,{'word ' * 200},,4,1,,,,,").todos.values()
    assert len(todo.title) == 500
    assert todo.title.endswith("…")
    assert (todo.description or "").startswith(("word " * 200).strip())


def test_comments_before_any_task_and_rows_of_no_kind_are_told(tmp_path: Path) -> None:
    read = todoist(
        tmp_path,
        "note,Hello,,,,,,,,",
        "dream,Fly,,,,,,,,",
        "task,T,,4,1,,,,,",
        "meta,view_style=board,,,,,,,,",
    )
    assert set(read.lost) == {"Hello", "Fly"}


def test_the_same_task_twice_is_two_todos(tmp_path: Path) -> None:
    source = open_import(
        exports.single(tmp_path / "List.csv", (HEAD + "task,T,,4,1,,,,,\n" * 2).encode())
    )
    assert len({item.key for item in source.items() if isinstance(item, SourceTodo)}) == 2


@pytest.mark.parametrize(
    ("text", "title", "fields"),
    [
        ("Call Mom", "Call Mom", {}),
        ("(A) Call Mom", "Call Mom", {"priority": 5}),
        ("(E) x y", "x y", {"priority": 1}),
        ("(Z) z", "z", {"priority": 1}),
        ("(a) low", "(a) low", {}),
        ("(A)->not", "(A)->not", {}),
        ("xylophone lesson", "xylophone lesson", {}),
        (
            "x 2024-05-02 2024-05-01 Done it",
            "Done it",
            {"completed": True, "completed_at": "2024-05-02", "created": "2024-05-01"},
        ),
        ("x Done", "Done", {"completed": True}),
        ("X 2024-05-02 Done", "Done", {"completed": True, "completed_at": "2024-05-02"}),
        ("x (B) 2024-05-02 Done", "Done", {"completed": True, "priority": 4}),
        ("x 2024-05-02 Done pri:C", "Done", {"completed": True, "priority": 3}),
        ("(B) 2024-05-01 New", "New", {"priority": 4, "created": "2024-05-01"}),
        ("Pay due:2024-05-03", "Pay", {"due": "2024-05-03"}),
        ("Pay due:2024-05-03T10:00", "Pay", {"due": "2024-05-03T10:00:00.000"}),
        ("Pay due:soon", "Pay due:soon", {"due": None}),
        ("Pay due:2024-02-30", "Pay due:2024-02-30", {"due": None}),
        ("Pay due:2024-05-03 due:2024-05-04", "Pay due:2024-05-04", {"due": "2024-05-03"}),
        (
            "Wash rec:+2w due:2024-05-03",
            "Wash",
            {"rule": "FREQ=WEEKLY;INTERVAL=2", "counted_from": "due"},
        ),
        (
            "Wash rec:3 due:2024-05-03",
            "Wash",
            {"rule": "FREQ=DAILY;INTERVAL=3", "counted_from": "done"},
        ),
        ("Wash rec:1b due:2024-05-03", "Wash", {"rule": "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"}),
        ("Wash rec:1y due:2024-05-03", "Wash", {"rule": "FREQ=YEARLY"}),
        ("Wash rec:5b due:2024-05-03", "Wash rec:5b", {"rule": None}),
        ("Wash rec:0d due:2024-05-03", "Wash rec:0d", {"rule": None}),
        (
            "Sow t:2024-05-01 +garden @home",
            "Sow +garden @home",
            {"description": "Start: 2024-05-01"},
        ),
        ("See http://a.b/c:d id:7", "See http://a.b/c:d id:7", {}),
        ("2024-13-01 Odd date", "Odd date", {"created": None}),
        ("(A)", "(A)", {}),
        ("due:2024-05-03", "Untitled", {"due": "2024-05-03"}),
    ],
)
def test_a_line_of_todo_txt(
    tmp_path: Path, text: str, title: str, fields: dict[str, object]
) -> None:
    todo = one_line(tmp_path, text)
    assert todo.title == title
    assert {name: getattr(todo, name) for name in fields} == fields
    assert todo.completed == fields.get("completed", False)


def test_a_todo_of_todo_txt_stays_the_same_when_it_is_done(tmp_path: Path) -> None:
    before, after = (
        one_line(tmp_path, "(A) 2024-05-01 Call Mom +family"),
        one_line(tmp_path, "x 2024-05-03 2024-05-01 Call Mom +family pri:A"),
    )
    assert before.key == after.key


def test_what_recurs_without_a_date_is_told(tmp_path: Path) -> None:
    read = todo_txt(tmp_path, "Wash rec:1w\n\n   \n")
    assert (read.todos["Wash"].rule, read.todos["Wash"].description) == (
        None,
        "Repeats: FREQ=WEEKLY",
    )
    assert "no due date" in read.lost["Wash"]


def test_a_line_without_end_is_told_and_the_next_one_read(tmp_path: Path) -> None:
    read = Read(
        open_import(
            exports.single(tmp_path / "todo.txt", b"a\n" + b"x" * (3 << 20) + b"\nb\n\xff\xfe c\n"),
            "todo.txt",
        )
    )
    assert list(read.todos) == ["a", "b", "�� c"]
    assert set(read.lost) == {"todo.txt, line 2", "�� c"}


@pytest.mark.parametrize(
    ("lines", "fields"),
    [
        (["DUE:20240501T100000Z"], {"due": "2024-05-01T10:00:00.000Z"}),
        (["DUE;VALUE=DATE:20240501"], {"due": "2024-05-01"}),
        (["DUE;TZID=Europe/Berlin:20240501T100000"], {"due": "2024-05-01T08:00:00.000Z"}),
        (["DUE;TZID=W. Europe Standard Time:20240501T100000"], {"due": "2024-05-01T08:00:00.000Z"}),
        (
            ["DUE;TZID=/freeassociation.sourceforge.net/Europe/Berlin:20240501T100000"],
            {"due": "2024-05-01T08:00:00.000Z"},
        ),
        (["DUE:20240501T100000"], {"due": "2024-05-01T10:00:00"}),
        (["DTSTART:20240501T100000Z", "DURATION:PT2H"], {"due": "2024-05-01T12:00:00.000Z"}),
        (
            ["DTSTART;VALUE=DATE:20240501", "RRULE:FREQ=WEEKLY"],
            {"due": "2024-05-01", "rule": "FREQ=WEEKLY"},
        ),
        (["DTSTART;VALUE=DATE:20240501"], {"due": None, "description": "Start: 2024-05-01"}),
        (["DUE:20240501T100000Z", "RRULE:FREQ=DAILY;COUNT=3"], {"rule": "FREQ=DAILY;COUNT=3"}),
        (["PRIORITY:1"], {"priority": 5}),
        (["PRIORITY:5"], {"priority": 3}),
        (["PRIORITY:9"], {"priority": 1}),
        (["PRIORITY:0"], {"priority": None}),
        (["PRIORITY:high"], {"priority": None}),
        (["STATUS:COMPLETED"], {"completed": True, "completed_at": None}),
        (
            ["COMPLETED:20240501T100000Z"],
            {"completed": True, "completed_at": "2024-05-01T10:00:00.000Z"},
        ),
        (["PERCENT-COMPLETE:100"], {"completed": True}),
        (["STATUS:CANCELLED"], {"completed": True, "description": "Status: cancelled"}),
        (
            ["STATUS:IN-PROCESS", "PERCENT-COMPLETE:40"],
            {"completed": False, "description": "Status: begun\nDone: 40 %"},
        ),
        (["DESCRIPTION:a\\nb\\, c\\; d\\\\n"], {"description": "a\nb, c; d\\n"}),
        (
            ["CATEGORIES:a\\,b,c", "LOCATION:Shed", "URL:https://a.b/"],
            {"description": "Tags: a,b, c\nPlace: Shed\nLink: https://a.b/"},
        ),
    ],
)
def test_a_todo_of_icalendar(tmp_path: Path, lines: list[str], fields: dict[str, object]) -> None:
    read = calendar(tmp_path, *lines)
    assert {name: getattr(read.todos["It"], name) for name in fields} == fields
    assert read.lost == {}


@pytest.mark.parametrize(
    ("lines", "reason", "description"),
    [
        (["DUE:someday"], "is not a date", "DUE: someday"),
        (["DUE:20249901"], "is not a date", "DUE: 20249901"),
        (["DUE;TZID=Nowhere:20240501T100000"], "is unknown", None),
        (["RRULE:FREQ=DAILY"], "has no due date", "Repeats: FREQ=DAILY"),
        (
            ["DUE:20240501T100000Z", "RRULE:FREQ=SECONDLY"],
            "rule was added to the description",
            "Repeats: FREQ=SECONDLY",
        ),
        (
            ["DUE:20240501T100000Z", "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"],
            "rule was added to",
            "Repeats: FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
        ),
        (["DUE:20240501T100000Z", "EXDATE:20240502T100000Z"], "dates added to or left out", None),
        (["ATTACH;ENCODING=BASE64;VALUE=BINARY:aGk="], "attached files", None),
        (["BEGIN:VALARM", "TRIGGER:-PT15M", "END:VALARM"], "reminders", None),
        (["ATTENDEE:mailto:bob@example.org"], "attendees", None),
        (["this is no line"], "is not valid iCalendar", None),
    ],
)
def test_what_icalendar_cannot_hand_over_is_told_by_name(
    tmp_path: Path, lines: list[str], reason: str, description: str | None
) -> None:
    read = calendar(tmp_path, *lines)
    assert reason in read.lost["It"]
    assert read.todos["It"].description == description
    assert read.todos["It"].rule is None


def test_parts_of_a_todo_with_fields_of_their_own_stay_todos(tmp_path: Path) -> None:
    parts = [
        ("a", "", ""),
        ("b", "a", ""),
        ("c", "a", "DUE:20240501T100000Z"),
        ("d", "c", ""),
        ("e", "zzz", ""),
        ("f", "f", ""),
    ]
    lines = ["BEGIN:VCALENDAR"]
    for own, parent, more in parts:
        lines += [
            "BEGIN:VTODO",
            f"UID:{own}",
            f"SUMMARY:{own}",
            *filter(None, [parent and f"RELATED-TO:{parent}", more]),
            "END:VTODO",
        ]
    text = "\r\n".join([*lines, "END:VCALENDAR"])
    read = Read(open_import(exports.single(tmp_path / "a.ics", text.encode())))
    assert {title: [step for step, _ in todo.steps] for title, todo in read.todos.items()} == {
        "a": ["b"],
        "c": ["d"],
        "e": [],
        "f": [],
    }
    assert read.todos["c"].description == "Part of: a"


def test_a_todo_that_is_cut_off_is_told(tmp_path: Path) -> None:
    text = (
        b"BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:a\nSUMMARY:Whole\nEND:VTODO\n"
        b"BEGIN:VTODO\nUID:b\nSUMMARY:Half"
    )
    read = Read(open_import(exports.single(tmp_path / "a.ics", text)))
    assert list(read.todos) == ["Whole"]
    assert "incomplete" in read.lost["Half"]


def test_todos_without_a_uid_are_known_by_what_they_say(tmp_path: Path) -> None:
    text = (
        "BEGIN:VCALENDAR\nBEGIN:VTODO\nSUMMARY:A\nDTSTAMP:{}\nEND:VTODO\n"
        "BEGIN:VTODO\nSUMMARY:B\nEND:VTODO\nEND:VCALENDAR\n"
    )
    keys = [
        [
            item.key
            for item in open_import(
                exports.single(tmp_path / "a.ics", text.format(stamp).encode())
            ).items()
            if isinstance(item, SourceTodo)
        ]
        for stamp in ("20240501T100000Z", "20250501T100000Z")
    ]
    assert keys[0] == keys[1]
    assert len(set(keys[0])) == 2


def test_a_journal_of_icalendar_is_a_note(tmp_path: Path) -> None:
    read = calendar(
        tmp_path,
        "DESCRIPTION:one",
        "DESCRIPTION:two",
        "ATTACH:https://a.b/c.pdf",
        "ATTACH:file:///etc/passwd",
        "CATEGORIES:x",
        kind="VJOURNAL",
    )
    note = read.notes["It"]
    assert (note.text, note.tags, note.path) == (
        "one\n\ntwo\n\n[https://a.b/c.pdf](https://a.b/c.pdf)",
        ("x",),
        ("Journal",),
    )
    assert "attachments" in read.lost["It"]


def test_folded_lines_are_put_together_even_within_a_letter() -> None:
    letters = "ä" * 100
    raw = f"SUMMARY:{letters}".encode()
    folded = (
        b"BEGIN:VTODO\n"
        + raw[:75]
        + b"\n "
        + raw[75:149]
        + b"\r\n\t"
        + raw[149:]
        + b"\nEND:VTODO\n"
    )
    [component] = ics_lines.components(io.BytesIO(folded))
    assert component.text("SUMMARY") == letters
    assert component.whole


def test_a_component_that_never_ends_takes_little_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ics_lines, "MOST_OF_ONE", 10_000)
    read = calendar(tmp_path, *(f"COMMENT:{'x' * 100}" for _ in range(500)))
    assert "larger than" in read.lost["It"]
    assert len(read.todos["It"].description or "") < 10_000
