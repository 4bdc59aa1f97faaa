"""The text of what is imported.

Links find what they lead to, and everything else stays letter for letter.
"""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.portability.content import address_links, literal_text
from tests.conftest import Client, Served
from tests.portability.test_import import PNG, notes_of
from tests.support.moving import plant, read_in

pytestmark = pytest.mark.anyio
FILES: dict[str, str | bytes] = {
    "x.png": PNG,
    "y.png": PNG + b"2",
    "a(1).png": PNG + b"3",
    "doc.pdf": b"%PDF-1.4",
    "Other.md": "# Part",
    "x.md": "x",
}
LITERAL = (
    "```\n![[x.png|300]] [a](Other.md)\n```",
    "~~~~ md\n[a](Other.md)\n~~~\n[a](Other.md)\n~~~~",
    "`[a](Other.md)` and ``![[x.png]] ` [a](x.png)``",
    "text\n\n    [a](Other.md)\n    ![[x.png]]\n\ntext",
    "\t[a](Other.md)\n",
    "# Code\n    [a](x.png)",
    "$f[a](x)$ and $$\n[a](x)\n\n![[x.png]]\n$$",
    "$\\$[a](x.png)$",
    'the words note:Other.md and attachment:x.png, "note:x.md" too',
    "`](note:Other.md)` and ```attachment:x.png```",
    "[a](https://x.md/Other.md) [b](mailto:x.md) [c](#x.md) [d](/x.md) "
    "[e](Missing.md) [[Missing.png|300]] [[Other]] ![[Other#Part]]",
    "\\[[x\n]] [a](\nx.md) C:\\x.md\r\n\ttabs  \n&#42; &amp; trailing   \n",
    "/os/attachments/999 /os/notes/abc",
)
LINKED = (
    ("![[x.png|300]]", "![x.png|300](/os/attachments/{x.png})"),
    ("![[x.png|300x200]]", "![x.png|300x200](/os/attachments/{x.png})"),
    ("![[x.png|A rose|300]]", "![A rose|300](/os/attachments/{x.png})"),
    ("[[x.png|300]]", "[300](/os/attachments/{x.png})"),
    (
        "| a |\n| - |\n| ![[x.png\\|300]] |",
        "| a |\n| - |\n| ![x.png\\|300](/os/attachments/{x.png}) |",
    ),
    ("| [[doc.pdf\\|The file]] |", "| [The file](/os/attachments/{doc.pdf}) |"),
    ("![[doc.pdf#page=3]]", "![doc.pdf](/os/attachments/{doc.pdf}#page=3)"),
    ("![[doc.pdf#page=3&height=400|Doc]]", "![Doc](/os/attachments/{doc.pdf}#page=3&height=400)"),
    ("![a|300](x.png)", "![a|300](/os/attachments/{x.png})"),
    (
        '[p](doc.pdf#page=3) [n](Other.md#Part) [n](<Other.md#A part> "t")',
        "[p](/os/attachments/{doc.pdf}#page=3) [n](/os/notes/{Other}#Part) "
        '[n](/os/notes/{Other}#A%20part "t")',
    ),
    ("![p](a(1).png)", "![p](/os/attachments/{a(1).png})"),
    ('[r]\n\n[r]: Other.md#Part "t"', '[r]\n\n[r]: /os/notes/{Other}#Part "t"'),
    ("costs $5 and [a](x.png) for $6", "costs $5 and [a](/os/attachments/{x.png}) for $6"),
    (
        "- item\n\n    - [a](x.png)\n\n    more [a](x.png)",
        "- item\n\n    - [a](/os/attachments/{x.png})\n\n    more [a](/os/attachments/{x.png})",
    ),
    ("`` ` `` [a](x.png) `x`", "`` ` `` [a](/os/attachments/{x.png}) `x`"),
)


async def stored(
    served: Served, client: Client, folder: Path, texts: dict[str, str]
) -> tuple[dict[str, str], dict[str, int]]:
    """What notes of these texts hold once they are imported, and the numbers of notes and files
    by name.
    """
    await read_in(
        served,
        "alice",
        plant(folder, {**FILES, **{f"{name}.md": text for name, text in texts.items()}}),
    )
    found: dict[str, Any] = await notes_of(client)
    numbers = {title: note["id"] for title, note in found.items()}
    numbers |= {
        one["name"]: one["id"] for one in (await client.ok("GET", "/os/attachments"))["attachments"]
    }
    return {title: note["markdown"] for title, note in found.items()}, numbers


async def test_code_maths_and_what_leads_nowhere_stay_letter_for_letter(
    served: Served, alice: Client, tmp_path: Path
) -> None:
    texts = {f"Literal {number}": text for number, text in enumerate(LITERAL)}
    found, _ = await stored(served, alice, tmp_path / "vault", texts)
    assert {title: found[title] for title in texts} == texts


async def test_links_and_embeds_lead_to_their_files_and_keep_sizes_and_fragments(
    served: Served, alice: Client, tmp_path: Path
) -> None:
    texts = {f"Linked {number}": text for number, (text, _) in enumerate(LINKED)}
    found, numbers = await stored(served, alice, tmp_path / "vault", texts)
    for number, (_, expected) in enumerate(LINKED):
        for name, row in numbers.items():
            expected = expected.replace(f"{{{name}}}", str(row))
        assert found[f"Linked {number}"] == expected


@pytest.mark.parametrize(
    "head",
    [
        "---\ntags: [a] # mine\n---\n",
        "---\n# a comment\ntags: [a]\n---\n",
        "---\ncreated: 2020-01-01\ndate: 2021-01-01\n---\n",
        "---\ncreated: some day\n---\n",
        "---\ntags: [a]\nkeywords: [b]\n---\n",
        "---\ntags: {a: b}\n---\n",
        f"---\ntags: [{'x' * 70}]\n---\n",
        "---\ncover: '[[x.png]]'\nurl: '[a](x.png)'\n---\n",
        "---\r\nb: 1\r\na:   2\r\n...\r\n",
    ],
)
async def test_front_matter_that_says_more_than_the_fields_of_a_note_stays_as_it_is(
    head: str, served: Served, alice: Client, tmp_path: Path
) -> None:
    found, numbers = await stored(served, alice, tmp_path / "vault", {"A": head + "[a](x.png)"})
    assert found["A"] == f"{head}[a](/os/attachments/{numbers['x.png']})"


@given(st.text("a`$~[](#!|x.md\n \t\\", max_size=80))
def test_literal_spans_lie_within_the_text_in_order(text: str) -> None:
    spans = literal_text.literal_spans(text)
    assert spans == sorted(spans)
    assert all(0 <= start < end <= len(text) for start, end in spans)


@given(
    st.lists(
        st.sampled_from(
            [
                "`",
                "```",
                "\n",
                "    ",
                "[a](/os/notes/1)",
                "/os/notes/2#p ",
                '<img src="/os/attachments/1">',
                "[r]: /os/notes/1",
                "$",
            ]
        )
    )
)
def test_addresses_that_are_exported_and_read_back_are_what_they_were(pieces: list[str]) -> None:
    text = "".join(pieces)
    places = {("note", 1): "notes/$a's b.md", ("file", 1): "attachments/x (1).png"}
    keys = {("note", 1): "aaaaaaaaaaaa-0000000001", ("file", 1): "aaaaaaaaaaaa-0000000002"}
    written = address_links.to_export_file(
        text,
        "notes/sub/c.md",
        lambda kind, row: places.get((kind, row)),
        lambda kind, row: keys.get((kind, row)),
    )
    kinds: dict[str, Any] = {place: (kind, keys[kind, 1]) for (kind, _), place in places.items()}
    named = address_links.to_names(written, "notes/sub/c.md", kinds.get)
    rows: dict[Any, int] = {(kind, key): 1 for (kind, _), key in keys.items()}
    assert address_links.referenced_keys(named) <= rows.keys()
    assert address_links.to_addresses(named, rows) == text
