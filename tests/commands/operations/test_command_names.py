"""Commands made from operations: each operation has one, each says what it does with an example."""

import json
import re
import shlex

import click
import pytest
from click.testing import CliRunner

from app.__main__ import COMMANDS, hearth
from app.catalog import CATALOG
from app.commands.operations import names
from app.commands.operations.command_index import (
    OperationCommand,
    command_named,
    list_commands,
    read_index,
)
from app.commands.operations.describe import describe
from app.commands.operations.field_help import FIELD_HELP, MORE
from app.commands.terminal.sections import NOUNS, SECTIONS
from tests.support.looping import through


def command_at(*words: str) -> click.Command:
    found: click.Command = hearth
    for word in words:
        assert isinstance(found, click.Group)
        inner = found.get_command(click.Context(found), word)
        assert inner is not None, words
        found = inner
    return found


@through("name", [(one.name, one.name) for one in CATALOG.operations.values() if one.path])
def test_every_operation_is_a_command_or_done_by_one(name: str) -> None:
    if name in names.COVERED:
        command_at(*names.COVERED[name].split())
    else:
        found = command_named(name)
        assert found is not None
        assert found[1].operation == name
        command_at(*found[0].split())


def test_what_is_said_of_operations_is_said_of_operations_that_there_are() -> None:
    operations = set(CATALOG.operations)
    for said in (names.EXCEPTIONS, names.COVERED, MORE):
        assert set(said) <= operations
    fields = {
        name for one in CATALOG.operations.values() for name in one.fields.wire_names.values()
    }
    assert set(FIELD_HELP) <= fields


def test_two_operations_never_are_one_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(names.EXCEPTIONS, "list_notes", "note show")
    with pytest.raises(LookupError, match="two operations are `hearth note show`"):
        describe(CATALOG)


@through("one", [(command, (command, made)) for command, made in list_commands()])
def test_a_command_has_help_with_an_example_that_it_takes(
    one: tuple[str, OperationCommand],
) -> None:
    command, made = one
    said = CliRunner().invoke(hearth, [*command.split(), "--help"])
    assert said.exit_code == 0
    assert f"Example:\n    {made.example}\n" in said.output
    assert "caller" not in said.output
    program, *words = shlex.split(made.example)
    assert program == "hearth"
    assert words[:2] == command.split()
    command_at(*words[:2]).make_context(words[1], words[2:])


def test_nouns_and_verbs_are_plain_words() -> None:
    for command, _ in list_commands():
        assert re.fullmatch(r"[a-z]+(-[a-z]+)* [a-z]+(-[a-z]+)*", command), command


def test_the_help_lists_each_command_once_with_a_line_and_loads_none() -> None:
    said = CliRunner().invoke(hearth, ["--help"]).output
    known = {*COMMANDS, *read_index()["nouns"]}
    listed = [name for part in SECTIONS.values() for name in part.split()]
    assert sorted(listed) == sorted(known)
    summaries = read_index()["summaries"]
    for name in known:
        assert summaries[name]
        assert re.search(rf"^  {re.escape(name)} ", said, re.MULTILINE)
    assert set(NOUNS) == set(read_index()["nouns"]) - set(COMMANDS)


def test_a_noun_with_commands_of_its_own_has_those_first() -> None:
    said = CliRunner().invoke(hearth, ["key", "--help"]).output
    listed = said[said.index("Commands:") :]
    assert listed.index("create") < listed.index("revoke") < listed.index("rotate")


def test_the_index_is_json_that_a_merge_can_read() -> None:
    text = json.dumps(read_index(), indent=1, ensure_ascii=False)
    assert max(map(len, text.splitlines())) < 600
