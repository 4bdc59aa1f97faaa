"""Whatever an operation refuses is told in every language of the home, or is nobody's there."""

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import expect

from app.core.markdown import front_matter
from app.interfaces.languages.said import said
from app.interfaces.languages.words import DEFAULT, languages, words_of
from app.portability.archives import source_tree
from app.portability.content import own_front_matter
from app.portability.exports import exporter
from tests.conftest import ORIGIN
from tests.support.home import Home, without_browser
from tests.test_architecture import trees, walked

TRANSLATED = [language for language in languages() if language != DEFAULT]
ELSEWHERE = {
    "account/oauth/": "an application, and its page of consent, which strangers see",
    "agent/heartbeat/decide/": "the model of a heartbeat",
    "commands/": "a terminal",
    "core/json_body.py": "a program whose JSON is wrong",
    "interfaces/exchange.py": "a program whose headers are wrong",
    "interfaces/mcp/": "an MCP client",
    "interfaces/oauth/": "an application, and its page of consent",
    "interfaces/pages/": "the pages of strangers and guests",
    "interfaces/wire/": "a program whose HTTP is wrong",
    "network/guests/guest_turns.py": "a guest",
    "network/guests/guests.py": "a guest",
    "portability/exports/sinks.py": "a terminal that exports into a folder",
    "raw_memory/account_keys.py": "a device with keys of its own",
    "raw_memory/devices.py": "a device",
    "raw_memory/enrolments.py": "a device, and the page that lets it in",
    "raw_memory/record": "a device that stores and reads records",
    "raw_memory/upload_records.py": "a device that stores records",
    "runtime/approvals/": "an agent on a person's machine",
    "runtime/delegations/": "an agent on a person's machine",
    "runtime/devices/device_codes.py": "a device, and the page that lets it in",
    "runtime/devices/endpoint": "a device",
    "runtime/devices/fields.py": "a device",
    "runtime/devices/session": "a device",
    "runtime/grants/": "an agent on a person's machine",
    "runtime/messages/": "an agent on a person's machine",
    "runtime/realtime/": "a device that listens",
    "tools/mcp/config.py": "a program or terminal that adds an MCP server",
    "upkeep/backups/": "a terminal",
}
"""Where what is refused reaches no page of the home, and who hears it instead."""
ALSO_ELSEWHERE = {
    "Send either key or code.": "a program that signs in",
    "Idempotency-Key must be 1 to 7 printable ASCII characters.": "a program",
    "The body must be the bytes of the file, not a form. With curl: curl --data-binary @FILE "
    "-H 'Content-Type: TYPE' -H 'Authorization: Bearer KEY' '…7?name=FILE'.": "a program",
    "There is nothing at this path; 7.": "a program: a page is only told of its own paths",
    "There is no MCP server of that name; `hearth mcp-server list` lists them.": "a terminal",
    "Give name, serverUrl, config or status.": "a program that changes an MCP server",
    "A server that is a program can do on this machine what you can do, so it is added on the "
    "command line: `hearth mcp-server add`. HEARTH_ALLOW_STDIO_MCP=on allows it here.": "a program",
    "A server has an address or is a program: give serverUrl or config.command.": "a program",
    "7 7.": "held below as MUST_BE",
    "dueDate 7.": "held below as MUST_BE",
    "There is no such 7.": "held below as WHOLE",
    "An 7 is running already; wait until it ends, or cancel it.": "held below as WHOLE",
    "There is no operation called 77": "held below as WHOLE",
}
WHOLE = (
    "There is no such import.",
    "There is no such export.",
    "An import is running already; wait until it ends, or cancel it.",
    "An export is running already; wait until it ends, or cancel it.",
    "There is no operation called make_nots.",
    "There is no operation called make_note. Do you mean create_note?",
    "The database is damaged. Nothing more is written to it, and reading goes on as far as it can.",
)
RULES = (
    "account/keys.py",
    "account/metering/usage.py",
    "account/users.py",
    "agent/heartbeat/heartbeat.py",
    "core/schema.py",
    "workspace/index/note_tags.py",
    "workspace/todos/recurrence.py",
)
"""Where it is decided what a field must be, which is said behind its name."""
NO_RULES = {"has no rule", "must have 7 7 from 1 to 999999999", "`7` 7", "holds a tag that 7"}
MUST_BE = (
    "is required",
    "must not be empty",
    "must have at most 200 characters",
    "must be at least 1",
    "must be a string, not null",
    "must be one of low, high",
    "has no such value: 'x'",
    "must have an INTERVAL from 1 to 999999999",
    "must be a date such as 2026-03-01",
    "must be a date such as 2026-03-01 or a moment such as 2026-03-01T09:00:00Z",
    "names a day that does not exist, 2026-02-30: February 2026 has 28 days",
    "holds a tag that must not hold control characters or line breaks",
)


@functools.cache
def kinds_of_refusal() -> frozenset[str]:
    """Give the names of all classes that are an AppError."""
    bases: dict[str, set[str]] = {}
    for tree in trees().values():
        for node in walked(tree):
            if isinstance(node, ast.ClassDef):
                above = {getattr(base, "id", getattr(base, "attr", "")) for base in node.bases}
                bases.setdefault(node.name, set()).update(above)
    found = {"AppError"}
    while more := {name for name, above in bases.items() if above & found} - found:
        found |= more
    return frozenset(found)


@functools.cache
def constants() -> dict[tuple[str, str], set[str]]:
    """Give the sentences that have a name, by their module and it."""
    return {
        (Path(path).stem, node.targets[0].id): written(node.value)
        for path, tree in trees().items()
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }


def written(node: ast.expr) -> set[str]:
    """Give the text that is written there, a 7 in each hole."""
    match node:
        case ast.Constant(value=str() as text):
            return {re.sub(r"\{\w*\}", "7", text)}
        case ast.JoinedStr():
            pieces = (getattr(piece, "value", "7") for piece in node.values)
            return {"".join(piece if isinstance(piece, str) else "7" for piece in pieces)}
        case ast.BinOp(op=ast.Add()):
            after = written(node.right) or {"7"}
            return {one + other for one in written(node.left) for other in after}
    return set()


def texts_of(node: ast.expr, module: str) -> set[str]:
    """Give what an expression of a module can be; nothing where nobody can tell."""
    match node:
        case ast.IfExp():
            return texts_of(node.body, module) | texts_of(node.orelse, module)
        case ast.BoolOp():
            return {text for value in node.values for text in texts_of(value, module)}
        case ast.Call(func=ast.Attribute(value=value, attr="format")):
            return texts_of(value, module)
        case ast.Attribute(value=ast.Name(id=where), attr=name):
            return constants().get((where, name), set())
        case ast.Name(id=name):
            return constants().get((module, name), set())
    return written(node)


def refusals(kinds: frozenset[str], *, argument: int = 0) -> Iterator[tuple[str, str]]:
    """Give what is refused with one of these kinds, and by which module."""
    for path, tree in trees().items():
        for node in walked(tree):
            if isinstance(node, ast.Call) and len(node.args) > argument:
                name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                if name in kinds:
                    for text in texts_of(node.args[argument], Path(path).stem):
                        yield path.removeprefix("app/"), text


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_refusal_has_words_in_every_language(language: str) -> None:
    words = words_of(language)
    found = list(refusals(kinds_of_refusal()))
    assert len(found) > 500
    texts = [text for path, text in found if not path.startswith(tuple(ELSEWHERE))]
    texts += WHOLE
    silent = {text for text in texts if said(words, text) == text} - ALSO_ELSEWHERE.keys()
    # add it to languages/*/refused.toml, or say above who hears it instead
    assert sorted(silent) == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_rule_of_a_field_has_words_in_every_language(language: str) -> None:
    words = words_of(language)
    rules = {text for path, text in refusals(frozenset({"ValueError"})) if path in RULES}
    assert len(rules) > 25
    texts = [f"dueDate {rule}." for rule in rules - NO_RULES | set(MUST_BE)]
    assert [text for text in texts if said(words, text) == text] == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_what_does_not_come_along_has_words_in_every_language(language: str) -> None:
    words = words_of(language)
    found = refusals(frozenset({"NotCarried"}), argument=1)
    reasons = {text.replace("77", "7") for path, text in found if path.startswith("portability/")}
    assert len(reasons) > 50
    silent = {text for text in reasons if said(words, text) == text}
    assert sorted(silent - {"7; it was kept as text", "its tag 7 7"}) == []
    left = [*exporter._LEFT, source_tree.fault_of("../x"), source_tree.fault_of("a\\b")]
    assert [reason for reason in left if said(words, reason) == reason] == []
    wrong = ["a: [x", "- x", "A: " + "[" * 30 + "]" * 30]
    troubles = [front_matter.read_fields(lines)[1] for lines in wrong]
    troubles.append(own_front_matter._read("x" * (front_matter.LARGEST + 1))[1])
    assert "its front matter is not YAML (line 3)" in troubles
    for trouble in ["its front matter is not YAML", *troubles]:
        assert "front matter is" not in (shown := said(words, f"{trouble}; it was kept as text"))
        assert "kept" not in shown
    archive = "The archive is refused because of ../x: its path leads outside the archive."
    assert "archive" not in said(words, archive)


def test_where_nobody_at_home_hears_it_is_still_there() -> None:
    found = list(refusals(kinds_of_refusal()))
    assert [each for each in ELSEWHERE if not any(path.startswith(each) for path, _ in found)] == []
    assert sorted(ALSO_ELSEWHERE.keys() - {text for _, text in found}) == []


def test_fields_are_called_what_pages_call_them() -> None:
    german = words_of("de")
    assert said(german, "title is required.") == "„Titel“ fehlt."
    assert said(german, "recurrence.rule must not be finer than days.") == (
        "„Wiederholung“ darf nicht feiner als Tage sein."
    )
    assert said(german, "budget.perReplyTokens is required.") == "„budget.perReplyTokens“ fehlt."
    assert said(words_of("en"), "title is required.") == "title is required."


@pytest.mark.anyio
async def test_forms_and_scripts_tell_in_german_what_is_refused(home: Home) -> None:
    await home.client.ok("PATCH", "/account/settings", json={"locale": "de"})
    client = await without_browser(home.served)
    form = {"url": "http://example.com/hook", "events": "note.created"}
    answer = await client.post(f"{ORIGIN}/settings/webhooks", data=form)
    assert "„Adresse“ muss mit https:// beginnen" in answer.text
    page = await home.go("/notes")
    told = await page.evaluate("""async () => {
        const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
        const { ask } = await import(loaded.find((name) => name.includes("/api")));
        return ask("POST", "/os/notes", { title: "" }).catch((error) => error.message);
    }""")
    assert told == "„Text“ fehlt."
    page = await home.go("/notes/new")
    await page.locator("#tags").fill("x" * 65)
    await page.locator("#content").press_sequentially("Ein Satz")
    await expect(page.locator("#state")).to_contain_text(
        "Nicht gespeichert: „Tags“: Ein Tag muss 1 bis 64 Zeichen haben."
    )
    assert home.complaints == []
