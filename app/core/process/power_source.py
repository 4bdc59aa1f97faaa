"""Where the machine's power comes from."""

import subprocess
import sys
from pathlib import Path

SUPPLIES = Path("/sys/class/power_supply")
ANSWER_SECONDS = 2


def on_battery() -> bool | None:
    """Return whether the machine runs on its battery now; None where that cannot be known.

    May take some milliseconds.
    """
    if sys.platform == "darwin":
        return _parse_pmset(_run_pmset())
    return read_supplies(SUPPLIES)


def read_supplies(folder: Path) -> bool | None:
    """Tell the same from the files in which Linux describes each supply.

    The batteries of mice and keyboards do not count.
    """
    supplies = [
        supply for supply in _list_folder(folder) if _read_text(supply / "scope") != "Device"
    ]
    if any(
        _read_text(supply / "online") == "1"
        for supply in supplies
        if _read_text(supply / "type") != "Battery"
    ):
        return False
    states = [
        _read_text(supply / "status")
        for supply in supplies
        if _read_text(supply / "type") == "Battery"
    ]
    return "Discharging" in states if states else None


def _parse_pmset(text: str) -> bool | None:
    return None if "drawing from" not in text else "Battery Power" in text


def _run_pmset() -> str:
    try:
        return subprocess.run(
            ["/usr/bin/pmset", "-g", "ps"],
            capture_output=True,
            text=True,
            timeout=ANSWER_SECONDS,
            check=False,
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""


def _list_folder(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _read_text(file: Path) -> str:
    try:
        return file.read_text("utf-8").strip()
    except (OSError, ValueError):
        return ""
