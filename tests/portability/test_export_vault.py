"""An export is a good vault for other programs.

One front matter, links that find files, file times; read by a reader of its own.
"""

import asyncio
import io
import os
import re
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from app.core.markdown import front_matter
from app.portability.content import own_front_matter
from tests.conftest import Client, MovableClock, Served
from tests.portability.test_import import PNG, notes_of
from tests.support.moving import files, plant, read_in, write_out

pytestmark = pytest.mark.anyio
KEYED = (
    "---\naliases: [A]   # mine\nid: 7\ntitle: Another\n\ntags:\n- b\n- "
    "a\ncreated: 2020-01-02\nurl: 'x: y'\n---\n"
)
VAULT: dict[str, str | bytes] = {
    "Plain.md": "# Plain\n",
    "Keyed.md": KEYED + "text\n\n---\n\nmore",
    "Windows.md": "---\r\naliases: [W]\r\n---\r\ntext\r\n",
    "Template.md": "---\ncreated: {{date}}\ntags: [t]\n---\n{{title}}",
    "Commented.md": "---\n# nothing but this\n---\n",
    "Sub/Linked.md": "[[Keyed]] ![[pic.png|300]] [p](<../Plain.md#Plain>) `[[Keyed]]`\n\n[r]: "
    "../Keyed.md\n",
    "pic.png": PNG,
}
FIELDS: dict[str, Any] = {
    "id": "a-1",
    "title": "T",
    "created": "2020-01-02T00:00:00.000Z",
    "updated": "2021-01-01T00:00:00.000Z",
}


def parted(text: str) -> tuple[str, str]:
    """The lines of the front matter of a file and the text below it, as any program reads them."""
    lines = text.split("\n")
    end = next(number for number, line in enumerate(lines[1:], 1) if line.rstrip("\r") == "---")
    assert lines[0].rstrip("\r") == "---"
    return "\n".join(lines[1:end]), "\n".join(lines[end + 1 :])


def follow(vault: Path, file: Path) -> list[Path | None]:
    """What the links of a file lead to; None for nothing.

    By title as vaults do: by a path's end or a name that only one file has.
    """
    text = re.sub(r"`[^`\n]*`", "", parted(file.read_text("utf-8"))[1])
    found: list[Path | None] = []
    addresses = [
        *re.findall(r"\]\(([^()\s]+)", text),
        *re.findall(r"(?m)^\[[^\]]+\]:\s*(\S+)", text),
    ]
    for address in (one for one in addresses if "://" not in one):
        target = (file.parent / unquote(address.partition("#")[0])).resolve()
        found.append(target if target.is_file() else None)
    for link in re.findall(r"\[\[([^\[\]\n]+)\]\]", text):
        name = re.split(r"\\?\||#", link)[0].casefold()
        fits = [
            path
            for path in vault.rglob("*.md")
            if f"/{path.relative_to(vault).with_suffix('').as_posix()}".casefold().endswith(
                f"/{name}"
            )
        ]
        found.append(fits[0] if len(fits) == 1 else None)
    return found


async def exported(served: Served, target: Path) -> Path:
    await asyncio.to_thread(write_out, served, "alice", target)
    return target / "notes"


async def test_each_file_has_one_front_matter_with_its_own_lines_as_they_were(
    served: Served, alice: Client, tmp_path: Path
) -> None:
    await read_in(served, "alice", plant(tmp_path / "vault", VAULT))
    notes = await exported(served, tmp_path / "out")
    for name in ("Keyed", "Windows", "Commented", "Template"):
        own, own_text = parted(str(VAULT[f"{name}.md"]))
        block, text = parted((notes / f"{name}.md").read_bytes().decode())
        assert block.startswith(own)
        assert text == own_text
    block, _ = parted((notes / "Keyed.md").read_text("utf-8"))
    found = yaml.load(block, LOADER)
    ids = {title: note["id"] for title, note in (await notes_of(alice)).items()}
    assert (found["id"], found["title"], found["tags"], found["aliases"]) == (
        7,
        "Another",
        ["b", "a"],
        ["A"],
    )
    assert found["hearth-id"].endswith(f"{ids['Keyed']:010d}")
    assert (found["hearth-title"], found["hearth"]) == ("Keyed", ["updated"])
    assert "hearth-created" not in found
    assert "hearth-tags" not in found
    plain = yaml.safe_load(parted((notes / "Plain.md").read_text("utf-8"))[0])
    assert plain["title"] == "Plain"


async def test_an_export_with_front_matter_comes_back_as_it_was(
    served: Served, alice: Client, bob: Client, tmp_path: Path
) -> None:
    await read_in(served, "alice", plant(tmp_path / "vault", VAULT))
    keyed = (await notes_of(alice))["Keyed"]
    await alice.ok(
        "PATCH", f"/os/notes/{keyed['id']}", json={"tags": ["new"], "title": "Key: word"}
    )
    await exported(served, tmp_path / "out")
    same = await read_in(served, "alice", tmp_path / "out")
    assert (same.notes.unchanged, same.notes.updated, same.notes.created) == (6, 0, 0)
    await served.person("carol")
    await bob.note("In the way")
    await read_in(served, "carol", tmp_path / "out")
    await asyncio.to_thread(write_out, served, "carol", tmp_path / "again")
    assert files(tmp_path / "again") == files(tmp_path / "out")
    texts = await served.parts.read(
        lambda tx: tx.all(
            "SELECT title, content, tags FROM notes WHERE title = 'Key: word' ORDER BY id"
        )
    )
    assert [(row["content"], row["tags"]) for row in texts] == [
        (KEYED + "text\n\n---\n\nmore", '["new"]')
    ] * 2


async def test_links_find_their_files_whatever_names_these_got(
    served: Served, alice: Client, tmp_path: Path
) -> None:
    await read_in(served, "alice", plant(tmp_path / "vault", VAULT))
    for title in ("a: b", "C#", "x" * 200, "[x]", "CON"):
        await alice.note(title, "text")
    first = await alice.note("Same", "one", folderId=await alice.folder("A"))
    await alice.note("Same", "two", folderId=await alice.folder("B"))
    text = (
        f"[[a: b]] [[a: b|shown]] ![[C#]] [[C##Part]] [[{'x' * 200}]] [[CON]] "
        "[[A/Same]] [[B/Same#P|s]] [[Same]] `[[a: b]]` [[Nobody: here]] "
        f"[n](/os/notes/{first['id']}#P)\n\n| a |\n| - |\n| [[a: b]] |\n\n[r]: "
        f"/os/notes/{first['id']}\n"
    )
    await alice.note("Links", text)
    notes = await exported(served, tmp_path / "out")
    body = parted((notes / "Links.md").read_text("utf-8"))[1]
    assert body.startswith(
        "[[a_ b|a: b]] [[a_ b|shown]] ![[C_|C#]] [[C_#Part|C##Part]] "
        f"[[{'x' * 80}|{'x' * 200}]] [[_CON|CON]] [[A/Same]] [[B/Same#P|s]]"
    )
    assert "`[[a: b]]` [[Nobody: here]]" in body
    assert "| [[a_ b\\|a: b]] |" in body
    found = follow(notes, notes / "Links.md")
    assert [path and path.relative_to(notes.resolve()).as_posix() for path in found] == [
        "A/Same.md",
        "A/Same.md",
        *["a_ b.md"] * 2,
        *["C_.md"] * 2,
        f"{'x' * 80}.md",
        "_CON.md",
        "A/Same.md",
        *["B/Same.md"] * 2,
        None,
        "a_ b.md",
    ]
    assert None not in follow(notes, notes / "Sub/Linked.md")
    await served.person("carol")
    await read_in(served, "carol", tmp_path / "out")
    rows = await served.parts.read(
        lambda tx: tx.all("SELECT content FROM notes WHERE title = 'Links' ORDER BY id")
    )
    assert [re.sub(r"/os/notes/\d+", "", row["content"]) for row in rows] == [
        re.sub(r"/os/notes/\d+", "", text)
    ] * 2
    await asyncio.to_thread(write_out, served, "carol", tmp_path / "again")
    assert files(tmp_path / "again") == files(tmp_path / "out")


async def test_files_have_the_times_of_their_notes(
    served: Served, alice: Client, clock: MovableClock, tmp_path: Path
) -> None:
    vault = plant(tmp_path / "vault", {"Old.md": "x", "pic.png": PNG})
    old = datetime(2019, 5, 6, 7, 8, 10, tzinfo=UTC).timestamp()
    for name in ("Old.md", "pic.png"):
        os.utime(vault / name, (old, old))
    await read_in(served, "alice", vault)
    await alice.note("New")
    notes = await exported(served, tmp_path / "out")
    assert (
        (notes / "Old.md").stat().st_mtime
        == (tmp_path / "out/attachments/pic.png").stat().st_mtime
        == old
    )
    assert (notes / "New.md").stat().st_mtime == clock().timestamp()
    await asyncio.to_thread(write_out, served, "alice", tmp_path / "out.zip")
    with zipfile.ZipFile(io.BytesIO((tmp_path / "out.zip").read_bytes())) as archive:
        info = archive.getinfo("notes/Old.md")
    assert info.date_time == (2019, 5, 6, 7, 8, 10)
    assert int.from_bytes(info.extra[5:9], "little") == old


async def test_what_others_add_to_the_front_matter_of_an_export_comes_in(
    served: Served, alice: Client, tmp_path: Path
) -> None:
    await alice.note("Mine", "text", tags=["a"])
    notes = await exported(served, tmp_path / "out")
    text = (notes / "Mine.md").read_text("utf-8")
    (notes / "Mine.md").write_text(
        text.replace("---\ntext", "aliases:\n  - M\n---\ntext").replace(
            'tags: ["a"]', "tags:\n  - a\n  - b"
        )
    )
    await read_in(served, "alice", tmp_path / "out")
    mine = (await notes_of(alice))["Mine"]
    assert (mine["markdown"], mine["tags"]) == ("---\naliases:\n  - M\n---\ntext", ["a", "b"])


LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
LONG = "".join(f"field-{number}: {'x' * 60}\n" for number in range(400))
FIELDS_OF_OWN = {
    "long": LONG,
    "very long": LONG * 60,
    "long list": "tags:\n" + "".join(f"  - tag{number}\n" for number in range(3000)),
    "braces": "{a: b, tags: [x]}\n",
    "braces on lines": "# note\n{\n  a: b,\n  c: {d: e}\n}\n",
    "empty braces": "{}\n",
    "odd key": "a:b: c\nd: e\n",
    "asked key": "? a\n: b\n",
    "anchor": "&x\na: b\n",
    "own mark": "hearth: x\nhearth-id: 3\n",
    "own marks": 'hearth: x\nhearth_: ["id"]\nid: 7\n',
    "template": "created: {{date}}\n<%* code %>\ntags: [a\n",
}
TEXT_OF_OWN = {
    "list": "- one\n- two\n",
    "prose": "Dear all: welcome\nto the first week\nof the project\n",
    "word": "word\n",
    "quoted": "'a: b'\n",
}


def blocks_on_top(text: str) -> list[Any]:
    """Give what the blocks between rules at the very top say, read by PyYAML."""
    found: list[Any] = []
    rule = re.compile(r"\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.S | re.M)
    while match := rule.match(text):
        try:
            found.append(yaml.load(match[1], LOADER))
        except yaml.YAMLError:
            found.append(match[1])
        text = text[match.end() :]
    return found


@pytest.mark.parametrize("own", FIELDS_OF_OWN.values(), ids=FIELDS_OF_OWN)
def test_fields_of_any_shape_get_ours_in_one_block(own: str) -> None:
    text = f"---\n{own}---\ntext\n"
    written = own_front_matter.merge_fields(FIELDS, text)
    blocks = blocks_on_top(written)
    assert len(blocks) == 1
    if isinstance(blocks[0], dict):
        told = {"a-1"} & {value for value in blocks[0].values() if isinstance(value, str)}
        assert told
        assert (yaml.load(own, LOADER) or {}).items() <= blocks[0].items()
    found = own_front_matter.split_fields(written)
    assert found.text == text
    assert {name: found.fields[name] for name in FIELDS} == FIELDS


@pytest.mark.parametrize("own", TEXT_OF_OWN.values(), ids=TEXT_OF_OWN)
def test_lines_between_rules_that_are_no_fields_are_text_below_ours(own: str) -> None:
    text = f"---\n{own}---\ntext\n"
    written = own_front_matter.merge_fields(FIELDS, text)
    assert blocks_on_top(written)[0]["id"] == "a-1"
    assert written.endswith(text)
    assert not any(isinstance(block, dict) for block in blocks_on_top(written)[1:])
    assert own_front_matter.split_fields(written).text == text


def test_ours_is_read_however_many_links_it_names() -> None:
    links = {own_front_matter.LINKS: {f"a_ {number}": f"a: {number}" for number in range(9000)}}
    for text in ("text", "---\na: b\n---\ntext", "---\n{a: b}\n---\ntext"):
        found = own_front_matter.split_fields(own_front_matter.merge_fields(FIELDS | links, text))
        assert (found.text, found.fields[own_front_matter.LINKS]) == (text, *links.values())


async def test_front_matter_of_any_shape_and_length_comes_back(
    served: Served, alice: Client, tmp_path: Path
) -> None:
    for title, own in (FIELDS_OF_OWN | TEXT_OF_OWN).items():
        if own != FIELDS_OF_OWN["very long"]:
            await alice.note(title, f"---\n{own}---\ntext")
    before = await notes_of(alice)
    await exported(served, tmp_path / "out")
    same = await read_in(served, "alice", tmp_path / "out")
    assert (same.notes.updated, same.notes.created) == (0, 0)
    carol = await served.person("carol")
    await read_in(served, "carol", tmp_path / "out")
    after = await notes_of(carol)
    assert {title: (note["markdown"], note["tags"]) for title, note in after.items()} == {
        title: (note["markdown"], note["tags"]) for title, note in before.items()
    }


LINES = st.sampled_from(
    [
        "id: 7",
        "title: T",
        "title: 'U'",
        "tags: [a]",
        "tags:\n- a\n- b",
        "pinned: true",
        "version: 3",
        "created: 2020-01-02",
        "a: |",
        "  text",
        "# note",
        "",
        "hearth: x",
        'hearth_: ["id"]',
        "hearth-id: 5",
        "a:b: c",
        "? a",
        "{",
        "}",
        '{"hearth": [], a: b',
        "- item",
        "{a: b}",
        "b: [",
        "created: {{x}}",
        "x: y\u2028id: 5",
        "x: y\rid: 5",
        '"id": 3',
        "id:",
        "\ttab",
        "word",
    ]
)
TEXTS = st.builds(
    lambda lines, end, mark, body: mark + end.join(["---", *lines, "---", body]),
    st.lists(LINES, max_size=6),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "\ufeff"]),
    st.sampled_from(["", "text", "---\nx\n---\n"]),
)
MORE = st.fixed_dictionaries(
    {}, optional={"tags": st.just(["a"]), "pinned": st.just(True), "version": st.just(3)}
)


@given(TEXTS, MORE)
def test_what_is_put_into_a_front_matter_is_taken_out_of_it_again(
    text: str, more: dict[str, Any]
) -> None:
    fields = FIELDS | more
    written = own_front_matter.merge_fields(fields, text)
    found = own_front_matter.split_fields(written)
    usual = {"tags": [], "pinned": False, "version": 1}
    assert found.text == text
    assert usual | found.fields == usual | fields


@given(TEXTS)
def test_own_fields_read_the_same_with_ours_beside_them(text: str) -> None:
    own, trouble = front_matter.read_fields(front_matter.find_block(text)[1])  # type: ignore[index]
    written = own_front_matter.merge_fields(FIELDS, text)
    if trouble is None and own and not written.startswith('---\nid: "a-1"'):
        found, _ = front_matter.read_fields(front_matter.find_block(written)[1])  # type: ignore[index]
        said = [{name: str(fields[name]).lower() for name in own} for fields in (found, own)]
        assert said[0] == said[1]
