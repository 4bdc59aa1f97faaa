"""Small exports of other programs, made as these programs make them."""

import base64
import io
import json
import os
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from app.portability.content.source_items import (
    Item,
    NotCarried,
    Source,
    SourceFile,
    SourceNote,
    SourceTodo,
)

PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
DAY = 1_714_550_400  # 2024-05-01 08:00 UTC, when all of these were exported

WORK, HOME, NOTE, OTHER, TODO, RESOURCE, TAG = (f"{number:032x}" for number in range(0xA1, 0xA8))


def joplin_item(
    kind: int, own: str, title: str | None = None, body: str | None = None, **more: object
) -> str:
    """Give an item as Joplin writes it."""
    properties = {
        "id": own,
        "created_time": "2024-03-01T10:00:00.000Z",
        "updated_time": "2024-03-02T10:00:00.000Z",
        "user_created_time": "2024-02-01T10:00:00.000Z",
        "user_updated_time": "2024-02-02T10:00:00.000Z",
        "encryption_cipher_text": "",
        "encryption_applied": 0,
        **more,
        "type_": kind,
    }
    head = [part for part in (title, body) if part is not None and (part or part is title)]
    return "\n\n".join([*head, "\n".join(f"{name}: {value}" for name, value in properties.items())])


def joplin_note(own: str, title: str, body: str = "", **more: object) -> str:
    """Give a note with the properties that all notes have."""
    given = {
        "parent_id": HOME,
        "is_conflict": 0,
        "latitude": "0.00000000",
        "longitude": "0.00000000",
        "altitude": "0.0000",
        "author": "",
        "source_url": "",
        "is_todo": 0,
        "todo_due": 0,
        "todo_completed": 0,
        "markup_language": 1,
        "deleted_time": 0,
    }
    return joplin_item(1, own, title, body, **{**given, **more})


def joplin_files() -> dict[str, bytes]:
    """Give the files of an export with two notebooks, two notes, a todo, a tag and a picture."""
    items = {
        WORK: joplin_item(2, WORK, "Work", parent_id="", icon=""),
        HOME: joplin_item(2, HOME, "Garden/Plan", parent_id=WORK, icon=""),
        NOTE: joplin_note(
            NOTE,
            "Roses",
            f'Prune them.\n\n![bush](:/{RESOURCE}) and [more](:/{OTHER} "x")\n\nEnd',
            source_url="https://example.org/r",
        ),
        OTHER: joplin_note(
            OTHER, "Tulips", f'<p>Bulbs <img src=":/{RESOURCE}"></p>', markup_language=2
        ),
        TODO: joplin_note(
            TODO, "Buy soil", "- [x] peat\n- [ ] sand", is_todo=1, todo_due=(DAY + 86_400) * 1000
        ),
        RESOURCE: joplin_item(
            4,
            RESOURCE,
            "bush.png",
            mime="image/png",
            filename="",
            file_extension="png",
            size=len(PICTURE),
        ),
        TAG: joplin_item(5, TAG, "plants"),
        f"{0xB1:032x}": joplin_item(6, f"{0xB1:032x}", note_id=NOTE, tag_id=TAG),
    }
    return {
        **{f"{own}.md": text.encode() for own, text in items.items()},
        f"resources/{RESOURCE}.png": PICTURE,
    }


def keep_note(**more: Any) -> dict[str, Any]:
    """Give a note as Keep's JSON has it."""
    return {
        "color": "DEFAULT",
        "isTrashed": False,
        "isPinned": False,
        "isArchived": False,
        "textContent": "",
        "title": "",
        "userEditedTimestampUsec": DAY * 1_000_000,
        "createdTimestampUsec": (DAY - 86_400) * 1_000_000,
        **more,
    }


KEEP_PAGE = """<?xml version="1.0" ?>
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN"
 "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">
<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Packing</title>
<style>.listitem{}</style></head>
<body><div class="note YELLOW"><div class="heading"><div class="meta-icons">\
<span class="archived" title="Note archived"></span></div>
May 1, 2024, 10:11:12\u202fPM</div><div class="title">Packing</div><div class="content">\
<ul class="list">
<li class="listitem checked"><span class="bullet">&#9745;</span>
<span class="text">Tent &amp; pegs</span></li><li class="listitem">\
<span class="bullet">&#9744;</span><span class="text">Stove</span></li></ul></div>
<div class="chips"><span class="chip label"><span class="label-name">Trips</span></span></div>\
</div></body></html>"""


def keep_files() -> dict[str, bytes]:
    """Give the files of a Takeout with notes, a checklist, a page alone and a picture."""
    text = keep_note(
        title="Jam",
        textContent="Boil the berries\nfor an hour",
        labels=[{"name": "Kitchen"}],
        color="RED",
        isPinned=True,
        attachments=[{"filePath": "berry.jpeg", "mimetype": "image/png"}],
        annotations=[
            {
                "description": "",
                "source": "WEBLINK",
                "title": "Jam [1]",
                "url": "https://example.org/jam",
            }
        ],
    )
    boxes = keep_note(
        title="Market",
        isArchived=True,
        listContent=[{"text": "eggs", "isChecked": True}, {"text": "milk", "isChecked": False}],
    )
    trashed = keep_note(title="Old thing", textContent="gone", isTrashed=True)
    return {
        "Takeout/archive_browser.html": b"<html></html>",
        "Takeout/Keep/Jam.json": json.dumps(text).encode(),
        "Takeout/Keep/Jam.html": b"<html></html>",
        "Takeout/Keep/Market.json": json.dumps(boxes).encode(),
        "Takeout/Keep/Old thing.json": json.dumps(trashed).encode(),
        "Takeout/Keep/Packing.html": KEEP_PAGE.encode(),
        "Takeout/Keep/berry.jpg": PICTURE,
        "Takeout/Keep/Labels.txt": b"Kitchen\n",
    }


def memo(own: str, content: str, **more: Any) -> dict[str, Any]:
    """Give a memo as the API gives it."""
    return {
        "name": f"memos/{own}",
        "state": "NORMAL",
        "creator": "users/1",
        "createTime": "2024-04-01T09:00:00Z",
        "updateTime": "2024-04-02T09:00:00Z",
        "content": content,
        "visibility": "PRIVATE",
        "tags": [],
        "pinned": False,
        "attachments": [],
        "relations": [],
        "reactions": [],
        "property": {"title": "", "hasLink": False},
        "snippet": content[:20],
        **more,
    }


def memos_files() -> dict[str, bytes]:
    """Give two pages of memos, one of them of an older version, and a file."""
    new = memo(
        "abc",
        "# Kiln\nFire at 980 °C #pottery",
        tags=["pottery"],
        pinned=True,
        attachments=[
            {
                "name": "attachments/f1",
                "filename": "pot.png",
                "type": "image/png",
                "size": str(len(PICTURE)),
                "content": "",
            }
        ],
        relations=[
            {
                "memo": {"name": "memos/abc"},
                "relatedMemo": {"name": "memos/def"},
                "type": "REFERENCE",
            }
        ],
    )
    second = memo(
        "def", "Glaze recipe, see [the kiln](https://memos.example.org/memos/abc)", state="ARCHIVED"
    )
    old = [
        {
            "id": 7,
            "rowStatus": "NORMAL",
            "creatorId": 1,
            "createdTs": DAY,
            "updatedTs": DAY,
            "content": "Wheel #tools",
            "visibility": "PRIVATE",
            "pinned": False,
            "resourceList": [],
            "relationList": [{"memoId": 7, "relatedMemoId": 8, "type": "REFERENCE"}],
        }
    ]
    return {
        "page1.json": json.dumps({"memos": [new, second], "nextPageToken": ""}).encode(),
        "old.json": json.dumps(old).encode(),
        "f1_pot.png": PICTURE,
    }


TODOIST = """\ufeffTYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR,\
RESPONSIBLE,DATE,DATE_LANG,TIMEZONE,DURATION,DURATION_UNIT
meta,view_style=list,,,,,,,,,,
section,Outside,,,,,,,,,,
task,Paint the fence @home,"Two coats,
both sides",1,1,Ann (123),,2024-06-01,en,Europe/Berlin,None,None
task,Buy paint,,4,2,Ann (123),,,en,,,
task,Green,,2,3,Ann (123),,tomorrow,en,,,
note,"Ask Bob [[file {""file_name"":""fence.jpg"",\
""file_url"":""https://files.example.org/f.jpg""}]]",,,,Ann (123),,,,,,
task,Water the beans,,4,1,Ann (123),Bob (9),every monday at 9am,en,Europe/Berlin,30,minute
task,Call the mayor,,2,1,Ann (123),,next week maybe,en,,,
""".replace("\n", "\r\n").encode()

TODO_TXT = """(A) 2024-04-01 Call the plumber +house @phone due:2024-05-03
x 2024-04-30 2024-04-01 Pay the rent +house pri:B
Water the cactus rec:+2w due:2024-05-05 t:2024-05-01
x 2024-04-02 Read the book
(C) Look at http://example.org/a:b now
Call the plumber
""".encode()  # noqa: UP012 -- the same shape as the others

ICS = (
    """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//example//tasks//EN
X-WR-CALNAME:Chores
BEGIN:VTIMEZONE
TZID:Office
X-LIC-LOCATION:Europe/Berlin
END:VTIMEZONE
BEGIN:VTODO
UID:t1
SUMMARY:Clean the gutter\\, twice
DESCRIPTION:Ladder is in
  the shed
DUE;TZID=Office:20240603T090000
RRULE:FREQ=MONTHLY;BYMONTHDAY=3
PRIORITY:1
CATEGORIES:house,autumn
CREATED:20240401T080000Z
BEGIN:VALARM
ACTION:DISPLAY
DESCRIPTION:now
END:VALARM
END:VTODO
BEGIN:VTODO
UID:t2
RELATED-TO:t1
SUMMARY:Find the ladder
STATUS:COMPLETED
COMPLETED:20240402T080000Z
END:VTODO
BEGIN:VTODO
UID:t3
SUMMARY:Return the books
STATUS:COMPLETED
COMPLETED:20240402T080000Z
DUE;VALUE=DATE:20240401
END:VTODO
BEGIN:VJOURNAL
UID:j1
SUMMARY:First swarm
DESCRIPTION:The bees left at noon.
CATEGORIES:bees
DTSTART;VALUE=DATE:20240415
ATTACH;ENCODING=BASE64;VALUE=BINARY;FMTTYPE=image/png;FILENAME=bee.png:PNG
END:VJOURNAL
BEGIN:VEVENT
UID:e1
SUMMARY:Dentist
DTSTART:20240501T080000Z
END:VEVENT
END:VCALENDAR
""".replace("PNG", base64.b64encode(PICTURE).decode())
    .replace("\n", "\r\n")
    .encode()
)


def folder(place: Path, files: Mapping[str, bytes]) -> Path:
    """Write files below a folder."""
    for name, content in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(content)
    return place


def tar(path: Path, files: Mapping[str, bytes], mode: str = "w") -> Path:
    """Write a tar archive."""
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(content), DAY
            archive.addfile(info, io.BytesIO(content))
    return path


def zipped(path: Path, files: Mapping[str, bytes]) -> Path:
    """Write a zip archive."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(
                zipfile.ZipInfo(name, (2024, 5, 1, 8, 0, 0)), content, zipfile.ZIP_DEFLATED
            )
    return path


def single(path: Path, content: bytes) -> Path:
    """Write one file that is as old as its export."""
    path.write_bytes(content)
    os.utime(path, (DAY, DAY))
    return path


def every_export(place: Path) -> Iterator[tuple[str, Path]]:
    """Write each export and give its format."""
    yield "joplin-jex", tar(place / "notes.jex", joplin_files())
    yield "joplin-raw", folder(place / "raw", joplin_files())
    yield "google-keep", zipped(place / "takeout.zip", keep_files())
    yield "google-keep", tar(place / "takeout.tgz", keep_files(), "w:gz")
    yield "google-keep", folder(place / "unpacked", keep_files())
    yield "google-keep", folder(place / "page", {"Packing.html": KEEP_PAGE.encode()})
    yield "memos", single(place / "memos.json", memos_files()["page1.json"])
    yield "memos", folder(place / "memos", memos_files())
    yield "memos", zipped(place / "memos.zip", memos_files())
    yield "todoist-csv", single(place / "Garden.csv", TODOIST)
    yield (
        "todoist-csv",
        zipped(place / "backup.zip", {"Garden [12].csv": TODOIST, "Inbox [13].csv": TODOIST}),
    )
    yield "todo.txt", single(place / "todo.txt", TODO_TXT)
    yield (
        "todo.txt",
        single(place / "chores.txt", TODO_TXT.partition(b"\n")[0] + b"\nx 2024-04-02 Read\n"),
    )
    yield (
        "todo.txt",
        folder(place / "lists", {"todo.txt": TODO_TXT, "done.txt": b"x 2024-01-01 Done\n"}),
    )
    yield "ics", single(place / "tasks.ics", ICS)
    yield "ics", folder(place / "calendars", {"a.ics": ICS, "b.ics": ICS})


class Read:
    """Everything that a source gave."""

    def __init__(self, source: Source) -> None:
        self.items: list[Item] = []
        self.contents: dict[str, bytes] = {}
        try:
            for item in source.items():
                self.items.append(item)
                if isinstance(item, SourceFile):
                    with item.open() as stream:
                        self.contents[item.key] = stream.read()
        finally:
            source.close()

    @property
    def notes(self) -> dict[str, SourceNote]:
        """The notes by their titles."""
        return {item.title: item for item in self.items if isinstance(item, SourceNote)}

    @property
    def todos(self) -> dict[str, SourceTodo]:
        """The todos by their titles."""
        return {item.title: item for item in self.items if isinstance(item, SourceTodo)}

    @property
    def lost(self) -> dict[str, str]:
        """What was not carried, and why."""
        return {item.name: item.reason for item in self.items if isinstance(item, NotCarried)}
