"""Notes of Joplin, Keep and Memos.

What each field becomes, and what is told where it becomes nothing.
"""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from app.portability.content import clean_text
from app.portability.content.source_items import SourceFolder
from app.portability.formats.formats import open_import
from app.portability.formats.joplin import joplin_items
from tests.support import foreign_exports as exports
from tests.support.foreign_exports import (
    DAY,
    NOTE,
    OTHER,
    PICTURE,
    RESOURCE,
    TODO,
    Read,
    joplin_item,
    joplin_note,
    keep_note,
    memo,
)

GONE = "f" * 32


def joplin(place: Path, *items: str, **files: bytes) -> Read:
    """Read a RAW export of these items, under the ids that they have."""
    texts = {f"{joplin_items.parse(text).id}.md": text.encode() for text in items}
    return Read(
        open_import(
            exports.folder(
                place,
                {**texts, **{f"resources/{name}": content for name, content in files.items()}},
            ),
            "joplin-raw",
        )
    )


def keep(place: Path, note: dict[str, Any], **files: bytes) -> Read:
    return Read(
        open_import(
            exports.folder(
                place,
                {
                    "Keep/one.json": json.dumps(note).encode(),
                    **{f"Keep/{n}": c for n, c in files.items()},
                },
            ),
            "google-keep",
        )
    )


def memos(place: Path, *found: dict[str, Any], **files: bytes) -> Read:
    content = {"page.json": json.dumps({"memos": found}).encode(), **files}
    return Read(open_import(exports.folder(place, content), "memos"))


@pytest.mark.parametrize(
    ("more", "reason"),
    [({"encryption_applied": 1}, "encrypted"), ({"deleted_time": DAY * 1000}, "trash")],
)
def test_what_joplin_encrypted_or_threw_away_is_told_by_name(
    tmp_path: Path, more: dict[str, object], reason: str
) -> None:
    read = joplin(
        tmp_path,
        joplin_note(NOTE, "Diary", "text", **more),
        joplin_note(OTHER, "Other", f"[to it](:/{NOTE})"),
    )
    assert list(read.notes) == ["Other"]
    assert reason in read.lost["Diary"]
    assert read.notes["Other"].text == f"[to it](:/{NOTE})"
    assert "does not contain the target" in read.lost["Other"]


def test_versions_and_settings_of_joplin_are_counted_in_the_report(tmp_path: Path) -> None:
    items = [
        joplin_item(13, f"{number:032x}", item_id=NOTE, body_diff='"x"')
        for number in range(0xC0, 0xC5)
    ]
    read = joplin(
        tmp_path, *items, joplin_item(15, f"{0xD0:032x}"), joplin_item(99, f"{0xD1:032x}")
    )
    assert set(read.lost) == {"5 old versions of notes", "1 saved filters", "1 things of type 99"}


def test_a_conflict_of_joplin_is_a_note_in_a_folder_of_its_own(tmp_path: Path) -> None:
    read = joplin(tmp_path, joplin_note(NOTE, "Plan", "mine", is_conflict=1))
    assert read.notes["Plan"].path == ("Conflicts",)


def test_notebooks_in_a_circle_or_without_their_parent_end_somewhere(tmp_path: Path) -> None:
    one, two, lost = (f"{number:032x}" for number in (1, 2, 3))
    read = joplin(
        tmp_path,
        joplin_item(2, one, "One", parent_id=two),
        joplin_item(2, two, "Two", parent_id=one),
        joplin_item(2, lost, "Lost", parent_id=GONE),
        joplin_note(NOTE, "Here", parent_id=one),
        joplin_note(OTHER, "There", parent_id=GONE),
        joplin_item(2, f"{4:032x}", "..", parent_id=""),
    )
    folders = {item.path for item in read.items if isinstance(item, SourceFolder)}
    assert folders == {("Two", "One"), ("One", "Two"), ("Lost",), ("Notebook",)}
    assert (read.notes["Here"].path, read.notes["There"].path) == (("Two", "One"), ())


def test_the_emoji_of_a_notebook_is_its_icon_and_a_picture_is_told(tmp_path: Path) -> None:
    icons = {
        "Sea": '{"type":1,"emoji":"🌊","name":"wave"}',
        "Sky": '{"type":2,"emoji":"","dataUrl":"data:image/png;base64,AA"}',
        "Odd": "x",
        "Plain": "",
    }
    read = joplin(
        tmp_path,
        *(
            joplin_item(2, f"{number:032x}", name, parent_id="", icon=icon)
            for number, (name, icon) in enumerate(icons.items())
        ),
    )
    assert {item.path[0]: item.icon for item in read.items if isinstance(item, SourceFolder)} == {
        "Sea": "🌊",
        "Sky": None,
        "Odd": None,
        "Plain": None,
    }
    assert set(read.lost) == {"Sky", "Odd"}


def test_a_todo_of_joplin_whose_text_has_links_is_a_note_beside_it(tmp_path: Path) -> None:
    read = joplin(
        tmp_path,
        joplin_note(
            TODO,
            "Call Ann",
            f"See [the plan](:/{NOTE}) first",
            is_todo=1,
            todo_completed=DAY * 1000,
        ),
        joplin_note(NOTE, "Plan", f"and [the call](:/{TODO})"),
    )
    assert read.notes["Call Ann"].text == f"See [the plan](note:{NOTE}) first"
    assert read.notes["Plan"].text == f"and [the call](note:{TODO})"
    todo = read.todos["Call Ann"]
    assert (todo.completed, todo.completed_at, todo.description) == (
        True,
        "2024-05-01T08:00:00.000Z",
        "Its text is the note “Call Ann”.",
    )


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (f"![](:/{RESOURCE})", f"![](attachment:{RESOURCE})"),
        (f'[a]( <:/{RESOURCE}> "t")', f'[a]( <attachment:{RESOURCE}> "t")'),
        (f'<img src=":/{RESOURCE}" width="5">', f'<img src="attachment:{RESOURCE}" width="5">'),
        (f"[x][1]\n\n[1]: :/{RESOURCE}", f"[x][1]\n\n[1]: attachment:{RESOURCE}"),
        (f"[n](:/{NOTE.upper()}#part)", f"[n](note:{NOTE}#part)"),
        (f"[n](joplin://x-callback-url/openNote?id={NOTE})", f"[n](note:{NOTE})"),
        (f"the id :/{RESOURCE} alone", f"the id :/{RESOURCE} alone"),
        ("https://example.org/a", "https://example.org/a"),
    ],
)
def test_links_of_joplin_are_addresses_of_the_import(tmp_path: Path, body: str, text: str) -> None:
    read = joplin(
        tmp_path,
        joplin_note(OTHER, "Links", body),
        joplin_note(NOTE, "Target"),
        joplin_item(4, RESOURCE, "a.png"),
        **{RESOURCE: PICTURE},
    )
    assert read.notes["Links"].text == text
    assert read.lost == {}


def test_a_file_that_joplin_lost_is_told_and_its_link_stays(tmp_path: Path) -> None:
    read = joplin(
        tmp_path,
        joplin_note(NOTE, "Links", f"![x](:/{RESOURCE})"),
        joplin_item(4, RESOURCE, "plan.pdf"),
    )
    assert read.notes["Links"].text == f"![x](:/{RESOURCE})"
    assert "missing" in read.lost["plan.pdf"]


def test_where_a_note_of_joplin_comes_from_stays_below_it(tmp_path: Path) -> None:
    place = {
        "latitude": "52.52000000",
        "longitude": "13.40500000",
        "source_url": "https://example.org/x",
        "author": "Ann",
    }
    read = joplin(
        tmp_path,
        joplin_note(NOTE, "Clip", "text", **place),
        joplin_note(OTHER, "Page", "<p>x</p>", markup_language=2, author="A<b>"),
    )
    assert (
        read.notes["Clip"].text
        == "text\n\nSource: https://example.org/x\nAuthor: Ann\nPlace: 52.52, 13.405"
    )
    assert read.notes["Page"].text == "<p>x</p>\n<p>Author: A&lt;b></p>"


@pytest.mark.parametrize(
    ("text", "title", "body"),
    [
        (joplin_note(NOTE, "Title", "line\n\ntype_: 5\nid: x"), "Title", "line\n\ntype_: 5\nid: x"),
        (joplin_note(NOTE, "", "body"), "", "body"),
        (joplin_note(NOTE, "Title", ""), "Title", ""),
        (joplin_note(NOTE, "Title", "a\n\n\n\nb"), "Title", "a\n\n\n\nb"),
        (joplin_note(NOTE, "Title", "body").replace("\n", "\r\n"), "Title", "body"),
        (joplin_item(6, NOTE, note_id=OTHER), "", ""),
    ],
)
def test_an_item_of_joplin_is_parted_into_title_text_and_properties(
    text: str, title: str, body: str
) -> None:
    found = joplin_items.parse(text)
    assert (found.id, found.title, found.body) == (NOTE, title, body)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "just text",
        "title\n\nbody",
        "t\n\nid: 5\ntype_: 1",
        f"t\n\nid: {NOTE}",
        f"t\n\nid: {NOTE}\ntype_: x",
        f"id: {NOTE}\ntype_: ²",
    ],
)
def test_what_is_no_item_of_joplin_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="it has no"):
        joplin_items.parse(text)


@pytest.mark.parametrize("moment", ["2024-05-01T08:00:00.000Z", str(DAY * 1000)])
def test_moments_of_joplin_are_read_in_both_forms(moment: str) -> None:
    found = joplin_items.parse(joplin_note(NOTE, "x", user_created_time=moment, created_time="1"))
    assert found.when("user_created_time", "created_time") == "2024-05-01T08:00:00.000Z"
    assert found.when("todo_due", "altitude") is None


def test_a_note_of_keep_without_a_title_is_named_by_its_text(tmp_path: Path) -> None:
    assert list(
        keep(
            tmp_path / "a", keep_note(textContent="**Call** the [shop](https://example.org)\nnow")
        ).notes
    ) == ["Call the shop"]
    assert list(keep(tmp_path / "b", keep_note()).notes) == ["one"]


def test_what_keep_cannot_hand_over_is_told_by_name(tmp_path: Path) -> None:
    read = keep(
        tmp_path,
        keep_note(
            title="Party",
            textContent="x",
            textContentHtml="<p><span style='font-weight:700'>x</span></p>",
            color="BLUE",
            sharees=[
                {"isOwner": True, "email": "me@example.org"},
                {"isOwner": False, "email": "bob@example.org"},
            ],
            attachments=[{"filePath": "../../secret.png", "mimetype": "image/png"}],
        ),
        stray=b"x",
    )
    reasons = [(item.name, item.reason) for item in read.items if hasattr(item, "reason")]
    assert [name for name, _ in reasons] == ["../../secret.png", "Party", "Party", "Keep/stray"]
    assert any(
        "bob@example.org" in reason and "me@example.org" not in reason for _, reason in reasons
    )
    assert read.notes["Party"].tags == ("color/blue",)


def test_a_damaged_json_of_keep_falls_back_to_its_page(tmp_path: Path) -> None:
    files = {
        "Keep/Packing.json": b'{"title": "Pack',
        "Keep/Packing.html": exports.KEEP_PAGE.encode(),
        "Keep/a.json": json.dumps(keep_note(title="A")).encode(),
    }
    read = Read(open_import(exports.folder(tmp_path, files)))
    assert read.notes["Packing"].text == "- [x] Tent & pegs\n- [ ] Stove"
    assert "cannot be read" in read.lost["Keep/Packing.json"]


@pytest.mark.parametrize(
    "value", [None, 5, "x", [], {"a": 1}, [None, 5], [{"text": None, "filePath": 5, "name": []}]]
)
def test_fields_of_keep_of_any_type_are_borne(tmp_path: Path, value: Any) -> None:
    for name in (
        "title",
        "textContent",
        "listContent",
        "attachments",
        "annotations",
        "labels",
        "sharees",
        "color",
        "userEditedTimestampUsec",
    ):
        read = keep(tmp_path / name, {**keep_note(title="T", textContent="x"), name: value})
        assert len(read.notes) == 1


@pytest.mark.parametrize(
    ("usec", "moment"),
    [
        (DAY * 1_000_000, "2024-05-01T08:00:00.000Z"),
        (str(DAY * 1_000_000), "2024-05-01T08:00:00.000Z"),
        (0, None),
        (10**30, None),
        (-(10**18), None),
    ],
)
def test_moments_of_keep_are_microseconds(tmp_path: Path, usec: Any, moment: str | None) -> None:
    assert (
        keep(tmp_path, keep_note(title="T", userEditedTimestampUsec=usec)).notes["T"].updated
        == moment
    )


def test_a_page_in_another_language_keeps_its_note_without_the_time(tmp_path: Path) -> None:
    page = exports.KEEP_PAGE.replace(
        "May 1, 2024, 10:11:12\u202fPM", "1 mai 2024, 22:11:12"
    ).replace("archived", "pinned")
    read = Read(
        open_import(exports.folder(tmp_path, {"Packing.html": page.encode()}), "google-keep")
    )
    note = read.notes["Packing"]
    assert (note.updated, note.pinned, note.path) == (None, True, ())


def test_memos_refer_to_each_other_by_whatever_id_they_have(tmp_path: Path) -> None:
    read = memos(
        tmp_path,
        memo("12", "First", uid="abc"),
        memo(
            "13",
            "See [one](/m/abc) and [gone](/m/zzz)",
            uid="def",
            relations=[
                {"memo": f"memos/{one}", "relatedMemo": f"memos/{other}", "type": "REFERENCE"}
                for one, other in ((13, 12), (12, 13))
            ],
        ),
        memo("14", "A comment", parent="memos/12"),
    )
    texts = {note.key: note.text for note in read.notes.values()}
    assert texts == {
        "12": "First",
        "13": "See [one](note:12) and [gone](/m/zzz)\n\nRelated: [First](note:12)",
        "14": "A comment\n\nComment on [First](note:12)",
    }


def test_files_of_memos_are_found_by_id_by_name_inside_or_on_the_web(tmp_path: Path) -> None:
    def attached(own: str, name: str, **more: Any) -> dict[str, Any]:
        return {
            "name": f"attachments/{own}",
            "filename": name,
            "type": "image/png",
            "content": "",
            "externalLink": "",
            **more,
        }

    read = memos(
        tmp_path,
        memo(
            "a",
            "![x](https://m.example.org/file/attachments/f1/pot.png)",
            attachments=[attached("f1", "pot.png")],
        ),
        memo(
            "b",
            "b",
            attachments=[
                attached("f2", "bowl.png"),
                attached("f3", "in.png", content=base64.b64encode(PICTURE).decode()),
            ],
        ),
        memo(
            "c",
            "c",
            attachments=[
                attached("f4", "web.png", externalLink="https://example.org/web.png"),
                attached("f5", "none.png"),
            ],
        ),
        memo("d", "d", attachments=[attached("f6", "two.png", size="7")]),
        **{
            "f1/pot.png": PICTURE,
            "1714550400_bowl.png": PICTURE,
            "x/two.png": PICTURE,
            "y/two.png": b"7 bytes",
        },
    )
    texts = {note.key: note.text for note in read.notes.values()}
    assert texts["a"] == "![x](attachment:f1)"
    assert texts["b"] == "b\n\n![bowl.png](attachment:f2)\n![in.png](attachment:f3)"
    assert texts["c"] == "c\n\n![web.png](https://example.org/web.png)"
    assert read.contents == {"f1": PICTURE, "f2": PICTURE, "f3": PICTURE, "f6": b"7 bytes"}
    assert set(read.lost) == {"none.png", "x/two.png"}


def test_what_memos_cannot_hand_over_is_told_by_name(tmp_path: Path) -> None:
    read = memos(
        tmp_path,
        memo("a", "Open", visibility="PUBLIC"),
        memo("b", "Loved", reactions=[{"reactionType": "x"}] * 3),
        memo("c", "Gone", state="DELETED"),
        memo("d", "Place", location={"placeholder": "Berlin", "latitude": 52.5, "longitude": 13.4}),
        {"content": "no id", "createTime": "x"},
    )
    assert "PUBLIC" in read.lost["Open"]
    assert "3 reactions" in read.lost["Loved"]
    assert "deleted" in read.lost["Gone"]
    assert "page.json, number 5" in read.lost
    assert read.notes["Place"].text == "Place\n\nPlace: Berlin, 52.5, 13.4"


def test_tags_of_older_memos_are_read_from_the_text_outside_of_code(tmp_path: Path) -> None:
    old = {
        "id": 3,
        "rowStatus": "NORMAL",
        "createdTs": DAY,
        "updatedTs": DAY,
        "content": "#one and a#two `#three` #four/five, # six\n```\n#seven\n```",
        "visibility": "PRIVATE",
    }
    [note] = memos(tmp_path, old).notes.values()
    assert note.tags == ("one", "four/five")
    assert note.created == "2024-05-01T08:00:00.000Z"


def test_a_memo_that_is_on_two_pages_comes_once(tmp_path: Path) -> None:
    content = json.dumps([memo("a", "One")]).encode()
    read = Read(
        open_import(
            exports.folder(
                tmp_path,
                {
                    "p1.json": content,
                    "p2.json": content,
                    "single.json": json.dumps(memo("b", "Two")).encode(),
                },
            )
        )
    )
    assert list(read.notes) == ["One", "Two"]


@pytest.mark.parametrize(
    "value",
    [
        None,
        5,
        "x",
        [],
        {"a": 1},
        [None, 5],
        [{"name": 5, "filename": None, "memo": 1, "relatedMemo": []}],
    ],
)
def test_fields_of_memos_of_any_type_are_borne(tmp_path: Path, value: Any) -> None:
    for name in (
        "attachments",
        "relations",
        "tags",
        "property",
        "location",
        "reactions",
        "parent",
        "state",
        "visibility",
        "createTime",
        "pinned",
    ):
        assert len(memos(tmp_path / name, {**memo("a", "x"), name: value}).notes) == 1


@pytest.mark.parametrize(
    ("given", "cleaned"),
    [
        ("a\0b", "ab"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("\ud800x", "\ufffdx"),
        ("😀", "😀"),
        ("\ud83d\ude00", "😀"),
        (None, ""),
        (5, ""),
    ],
)
def test_texts_are_cleaned_of_what_cannot_be_stored(given: object, cleaned: str) -> None:
    assert clean_text.clean_text(given) == cleaned


@pytest.mark.parametrize(
    ("address", "link"),
    [
        ("javascript:alert(1)", ""),
        ("https://a.b/c d(e)", "https://a.b/c%20d%28e%29"),
        ("file:///etc/passwd", ""),
        (5, ""),
    ],
)
def test_only_addresses_of_the_web_become_links(address: object, link: str) -> None:
    assert clean_text.web_address(address) == link
