"""What cannot be imported is told by name, with the best way to bring it here all the same."""

from pathlib import Path

import pytest

from app.errors import Invalid
from app.portability.content.source_items import NotCarried, SourceNote
from app.portability.formats import markdown_folder
from app.portability.formats.formats import open_import
from tests.support import foreign_exports as exports
from tests.support.moving import plant

BUNDLE = {
    "A.textbundle/text.md": b"# A",
    "A.textbundle/info.json": b"{}",
    "A.textbundle/assets/a.png": b"x",
}


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("notes.enex", b"<?xml version='1.0'?><en-export>", "Evernote.*Joplin.*JEX"),
        ("Notes.one", b"\xe4\x52\x5c\x7b", "OneNote.*Importer"),
        ("diary.md.age", b"age-encryption.org/v1\n", "encrypted.*decrypt"),
        ("letter.docx", b"PK\x03\x04", "document.*Markdown"),
        ("notes.json", b'{"activeNotes": []}', "Simplenote"),
        ("roam.json", b'[{"title": "A", "create-time": 5}]', "Roam"),
        ("backup.txt", b'{"items": [{"content_type": "Note"}]}', "Standard Notes"),
    ],
)
def test_a_file_of_a_known_program_is_refused_by_name(
    name: str, content: bytes, words: str, tmp_path: Path
) -> None:
    with pytest.raises(Invalid, match=f"(?s){name}.*{words}"):
        open_import(exports.single(tmp_path / name, content))


@pytest.mark.parametrize("name", ["Bear Notes.bear2bk", "all.zip", "A.textpack"])
def test_bundles_are_no_plain_markdown(name: str, tmp_path: Path) -> None:
    with pytest.raises(Invalid, match=r"Bear|TextBundle"):
        open_import(exports.zipped(tmp_path / name, BUNDLE))


def test_a_folder_of_bundles_or_of_exports_is_told_too(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="TextBundle"):
        open_import(exports.folder(tmp_path / "bundles", BUNDLE))
    with pytest.raises(Invalid, match="Evernote"):
        open_import(exports.folder(tmp_path / "exports", {"a.enex": b"x", "b.enex": b"x"}))


def test_what_nothing_knows_is_refused_with_the_formats_that_are_known(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match=r"none of the formats.*obsidian"):
        open_import(exports.single(tmp_path / "a.xyz", b"\0\1\2"))


def test_encrypted_notes_among_others_are_told_and_not_taken_for_text(tmp_path: Path) -> None:
    secret = "-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----\n"
    plant(
        tmp_path / "notes",
        {"secret.md": secret, "about.md": f"How to read this:\n\n{secret}", "plain.md": "x"},
    )
    items = list(markdown_folder.read(tmp_path / "notes").items())
    assert {one.title for one in items if isinstance(one, SourceNote)} == {"about", "plain"}
    assert [
        (one.name, one.reason.partition(";")[0]) for one in items if isinstance(one, NotCarried)
    ] == [("secret.md", "it is encrypted")]
