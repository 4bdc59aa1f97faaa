"""A note behind a link: what its guests read, and which files the link opens."""

from typing import Any

import pytest

from tests.conftest import ORIGIN, Client, Served
from tests.support.guests import link

pytestmark = pytest.mark.anyio
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 40
TEXT = """---
secret: front
---

# Plan

See [[Kitchen renovation]], ==now==. %%only for me%%

> [!warning] Careful
> wet

![floor plan.png|300](/os/attachments/{shown})

`![x](/os/attachments/{in_code})` %%![x](/os/attachments/{in_comment})%%
[x](/os/attachments/{linked})

[back](#plan-b)

## Plan B
"""


async def uploaded(owner: Client, name: str, content: bytes = PNG, kind: str = "image/png") -> int:
    answer = await owner.request(
        "POST",
        "/os/attachments",
        params={"name": name},
        content=content,
        headers={"Content-Type": kind},
    )
    assert answer.status_code == 201
    return int(answer.json()["attachment"]["id"])


async def files_of(owner: Client) -> dict[str, int]:
    """A file for each way in which the text names one."""
    names = ("shown", "in_code", "in_comment", "linked", "not_named")
    return {name: await uploaded(owner, f"{name}.png", PNG + name.encode()) for name in names}


async def shared(owner: Client, text: str, **more: Any) -> dict[str, Any]:
    note = await owner.note("Plan", text, contentFormat="markdown", **more)
    return await link(owner, scope="note_only", noteId=note["id"], target="note")


async def test_a_guest_reads_a_note_as_its_owner_does(alice: Client, stranger: Client) -> None:
    files = await files_of(alice)
    made = await shared(alice, TEXT.format(**files))
    page = (await stranger.get(made["url"])).text
    assert not [hidden for hidden in ("secret", "only for me", "[[", "==", "[!") if hidden in page]
    assert '<span class="wiki">Kitchen renovation</span>, <mark>now</mark>' in page
    assert '<blockquote class="callout careful">' in page
    assert 'href="#h-plan-b">back</a>' in page
    address = f"/shared/{made['token']}/pictures/{files['shown']}"
    assert page.count("<img") == 1
    assert f'<img src="{address}" alt="floor plan.png" width="300" loading="lazy">' in page
    picture = await stranger.get(ORIGIN + address)
    assert (picture.status_code, picture.content) == (200, PNG + b"shown")
    assert "sandbox" in picture.headers["content-security-policy"]


async def test_a_link_opens_no_file_but_the_pictures_that_its_note_shows(
    alice: Client, bob: Client, stranger: Client
) -> None:
    files = await files_of(alice)
    paper = await uploaded(alice, "tax.pdf", b"%PDF-1.4 x", "application/pdf")
    others = await uploaded(bob, "bob.png", PNG + b"bob")
    text = TEXT.format(**files) + "".join(
        f"\n![x](/os/attachments/{number})" for number in (paper, others, 10**6)
    )
    made = await shared(alice, text)

    async def status(number: object) -> int:
        address = f"{ORIGIN}/shared/{made['token']}/pictures/{number}"
        return (await stranger.get(address)).status_code

    hidden = [number for name, number in files.items() if name != "shown"]
    for number in (*hidden, paper, others, 10**6, "x", 0):
        assert await status(number) == 404
    assert await status(files["shown"]) == 200
    await alice.ok("PATCH", f"/os/share/{made['id']}", json={"requireSignIn": True})
    assert await status(files["shown"]) == 401
    await alice.ok("PATCH", f"/os/share/{made['id']}", json={"requireSignIn": False})
    await alice.ok("DELETE", f"/os/share/{made['id']}")
    assert await status(files["shown"]) == 404


@pytest.mark.parametrize(("role", "is_shown"), [("viewer", True), ("writer", False)])
async def test_who_may_write_in_a_note_opens_no_file_of_its_owner(
    served: Served, alice: Client, bob: Client, stranger: Client, role: str, is_shown: bool
) -> None:
    await served.command("connect_users", username="alice", contact="bob")
    folder = await alice.folder("Home")
    below = await alice.folder("Home/House")
    made = await shared(
        alice, f"![x](/os/attachments/{await uploaded(alice, 'x.png')})", folderId=below
    )
    share = {"username": "bob", "role": role}
    await alice.ok("POST", f"/os/folders/{folder}/share", json=share)
    assert ("<img" in (await stranger.get(made["url"])).text) == is_shown
