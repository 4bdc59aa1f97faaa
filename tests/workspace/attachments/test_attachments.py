"""Attachments: keeping, listing, reading and deleting files; what kind they are.

The text that they hold.
"""

import hashlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from app.core.process import subprocess_reader
from app.main import create_app
from app.settings import Settings
from app.workspace.attachments import attachment_rows, attachments, media_types
from app.workspace.attachments.text_extraction import ExtractedText
from tests.conftest import UNSYNCED, Client, MovableClock, Served
from tests.support.files import pdf, png

pytestmark = pytest.mark.anyio


async def upload(client: Client, content: bytes, name: str = "file.txt", **headers: str) -> Any:
    return (
        await client.ok(
            "POST",
            "/os/attachments",
            status=201,
            params={"name": name},
            content=content,
            headers=headers,
        )
    )["attachment"]


async def text(served: Served, content: bytes, name: str, said: str = "") -> ExtractedText:
    client = await served.person(f"u{abs(hash((content[:100], name))) % 10**9}")
    caller = await served.parts.read(lambda tx: tx.require_row("SELECT max(id) FROM users")[0])
    found = await upload(client, content, name, **{"content-type": said} if said else {})
    from app.core.caller import Caller

    me = Caller(user=caller, user_id="", username="", kind="session")
    row = await served.parts.read(attachment_rows.require_own, me, found["id"])
    await client.aclose()
    once = await attachments.read_text(served.parts, me, row)
    assert await attachments.read_text(served.parts, me, row) == ExtractedText(
        once.text, is_cut=once.is_cut, trouble=once.trouble
    )
    return once


async def test_a_file_is_kept_listed_given_back_byte_for_byte_and_deleted(
    alice: Client, clock: MovableClock
) -> None:
    content = bytes(range(256)) * 5000  # more than one part
    made = await upload(
        alice, content, "raw data.bin", **{"Content-Type": "application/x-thing; a=b"}
    )
    assert made == {
        "id": 1,
        "name": "raw data.bin",
        "mediaType": "application/x-thing",
        "sizeBytes": 1_280_000,
        "sha256": hashlib.sha256(content).hexdigest(),
        "createdAt": "2026-11-21T09:30:00.000Z",
    }
    other = await upload(alice, b"b", "b.txt")
    assert await alice.ok("GET", "/os/attachments") == {
        "success": True,
        "attachments": [other, made],
        "total": 2,
    }
    assert (await alice.ok("GET", "/os/attachments?limit=1&offset=1"))["attachments"] == [made]
    response = await alice.get("/os/attachments/1")
    assert response.content == content
    assert (await alice.ok("DELETE", "/os/attachments/1")) == {"success": True}
    await alice.refused("GET", "/os/attachments/1", 404, "not_found")
    await alice.refused("DELETE", "/os/attachments/1", 404, "not_found")
    assert (await alice.ok("GET", "/os/attachments"))["total"] == 1


async def test_a_file_is_only_ever_saved_and_never_shown_or_run(alice: Client) -> None:
    await upload(
        alice, b"<script>alert(1)</script>", 'x"; evil\\é/行.html', **{"Content-Type": "text/html"}
    )
    headers = (await alice.get("/os/attachments/1")).headers
    assert headers["content-type"] == "text/html"
    assert (
        headers["content-disposition"] == 'attachment; filename="x__ evil____.html"; '
        "filename*=UTF-8''x%22%3B%20evil%5C%C3%A9_%E8%A1%8C.html"
    )
    assert headers["x-content-type-options"] == "nosniff"
    assert (
        headers["content-security-policy"] == "default-src 'none'; sandbox; frame-ancestors 'none'"
    )
    assert headers["cache-control"] == "no-store"
    assert headers["content-length"] == "25"
    ranged = await alice.get("/os/attachments/1", headers={"Range": "bytes=0-1,0-2"})
    assert (ranged.status_code, len(ranged.content)) == (200, 25)
    head = await alice.head("/os/attachments/1")
    assert (head.status_code, head.headers["content-length"], head.content) == (200, "25", b"")


async def test_another_users_file_is_not_found_and_not_counted(alice: Client, bob: Client) -> None:
    await upload(alice, b"secret")
    for method in ("GET", "DELETE"):
        await bob.refused(method, "/os/attachments/1", 404, "not_found")
    assert await bob.ok("GET", "/os/attachments") == {
        "success": True,
        "attachments": [],
        "total": 0,
    }
    assert (await bob.ok("GET", "/os/status"))["attachmentCount"] == 0


@pytest.mark.parametrize(
    ("params", "content", "field"),
    [
        ({"name": "a"}, b"", "body"),
        ({"name": " "}, b"x", "name"),
        ({"name": "a\nb"}, b"x", "name"),
        ({"name": "n" * 256}, b"x", "name"),
    ],
)
async def test_a_bad_upload_is_refused_and_leaves_nothing(
    resident: Client, params: dict[str, str], content: bytes, field: str
) -> None:
    await resident.refused(
        "POST",
        "/os/attachments",
        400,
        "invalid_request",
        field=field,
        params=params,
        content=content,
    )
    assert (await resident.ok("GET", "/os/attachments"))["total"] == 0


async def test_a_file_without_a_name_gets_one(alice: Client) -> None:
    assert (await alice.ok("POST", "/os/attachments", status=201, content=b"x"))["attachment"][
        "name"
    ] == "attachment"


async def test_the_status_counts_files_and_their_bytes(alice: Client) -> None:
    await upload(alice, b"12345")
    await upload(alice, b"123")
    status = await alice.ok("GET", "/os/status")
    assert (status["attachmentCount"], status["attachmentBytes"], status["totalSizeBytes"]) == (
        2,
        8,
        0,
    )
    await alice.ok("DELETE", "/os/attachments/1")
    status = await alice.ok("GET", "/os/status")
    assert (status["attachmentCount"], status["attachmentBytes"]) == (1, 3)


@pytest.fixture
async def small(data: Path, clock: MovableClock) -> AsyncIterator[Served]:
    settings = Settings(
        durability=UNSYNCED,
        rate_limit=0,
        failed_limit=0,
        max_attachment_body=100,
        attachment_quota=150,
    )
    asgi = create_app(settings, data, clock=clock)
    async with asgi.router.lifespan_context(asgi):
        yield Served(asgi, asgi.state.parts)


async def test_a_file_that_is_too_large_and_one_too_many_are_refused(small: Served) -> None:
    alice = await small.person("alice")
    body = await alice.refused(
        "POST", "/os/attachments", 413, "payload_too_large", content=b"x" * 101
    )
    assert body["limitBytes"] == 100
    await upload(alice, b"x" * 100)
    await alice.refused("POST", "/os/attachments", 409, "quota_exceeded", content=b"x" * 51)
    await upload(alice, b"x" * 50)
    await alice.ok("DELETE", "/os/attachments/1")
    await upload(alice, b"x" * 100)
    bob = await small.person("bob")
    await upload(bob, b"x" * 100)
    await alice.aclose()
    await bob.aclose()


async def test_what_a_cut_off_upload_left_is_not_seen_and_swept(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    from app.core.caller import Caller

    me = Caller(user=1, user_id="", username="alice", kind="session")
    kind = media_types.FileType("text/plain", None)
    await served.parts.write(attachment_rows.begin, me, name="half", kind=kind, size=9, sha256="")
    await served.parts.write(attachment_rows.put_part, 1, 0, b"half")
    await alice.refused("GET", "/os/attachments/1", 404, "not_found")
    await alice.refused("DELETE", "/os/attachments/1", 404, "not_found")
    assert (await alice.ok("GET", "/os/attachments"))["total"] == 0
    assert (await served.command("purge_stale_attachments")).purged == 0
    clock.forward(hours=2)
    assert (await served.command("purge_stale_attachments")).purged == 1
    assert (
        await served.parts.read(lambda tx: tx.value("SELECT count(*) FROM attachment_parts")) == 0
    )


async def test_a_deleted_user_leaves_no_file(served: Served, alice: Client) -> None:
    for _ in range(6):
        await upload(alice, b"x")
    await served.command("delete_user", username="alice")
    assert await served.parts.read(lambda tx: tx.value("SELECT count(*) FROM attachments")) == 0


@pytest.mark.parametrize(
    ("content", "name", "said", "wanted"),
    [
        (b"%PDF-1.7 ...", "a.txt", "text/plain", "application/pdf"),
        (png(), "a.pdf", "application/pdf", "image/png"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "a", "", "image/webp"),
        (b"RIFFraff WEBP is a text", "a", "", "text/plain"),
        (b"BMW and Mini", "cars.txt", "", "text/plain"),
        (b"MZ is a code", "cars.md", "text/plain", "text/markdown"),
        (
            b"PK\x03\x04rest",
            "a.docx",
            "application/zip",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        ),
        (b"PK\x03\x04rest", "a.html", "text/html", "application/zip"),
        (b"# Title", "a.md", "application/x-www-form-urlencoded", "text/markdown"),
        (b"# Title", "a.md", "text/markdown; charset=utf-8", "text/markdown"),
        (b"a,b", "a.csv", "", "text/csv"),
        (b"  <!DOCTYPE html><p>x", "page", "", "text/html"),
        (b"plain", "page.html", "text/plain", "text/html"),
        (b"\0\1\2", "a.txt", "text/plain", "application/octet-stream"),
        (b"\0\1\2", "a.png", "image/png", "application/octet-stream"),
        (b"\0\1\2", "a.xyz", "application/x-thing", "application/x-thing"),
        (b"text", "a", "not a type\r\nX: y", "text/plain"),
        ("Zoë".encode("utf-16"), "a", "", "text/plain"),
    ],
)
def test_the_type_of_a_file_is_what_its_bytes_are(
    content: bytes, name: str, said: str, wanted: str
) -> None:
    assert media_types.detect(content, name, said).media_type == wanted


@pytest.mark.parametrize(
    ("content", "charset", "wanted"),
    [
        ("Zoë 行".encode(), None, "Zoë 行"),
        (b"\xef\xbb\xbfx", None, "x"),
        ("Zoë".encode("utf-16"), None, "Zoë"),
        (b"Zo\xeb", None, "Zoë"),
        ("日本".encode("shift_jis"), "shift_jis", "日本"),
        (b"Zo\xeb", "base64", "Zoë"),
        (b"a\0b", None, "ab"),
    ],
)
def test_bytes_become_text_whatever_wrote_them(
    content: bytes, charset: str | None, wanted: str
) -> None:
    assert media_types.decode_text(content, charset) == wanted


async def test_the_text_of_a_file_is_read_by_its_kind(served: Served) -> None:
    assert await text(served, b"Just words.", "a.txt") == ExtractedText("Just words.")
    found = await text(
        served,
        b"<title>T</title><nav>menu</nav><h1>Head</h1><script>x</script><p>Some <b>bold</b> text.",
        "a.html",
    )
    assert found.text == "# Head\n\nSome **bold** text."
    assert (
        await text(served, pdf("First page here.", "Second page (two)."), "a.pdf")
    ).text == "First page here.\n\nSecond page (two)."


@pytest.mark.parametrize(
    ("content", "name", "trouble"),
    [
        (b"%PDF-1.4 broken", "a.pdf", "could not be read"),
        (pdf(""), "a.pdf", "no text"),
        (png(), "a.png", "image/png"),
        (b"PK\x03\x04", "a.zip", "application/zip"),
        (b"<html><script>x</script>", "a.html", "no text"),
    ],
)
async def test_a_file_without_a_readable_text_says_why(
    served: Served, content: bytes, name: str, trouble: str
) -> None:
    found = await text(served, content, name)
    assert found.text == ""
    assert found.trouble is not None
    assert trouble in found.trouble


async def test_a_long_text_is_cut_and_says_so(served: Served) -> None:
    found = await text(served, b"word " * 500_000, "a.txt")
    assert (len(found.text), found.is_cut) == (400_000, True)


async def test_a_process_that_takes_too_long_is_killed_and_what_it_wrote_is_kept(
    tmp_path: Path,
) -> None:
    lines, ended = await subprocess_reader.read_lines(
        "timeit",
        "-n1",
        "-r1",
        "print(7, flush=True); __import__('time').sleep(60)",
        given=b"",
        seconds=2,
    )
    assert (lines, ended) == ([7], False)


async def test_a_process_that_fails_has_not_ended_well() -> None:
    assert await subprocess_reader.read_lines(
        "timeit", "raise ValueError", given=b"x" * 1_000_000, seconds=20
    ) == ([], False)


@pytest.mark.parametrize(
    ("content", "said", "kept"),
    [
        (b"fake", "image/png", "image/png"),
        (b"fake", "Application/PDF; x=y", "application/pdf"),
        (b"# T", "text/plain", "text/plain"),
        (b"words", "", "text/plain"),
        (b"words", "application/octet-stream", "text/plain"),
        (png(), "", "image/png"),
        (b"<p>x", "text/html; charset=utf-8", "text/html"),
        (b"words", "no type\\at all", "text/plain"),
    ],
)
async def test_a_file_is_kept_as_the_type_it_was_sent_with(
    alice: Client, content: bytes, said: str, kept: str
) -> None:
    made = (
        await alice.ok(
            "POST", "/os/attachments", status=201, content=content, headers={"content-type": said}
        )
    )["attachment"]
    assert made["mediaType"] == kept


async def test_what_is_called_a_picture_and_is_a_text_is_read_as_text(served: Served) -> None:
    assert (await text(served, b"Just words.", "a.png", "image/png")).text == "Just words."


@pytest.mark.parametrize("path", ["/os/attachments?name=a.txt", "/import?name=a.txt"])
async def test_a_form_is_refused_with_the_command_that_sends_the_file_itself(
    alice: Client, path: str
) -> None:
    body = await alice.refused(
        "POST",
        path,
        400,
        "invalid_request",
        field="Content-Type",
        files={"file": ("a.txt", b"words")},
    )
    assert "curl --data-binary @FILE" in body["message"]
    assert path.partition("?")[0] in body["message"]
    assert (await alice.ok("GET", "/os/attachments"))["total"] == 0
    sent = await alice.ok(
        "POST",
        "/os/attachments?name=a.txt",
        status=201,
        content=b"words",
        headers={"Content-Type": "text/plain"},
    )
    assert sent["attachment"]["sizeBytes"] == 5
