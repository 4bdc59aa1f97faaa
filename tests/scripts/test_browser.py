"""The browser for the tests of pages: which one is taken, and which is installed."""

import shutil
from collections.abc import Callable

import pytest

import browser

Run = tuple[str, ...]


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Run]]:
    """Let a machine have these programs, and its apt-get make others; give what is run there."""

    def made(*programs: str, installs: dict[int, str] | None = None) -> list[Run]:
        there, ran = set(programs), list[Run]()

        def run(command: Run) -> str:
            ran.append(command)
            there.update(filter(None, [(installs or {}).get(len(ran))]))
            return "E: no network"

        monkeypatch.delenv("TEST_BROWSER", raising=False)
        monkeypatch.setattr(
            shutil, "which", lambda name: f"/usr/bin/{name}" if name in there else None
        )
        monkeypatch.setattr(browser, "run", run)
        monkeypatch.setattr(browser, "say", lambda _: None)
        return ran

    return made


def test_the_headless_shell_is_taken_before_others_and_nothing_is_installed_beside_it(
    machine: Callable[..., list[Run]],
) -> None:
    ran = machine("chromium", browser.SHELL, "apt-get")
    assert browser.get() is None
    assert browser.find() == f"/usr/bin/{browser.SHELL}"
    assert ran == []


def test_a_browser_that_is_named_is_taken_as_it_is(
    machine: Callable[..., list[Run]], monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = machine("chromium", "apt-get")
    monkeypatch.setenv("TEST_BROWSER", "/opt/chrome")
    assert browser.get() is None
    assert browser.find() == "/opt/chrome"
    assert ran == []


def test_where_the_shell_cannot_be_had_another_chromium_serves(
    machine: Callable[..., list[Run]],
) -> None:
    ran = machine("chromium", "apt-get")
    assert browser.get() is None
    assert browser.find() == "/usr/bin/chromium"
    assert ran == [browser.INSTALL]  # tried once; nothing waits for the lists of packages


def test_on_a_fresh_machine_the_shell_is_installed_after_the_lists_of_packages(
    machine: Callable[..., list[Run]],
) -> None:
    ran = machine("apt-get", installs={3: browser.SHELL})
    assert browser.get() is None
    assert ran == [browser.INSTALL, browser.UPDATE, browser.INSTALL]
    assert browser.find() == f"/usr/bin/{browser.SHELL}"


@pytest.mark.parametrize(("programs", "told"), [((), ""), (("apt-get",), "(E: no network)")])
def test_where_there_is_none_and_none_can_be_had_a_sentence_says_so(
    machine: Callable[..., list[Run]], programs: tuple[str, ...], told: str
) -> None:
    machine(*programs)
    assert browser.find() is None
    assert browser.get() == f"{browser.missing()} {told}".strip()
