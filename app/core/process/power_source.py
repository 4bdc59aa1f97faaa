"""Where the machine's power comes from."""

import subprocess
import sys
from pathlib import Path

SUPPLIES = Path("/sys/class/power_supply")
ANSWER_SECONDS = 2


def on_battery() -> bool | None:
    """Tell whether the machine runs on its battery now; None where that cannot be known.

    May take some milliseconds.
    """
    if sys.platform == "darwin":
        return _says_battery(_pmset())
    return of_supplies(SUPPLIES)


def of_supplies(folder: Path) -> bool | None:
    """Tell the same from the files in which Linux describes each supply.

    The batteries of mice and keyboards do not count.
    """
    supplies = [supply for supply in _entries(folder) if _read(supply / "scope") != "Device"]
    if any(
        _read(supply / "online") == "1"
        for supply in supplies
        if _read(supply / "type") != "Battery"
    ):
        return False
    states = [
        _read(supply / "status") for supply in supplies if _read(supply / "type") == "Battery"
    ]
    return "Discharging" in states if states else None


def _says_battery(text: str) -> bool | None:
    return None if "drawing from" not in text else "Battery Power" in text


def _pmset() -> str:
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


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _read(file: Path) -> str:
    try:
        return file.read_text("utf-8").strip()
    except (OSError, ValueError):
        return ""
