"""Where the machine's power comes from, as Linux and macOS say it."""

import sys
from pathlib import Path

import pytest

from app.core.process import power_source

MAINS = {"type": "Mains", "online": "1"}
UNPLUGGED = {"type": "Mains", "online": "0"}
CHARGER = {"type": "USB", "online": "1"}
DRAINING = {"type": "Battery", "status": "Discharging"}
CHARGING = {"type": "Battery", "status": "Charging"}
MOUSE = {"type": "Battery", "status": "Discharging", "scope": "Device"}


@pytest.mark.parametrize(
    ("supplies", "answer"),
    [
        ([], None),
        ([MAINS], False),
        ([MAINS, CHARGING], False),
        ([MAINS, DRAINING], False),
        ([CHARGER, DRAINING], False),
        ([UNPLUGGED, DRAINING], True),
        ([DRAINING], True),
        ([UNPLUGGED, {"type": "Battery", "status": "Full"}], False),
        ([MOUSE], None),
        ([UNPLUGGED], None),
        ([{}], None),
    ],
)
def test_linux_describes_each_supply_in_files(
    tmp_path: Path, supplies: list[dict[str, str]], answer: bool | None
) -> None:
    for number, supply in enumerate(supplies):
        folder = tmp_path / str(number)
        folder.mkdir()
        for name, value in supply.items():
            (folder / name).write_text(f"{value}\n")
    assert power_source.read_supplies(tmp_path) is answer


def test_a_machine_that_describes_nothing_is_not_known(tmp_path: Path) -> None:
    assert power_source.read_supplies(tmp_path / "none") is None


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("Now drawing from 'Battery Power'\n -InternalBattery-0\t80%; discharging", True),
        ("Now drawing from 'AC Power'\n", False),
        ("", None),
    ],
)
def test_macos_says_it_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, said: str, answer: bool | None
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(power_source, "_run_pmset", lambda: said)
    assert power_source.on_battery() is answer
