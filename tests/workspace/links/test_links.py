"""Links between notes: what they lead to in whose eyes, what links back, what only mentions, and
renaming.
"""

import sqlite3
import statistics
import time
from pathlib import Path
from typing import Any

import pytest

from app.core.database.data_dir import DATABASE
from app.core.text import fold_name
from app.main import create_app
from app.migrations import STEPS, migrate
from app.settings import Settings
from app.workspace.index import link_rows, name_index
from app.workspace.links import backlinks
from tests.conftest import Client, MovableClock, Served

pytestmark = pytest.mark.anyio


async def of(client: Client, note: Any, **params: Any) -> Any:
    """Give the links of a note."""
    return await client.ok("GET", f"/os/notes/{note['id']}/links", params=params)


async def leads(client: Client, text: str) -> Any:
    """Give the one link of a new note with this text."""
    (link,) = (await of(client, await client.note("Source", text)))["links"]
    return link


async def back(client: Client, note: Any) -> list[int]:
    return [link["noteId"] for link in (await of(client, note))["backlinks"]]


async def edit(client: Client, note: Any, **fields: Any) -> Any:
    return await client.ok("PATCH", f"/os/notes/{note['id']}", json=fields)


async def text_of(client: Client, note: Any) -> str:
    return str((await client.ok("GET", f"/os/notes/{note['id']}"))["note"]["markdown"])


async def share(served: Served, owner: Client, folder: int, other: Client, role: str) -> None:
    await served.command("connect_users", username=owner.username, contact=other.username)
    await owner.ok(
        "POST", f"/os/folders/{folder}/share", json={"username": other.username, "role": role}
    )


async def test_a_note_tells_its_links_with_their_lines_and_where_they_lead(alice: Client) -> None:
    plan = await alice.note("Plan")
    text = (
        "First\r\n[[plan#Goals|the plan]] and "
        f"[[Nothing]]\n\n[it](/os/notes/{plan['id']}) hearth:note/999 #Tag #other #tag"
    )
    body = await of(alice, await alice.note("Source", text))
    nowhere = {"exists": False, "noteId": None, "title": None, "heading": ""}
    assert body["links"] == [
        {
            "kind": "wiki",
            "text": "the plan",
            "target": "plan#Goals",
            "heading": "Goals",
            "line": 2,
            "exists": True,
            "noteId": plan["id"],
            "title": "Plan",
        },
        {"kind": "wiki", "text": "Nothing", "target": "Nothing", "line": 2, **nowhere},
        {
            "kind": "note",
            "text": "it",
            "target": str(plan["id"]),
            "heading": "",
            "line": 4,
            "exists": True,
            "noteId": plan["id"],
            "title": "Plan",
        },
        {"kind": "note", "text": "hearth:note/999", "target": "999", "line": 4, **nowhere},
    ]
    assert body["tags"] == ["Tag", "other"]
    assert body["truncated"] is False


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Plan", "[[PLAN]]"),
        ("Straße", "[[STRASSE]]"),
        ("Été", "[[E\u0301TE\u0301]]"),
        ("Ödön", "[[ÖDÖN]]"),
        ("計画", "[[計画]]"),
        ("C# notes", "[[c# Notes]]"),
        ("a/b test", "[[A/B test]]"),
        ("???", "[[???]]"),
        ("🚀", "[[🚀]]"),
        ("İstanbul", "[[i̇stanbul]]"),
        ("x" * 255, f"[[{'X' * 255}]]"),
        ("Σίσυφος", "[[ΣΊΣΥΦΟΣ]]"),
    ],
)
async def test_a_title_is_compared_without_case_in_any_script(
    alice: Client, title: str, text: str
) -> None:
    note = await alice.note(title)
    assert (await leads(alice, text))["noteId"] == note["id"]
    assert len(await back(alice, note)) == 1


@pytest.mark.parametrize("text", ["[[Resume]]", "[[A B]]", "[[Plans]]"])
async def test_a_title_that_only_resembles_is_another(alice: Client, text: str) -> None:
    for title in ("Résumé", "A-B", "Plan"):
        await alice.note(title)
    assert (await leads(alice, text))["noteId"] is None


async def test_of_several_notes_of_a_title_the_path_decides_then_the_newest(alice: Client) -> None:
    work, deep = await alice.folder("Office"), await alice.folder("Home/Office")
    first = await alice.note("Plan", folderId=work)
    second = await alice.note("Plan", folderId=deep)
    third = await alice.note("Plan")
    assert (await leads(alice, "[[Office/Plan]]"))["noteId"] == first["id"]
    assert (await leads(alice, "[[home/office/plan]]"))["noteId"] == second["id"]
    assert (await leads(alice, "[[Plan]]"))["noteId"] == third["id"]
    assert (await leads(alice, "[[Garden/Plan]]"))["noteId"] is None
    assert [len(await back(alice, note)) for note in (first, second, third)] == [1, 1, 1]


async def test_a_link_to_the_note_itself_exists_but_is_no_backlink(alice: Client) -> None:
    note = await alice.note("Me", "[[Me]] [[me#part]] [[#part]]")
    body = await of(alice, note)
    assert [link["noteId"] for link in body["links"]] == [note["id"]] * 3
    assert (body["backlinks"], body["mentions"]) == ([], [])


async def test_a_backlink_shows_the_line_of_the_first_link(alice: Client) -> None:
    folder = await alice.folder("Work")
    note = await alice.note("Plan")
    source = await alice.note(
        "Source", "No.\n\n- see `[[Plan]]` and [[plan|this]] first\n[[Plan]]", folderId=folder
    )
    assert (await of(alice, note))["backlinks"] == [
        {
            "noteId": source["id"],
            "title": "Source",
            "folderId": folder,
            "line": 3,
            "context": "- see `[[Plan]]` and [[plan|this]] first",
        }
    ]


async def test_the_policy_of_a_link_is_no_backlink_and_its_token_is_not_told(alice: Client) -> None:
    note = await alice.note("Plan")
    made = (await alice.ok("POST", "/os/share", status=201, json={"scope": "all"}))["shareLink"]
    policy = {"id": made["policyNoteId"]}
    await edit(alice, policy, content="## Policy\n\nSpeak of [[Plan]].", contentFormat="markdown")
    assert await back(alice, note) == []
    link = await leads(alice, f"/os/notes/{policy['id']}")
    assert (link["exists"], link["noteId"]) == (True, policy["id"])
    assert made["token"] not in str(link)
    assert (await of(alice, policy))["links"][0]["noteId"] == note["id"]


async def test_backlinks_follow_every_change(alice: Client) -> None:
    note = await alice.note("Plan")
    source = await alice.note("Source", "[[Plan]]")
    assert await back(alice, note) == [source["id"]]
    await edit(alice, source, content="[[Other]]")
    assert await back(alice, note) == []
    await edit(alice, source, content=f"/os/notes/{note['id']}")
    assert await back(alice, note) == [source["id"]]
    await alice.ok("DELETE", f"/os/notes/{source['id']}")
    assert await back(alice, note) == []
    await alice.ok("POST", f"/os/trash/note/{source['id']}/restore")
    assert await back(alice, note) == [source["id"]]
    await alice.ok("POST", f"/os/snapshots/{source['id']}/restore", json={"seq": 1})
    assert await back(alice, note) == [source["id"]]


async def test_a_link_to_a_trashed_note_leads_nowhere_until_it_is_back(alice: Client) -> None:
    note = await alice.note("Plan")
    source = await alice.note("Source", f"[[Plan]] hearth:note/{note['id']}")
    await alice.ok("DELETE", f"/os/notes/{note['id']}")
    assert [link["exists"] for link in (await of(alice, source))["links"]] == [False, False]
    await alice.ok("POST", f"/os/trash/note/{note['id']}/restore")
    assert [link["exists"] for link in (await of(alice, source))["links"]] == [True, True]


async def test_a_note_purged_for_good_leaves_no_link_behind(alice: Client, data: Path) -> None:
    source = await alice.note("Source", "[[Plan]] #tag")
    await alice.ok("DELETE", f"/os/notes/{source['id']}")
    await alice.ok("DELETE", f"/os/trash/note/{source['id']}")
    with sqlite3.connect(data / DATABASE) as connection:
        assert connection.execute("SELECT count(*) FROM note_links").fetchone() == (0,)
    connection.close()


async def test_mentions_are_notes_that_say_the_title_without_linking(alice: Client) -> None:
    note = await alice.note("Big Plan")
    mention = await alice.note("Diary", "Nothing.\nToday the big  plan went on.")
    await alice.note("Linked", "[[Big Plan]] the big plan")
    await alice.note("Other", "a plan is big; big planning")
    assert (await of(alice, note))["mentions"] == [
        {
            "noteId": mention["id"],
            "title": "Diary",
            "line": 2,
            "context": "Today the big  plan went on.",
        }
    ]


@pytest.mark.parametrize(
    ("title", "text", "line"),
    [
        ("Straße", "ß ß ß ß\nß\nDie STRAßE.", 3),
        ("Été", "x\nun e\u0301te\u0301 chaud", 2),
        ("計画", "x\n計画 です", 2),
        ("a-b c", "x\nA B, C!", 2),
        ("C# notes", "x\nmy c++ notes", 2),
        ("Two lines", "ß\ntwo\nlines", 2),
    ],
)
async def test_a_mention_is_shown_in_its_line(
    alice: Client, title: str, text: str, line: int
) -> None:
    note = await alice.note(title)
    await alice.note("Diary", text)
    assert [mention["line"] for mention in (await of(alice, note))["mentions"]] == [line]


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Plan", "planning"),
        ("Plan", "plans"),
        ("???", "???"),
        ("Été", "ete"),
        ("Big plan", "big and plan"),
    ],
)
async def test_what_is_not_the_very_title_is_no_mention(
    alice: Client, title: str, text: str
) -> None:
    note = await alice.note(title)
    await alice.note("Diary", text)
    assert (await of(alice, note))["mentions"] == []


async def test_nothing_of_another_owner_appears(alice: Client, bob: Client) -> None:
    mine = await alice.note("Plan", "[[Secret]] hearth:note/2")
    await bob.note("Secret", f"[[Plan]] the plan hearth:note/{mine['id']}")
    body = await of(alice, mine)
    assert [link["exists"] for link in body["links"]] == [False, False]
    assert (body["backlinks"], body["mentions"]) == ([], [])
    await bob.refused("GET", f"/os/notes/{mine['id']}/links", 404, "not_found")
    await bob.refused(
        "POST", f"/os/notes/{mine['id']}/links/rewrite", 404, "not_found", json={"from": "x"}
    )


@pytest.mark.parametrize("text", ["[[Plan]]", "[[Shared/Plan]]", "hearth:note/{id}"])
async def test_in_a_shared_folder_links_lead_for_both_as_far_as_each_may_read(
    served: Served, alice: Client, bob: Client, text: str
) -> None:
    folder = await alice.folder("Shared")
    plan = await alice.note("Plan", folderId=folder)
    private = await alice.note("Private", text.format(id=plan["id"]))
    source = await alice.note("Source", text.format(id=plan["id"]), folderId=folder)
    await share(served, alice, folder, bob, "viewer")
    assert [link["noteId"] for link in (await of(bob, source))["links"]] == [plan["id"]]
    assert await back(bob, plan) == [source["id"]]
    assert await back(alice, plan) == [source["id"], private["id"]]


async def test_an_own_note_comes_before_a_shared_one(
    served: Served, alice: Client, bob: Client
) -> None:
    folder = await alice.folder("Shared")
    own = await bob.note("Plan")
    theirs = await alice.note("Plan", folderId=folder)
    await share(served, alice, folder, bob, "viewer")
    assert (await leads(bob, "[[Plan]]"))["noteId"] == own["id"]
    assert (await leads(alice, "[[Plan]]"))["noteId"] == theirs["id"]


async def test_a_new_title_tells_how_many_notes_link_by_the_old_one(alice: Client) -> None:
    note = await alice.note("Plan", "[[Plan]]")
    await alice.note("One", "[[plan]] [[Plan#x]]")
    await alice.note("Two", "[[General/Plan]]")
    assert (await edit(alice, note, title="PLAN")).keys() == {"success", "note"}
    assert (await edit(alice, note, content="[[Plan]]!")).keys() == {"success", "note"}
    assert (await edit(alice, note, title="Scheme"))["linksToRewrite"] == 2
    assert (await edit(alice, note, title="Idea")).keys() == {"success", "note"}


async def test_renaming_can_rewrite_what_links_here(alice: Client) -> None:
    work = await alice.folder("Work")
    note = await alice.note("Plan", "see [[Plan]]", folderId=work)
    one = await alice.note("One", "a [[plan#Goals|goals]] `[[Plan]]`\r\n[[Work/Plan]] [[Planet]]")
    body = await edit(alice, note, title="Scheme", content="see [[Plan]] now", rewriteLinks=True)
    assert (body["linksRewritten"], "linksToRewrite" in body) == (2, False)
    assert (
        await text_of(alice, one)
        == "a [[Scheme#Goals|goals]] `[[Plan]]`\r\n[[Work/Scheme]] [[Planet]]"
    )
    assert await text_of(alice, note) == "see [[Scheme]] now"
    assert await back(alice, note) == [one["id"]]
    (snapshot,) = (await alice.ok("GET", f"/os/snapshots/{one['id']}"))["snapshots"]
    assert (snapshot["label"], snapshot["seq"]) == ("auto: before rename", 1)
    assert [
        each["label"]
        for each in (await alice.ok("GET", f"/os/snapshots/{note['id']}"))["snapshots"]
    ] == ["auto: before edit"]


async def test_links_can_be_rewritten_later(alice: Client) -> None:
    note = await alice.note("Plan")
    sources = [await alice.note(f"Source {number}", "[[Plan]]") for number in range(3)]
    await edit(alice, note, title="Scheme")
    path = f"/os/notes/{note['id']}/links/rewrite"
    body = await alice.ok("POST", path, json={"from": "plan"})
    assert (body["rewritten"], body["linksToRewrite"]) == (3, 0)
    assert await back(alice, note) == [source["id"] for source in reversed(sources)]
    assert (await alice.ok("POST", path, json={"from": "plan"}))["rewritten"] == 0
    assert (await alice.ok("POST", path, json={"from": "Scheme"}))["rewritten"] == 0


async def test_the_ending_of_a_file_may_be_left_out(alice: Client) -> None:
    await alice.ok(
        "POST",
        "/accumulate",
        json={
            "files": [
                {"path": "Work/Plan.md", "content": "x"},
                {"path": "Source.md", "content": SHORT_AND_LONG},
            ]
        },
    )
    plan, source = {"id": 1}, {"id": 2}
    assert [link["noteId"] for link in (await of(alice, source))["links"]] == [1, 1, 1, None]
    assert await back(alice, plan) == [2]
    mention = await alice.note("Diary", "the plan")
    assert [each["noteId"] for each in (await of(alice, plan))["mentions"]] == [mention["id"]]
    assert (await edit(alice, plan, title="Scheme.md", rewriteLinks=True))["linksRewritten"] == 1
    assert await text_of(alice, source) == "[[Scheme]] [[Work/Scheme]] [[Scheme.md]] [[Plan.md.md]]"
    assert (await edit(alice, plan, title="Scheme", rewriteLinks=True))["linksRewritten"] == 1
    assert await text_of(alice, source) == "[[Scheme]] [[Work/Scheme]] [[Scheme]] [[Plan.md.md]]"
    exact = await alice.note("Scheme")
    assert (await of(alice, source))["links"][0]["noteId"] == exact["id"]


SHORT_AND_LONG = "[[plan]] [[Work/Plan]] [[Plan.md]] [[Plan.md.md]]"


async def test_a_link_that_leads_to_another_note_of_that_title_is_not_rewritten(
    alice: Client,
) -> None:
    work = await alice.folder("Work")
    older = await alice.note("Plan", folderId=work)
    newer = await alice.note("Plan")
    source = await alice.note("Source", "[[Plan]] [[Work/Plan]]")
    assert (await edit(alice, older, title="Scheme", rewriteLinks=True))["linksRewritten"] == 1
    assert await text_of(alice, source) == "[[Plan]] [[Work/Scheme]]"
    assert (
        await alice.ok("POST", f"/os/notes/{older['id']}/links/rewrite", json={"from": "Plan"})
    )["rewritten"] == 0
    assert await back(alice, newer) == [source["id"]]


async def test_only_notes_that_the_caller_may_change_are_rewritten(
    served: Served, alice: Client, bob: Client
) -> None:
    written, viewed = await alice.folder("Written"), await alice.folder("Viewed")
    note = await alice.note("Plan", folderId=written)
    may = await alice.note("May", "[[Plan]]", folderId=written)
    may_not = await alice.note("May not", "[[Plan]]", folderId=viewed)
    private = await alice.note("Private", "[[Plan]]")
    await share(served, alice, written, bob, "writer")
    await share(served, alice, viewed, bob, "viewer")
    assert (await edit(bob, note, title="Scheme"))["linksToRewrite"] == 1
    await edit(bob, note, title="Plan")
    assert (await edit(bob, note, title="Scheme", rewriteLinks=True))["linksRewritten"] == 1
    assert [await text_of(alice, each) for each in (may, may_not, private)] == [
        "[[Scheme]]",
        "[[Plan]]",
        "[[Plan]]",
    ]


@pytest.mark.parametrize("title", ["a]b", "a|b", "[x"])
async def test_a_title_that_no_link_can_hold_refuses_only_the_rewriting(
    alice: Client, title: str
) -> None:
    note = await alice.note("Plan")
    await alice.note("Source", "[[Plan]]")
    await alice.refused(
        "PATCH",
        f"/os/notes/{note['id']}",
        400,
        "invalid_request",
        field="title",
        json={"title": title, "rewriteLinks": True},
    )
    assert (await edit(alice, note, title=title))["note"]["title"] == title


async def test_a_note_of_ten_thousand_links_is_answered_in_part(alice: Client) -> None:
    note = await alice.note("Plan")
    many = await alice.note(
        "Many", "".join(f"[[Title {number}]] " for number in range(9_999)) + "[[Plan]]"
    )
    body = await of(alice, many)
    assert (len(body["links"]), body["truncated"]) == (200, True)
    assert len((await of(alice, many, limit=5_000))["links"]) == 1_000
    assert await back(alice, note) == [many["id"]]
    await edit(alice, many, content="none")
    assert await back(alice, note) == []


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("[[" * 500_000, []),
        ("[[" + "a" * 1_000_000, []),
        ("]]" * 100, []),
        ("[[[[[Plan]]]]]", ["Plan"]),
        ("[[Plan]", []),
        ("[[\n]]", []),
        ("`[[Plan]]", ["Plan"]),
        ("]] [[Plan]] [[", ["Plan"]),
    ],
    ids=[
        "open",
        "never closed",
        "closed only",
        "nested",
        "half closed",
        "over lines",
        "one tick",
        "between",
    ],
)
async def test_broken_brackets_are_text(alice: Client, text: str, wanted: list[str]) -> None:
    note = await alice.note("Broken", text)
    assert [link["target"] for link in (await of(alice, note))["links"]] == wanted


async def test_backlinks_are_at_most_two_hundred_of_the_newest(alice: Client) -> None:
    note = await alice.note("Hub")
    for start in range(0, 210, 50):
        files = [
            {"path": f"s{number}", "content": "[[Hub]]"}
            for number in range(start, min(start + 50, 210))
        ]
        await alice.ok("POST", "/accumulate", json={"files": files})
    body = await of(alice, note)
    assert (len(body["backlinks"]), body["truncated"]) == (backlinks.MOST_BACKLINKS, True)
    assert body["backlinks"][0]["title"] == "s209"


async def test_links_of_notes_from_before_there_was_a_table_of_links_are_read(
    tmp_path: Path, settings: Settings, clock: MovableClock
) -> None:
    migrate(tmp_path / DATABASE, steps=STEPS[:2])
    with sqlite3.connect(tmp_path / DATABASE) as connection:
        connection.execute(
            "INSERT INTO users (id, uuid, username, name, created_at) "
            "VALUES (1, 'u', 'ann', 'Ann', '2026-01-01T00:00:00.000Z')"
        )
        for number in range(3 * link_rows.STEP):
            connection.execute(
                """INSERT INTO notes (owner_id, title, tags, word_count, size, created_at,
                     updated_at, content)
                   VALUES (1, ?, '[]', 1, 8, '2026-01-01T00:00:00.000Z',
                     '2026-01-01T00:00:00.000Z', ?)""",
                (f"N{number}", f"[[N{number + 1}]]"),
            )
    connection.close()
    migrate(tmp_path / DATABASE)
    with sqlite3.connect(tmp_path / DATABASE) as connection:
        connection.execute("INSERT OR IGNORE INTO waiting_words (note_id) SELECT id FROM notes")
    connection.close()
    asgi = create_app(settings, tmp_path, clock=clock)
    async with asgi.router.lifespan_context(asgi):
        served = Served(asgi, asgi.state.parts)
        async with served.client(await served.key("ann")) as ann:
            await served.parts.write(link_rows.read_some)
            await edit(ann, {"id": 100}, content="[[N9]]")
            assert await back(ann, {"id": 10}) == [100, 9]
            assert await back(ann, {"id": 101}) == []
            assert await back(ann, {"id": 180}) == [179]
            assert not served.parts.glance(link_rows.any_unread)


@pytest.mark.parametrize(
    ("title", "text", "context"),
    [
        ("Größe", "eins\nzwei ß\nDie GRÖSSE zählt", "Die GRÖSSE zählt"),
        ("Cafe\u0301 Noir", "ﬃ\r\nIm Café  noir sitzen", "Im Café  noir sitzen"),
        ("Über uns", "Straße\n\n\n- U\u0308ber uns steht hier", "- U\u0308ber uns steht hier"),
        ("Plan", "Ein ßPlan, der Planet, ein Plan.", "Ein ßPlan, der Planet, ein Plan."),
    ],
)
async def test_a_mention_in_letters_that_change_their_length_is_shown_with_its_line(
    alice: Client, title: str, text: str, context: str
) -> None:
    note = await alice.note(title, "")
    await alice.note("Other", text)
    found = (await alice.ok("GET", f"/os/notes/{note['id']}/links"))["mentions"]
    assert [(one["title"], one["context"]) for one in found] == [("Other", context)]
    assert found[0]["line"] == text[: text.index(context)].count("\n") + 1


async def test_no_title_is_looked_for_among_names_that_wait(served: Served, alice: Client) -> None:
    note = await alice.note("Hub", "[[Other]] and [[None]]")
    await alice.ok("GET", f"/os/notes/{note['id']}/links")
    assert not served.parts.glance(name_index.any_waiting)


async def test_links_of_a_note_whose_words_many_large_notes_hold_in_other_forms_come_at_once(
    alice: Client,
) -> None:
    note = await alice.note("Planning reviews", "")
    text = (
        "Größe, é und der Rest eines langen Satzes, der weitergeht.\n\n" * 150
        + "The plan review is over."
    )
    for start in range(0, 400, 50):
        texts = [{"title": f"Note {start + number}", "content": text} for number in range(50)]
        await alice.ok("POST", "/accumulate", json={"texts": texts})
    linked, folded = [], []
    for _ in range(5):
        # of processors, which others may use beside this
        began = time.process_time()
        assert (await alice.ok("GET", f"/os/notes/{note['id']}/links"))["mentions"] == []
        linked.append(time.process_time() - began)
        began = time.process_time()
        for _ in range(400):
            fold_name(text)
        folded.append(time.process_time() - began)
    # an eighth of it; more than all of it while each text was folded as a title is
    assert statistics.median(linked) < statistics.median(folded) / 3
