"""`hearth help`: the pages of the guide on a terminal and in a pipe."""

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from app.__main__ import hearth
from app.commands.help import GUIDE, list_topics
from tests.support.terminal import terminal


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
