"""`hearth help`: the pages of the guide on a terminal and in a pipe."""

import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from app.__main__ import hearth
from app.commands.help import GUIDE, list_topics
from app.interfaces.languages.words import LANGUAGES
from tests.support.terminal import terminal

README = Path(__file__).parents[2] / "README.md"
PAGES = [README, *sorted(GUIDE.glob("*.md"))]
TEXTS = [*PAGES, *sorted(LANGUAGES.glob("*/*.toml")), *sorted(GUIDE.parent.rglob("*.py"))]
NAMED = re.compile(r"(?:[`“„]|^(?:\$ )?)hearth((?: [a-z][a-z-]*)+)", re.MULTILINE)
"""A command in quotation marks, or on a line of its own as an example shows it."""


def test_without_a_topic_every_page_is_listed_with_its_title() -> None:
    said = CliRunner().invoke(hearth, ["help"]).output
    assert "architecture " in said
    assert [
        name for name, title in list_topics().items() if name not in said or title not in said
    ] == []
    assert len(list_topics()) >= 19


def test_into_a_pipe_goes_the_page_as_it_is_written() -> None:
    done = CliRunner().invoke(hearth, ["help", "architecture"])
    assert done.output == (GUIDE / "architecture.md").read_text("utf-8")
    assert done.exit_code == 0


@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal of POSIX")
def test_on_a_terminal_a_page_is_laid_out() -> None:
    with terminal("help", "adding-a-tool") as window:
        window.until("caller with a narrower view")
        assert "# Adding a tool" not in window.shown
        assert "Adding a tool" in window.shown
        assert window.end() == 0


def test_an_unknown_topic_is_refused_with_those_there_are() -> None:
    done = CliRunner().invoke(hearth, ["help", "cooking"])
    assert done.exit_code == 2
    assert "There is no page called 'cooking'. Choose one of " in done.output
    assert "backup" in done.output


@pytest.mark.parametrize("page", sorted(GUIDE.glob("*.md")), ids=lambda page: page.stem)
def test_a_page_opens_with_its_title_and_a_sentence(page: Path) -> None:
    first, empty, text = page.read_text("utf-8").split("\n", 2)
    assert first.startswith("# ")
    assert empty == ""
    assert text[0] not in "\n#"


def leaves(command: click.Command, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Give the words of every command that is no group."""
    if not isinstance(command, click.Group):
        yield path
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        if (found := command.get_command(context, name)) is not None:
            yield from leaves(found, (*path, name))


def test_the_help_of_each_command_has_an_example_that_it_takes() -> None:
    wrong = []
    for path in leaves(hearth, ()):
        said = CliRunner().invoke(hearth, [*path, "--help"], terminal_width=200).output
        _, _, examples = said.partition("Example")
        lines = [line.strip() for line in examples.splitlines()[1:] if line.strip()]
        if not lines or not all(takes(path, line) for line in lines if f"hearth {path[0]}" in line):
            wrong.append(path)
    assert wrong == []


def test_each_command_that_a_text_names_is_there() -> None:
    named = {
        found[1]: path.name for path in TEXTS for found in NAMED.finditer(path.read_text("utf-8"))
    }
    assert {words: name for words, name in named.items() if not is_there(words.split())} == {}


def is_there(words: list[str]) -> bool:
    """Whether words lead to a command or to a group of them."""
    command: click.Command | None = hearth
    for word in words:
        if not isinstance(command, click.Group):
            break
        command = command.get_command(click.Context(command), word)
    return command is not None


def takes(path: tuple[str, ...], line: str) -> bool:
    """Whether a command knows the options of its example and gets the words it needs."""
    words = shlex.split(line[line.rindex("hearth ") :].partition(" >")[0].partition(" |")[0])
    command: click.Command = hearth
    for name in path:
        if not isinstance(command, click.Group):
            return False
        command = command.get_command(click.Context(command), name) or command
    given = words[1 + len(path) :]
    context = click.Context(command, info_name=path[-1])
    try:
        values, rest, _ = command.make_parser(context).parse_args(list(given))
    except click.UsageError:
        return False
    needed = [one.name for one in command.params if one.required]
    is_whole = all(values.get(str(name)) not in (None, ()) for name in needed)
    return words[1 : 1 + len(path)] == list(path) and is_whole and not rest
