"""Every example with output in the README and the guide is what a fresh server answers.

An example is a block of code with lines that begin with `$ `; what follows such a line is its
output, in which `…` stands for anything. Blanks and line breaks of the output do not count. Dates
of November 2026 are moved so that the 21st is today.
"""

import contextlib
import os
import re
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from app.agent.rules.phrases import dates
from app.commands.help import GUIDE
from tests.support import ready_programs
from tests.support.serving import ROOT, Server, serving

pytestmark = pytest.mark.skipif(
    not (shutil.which("bash") and shutil.which("curl")), reason="the examples need bash and curl"
)

WRITTEN_ON = date(2026, 11, 21)
ENDED = "<!-- the server has ended -->"
NOT_RUN = {
    "$ python3 scripts/serve.py --user ann": "the set-up itself; tests/scripts runs it",
    "$ .venv/bin/hearth chat\n": "a person types; tests/commands/test_chat_command.py does",
    "$ hearth bridge pair https://hearth.example": "a person decides; tests/commands/bridge does",
    "$ hearth model add parrot": "needs llama.cpp's own server; tests/wire talks with it",
}
"""How the blocks begin that are not run here, and why."""

NOTE = """
curl -s -H "$KEY" $HEARTH/os/folders -d '{"name": "Garden"}'
curl -s -H "$KEY" $HEARTH/os/notes -d '%s'
"""
FROST = NOTE % (
    '{"title": "Frost dates", "content": "Last frost here: about 12 May.", "folderName": "Garden"}'
)
TOMATOES = NOTE % (
    '{"title": "Tomatoes", "content": "# Tomatoes\\n\\nSow indoors in April.", '
    '"folderName": "Garden"}'
)
BEN = r"""
.venv/bin/hearth user add ben --name "Ben Hill"
.venv/bin/hearth user connect ann ben
BEN=$(.venv/bin/hearth key create --user ben --label laptop 2> /dev/null)
curl -s -H "Authorization: Bearer $BEN" $HEARTH/os/notes \
    -d '{"title": "Orchard", "content": "The apple trees are planted on Friday."}'
"""
DEVICE = r"""
begin() { curl -s -H "$1" "$HEARTH/local-agent/$2" -d "$3"; }
MADE=$(begin "Authorization: Bearer %(key)s" endpoints '{"deviceId": "%(name)s-laptop",
    "runtime": "codex", "bridgeVersion": "1.0", "adapterVersion": "1.0", "capabilities": []}')
%(NAME)s="Authorization: Bearer $(grep -o 'hearth_dt_[0-9A-Za-z]*' <<< "$MADE")"
%(NAME)s_ENDPOINT=$(grep -o 'ep_[0-9a-f]*' <<< "$MADE")
%(NAME)s_ID=$(grep -o '"principalId":"[^"]*' <<< "$MADE" | cut -d'"' -f4)
%(NAME)s_SESSION=$(begin "$%(NAME)s" sessions "{\"endpointId\": \"$%(NAME)s_ENDPOINT\",
    \"label\": \"work\", \"state\": \"idle\", \"deliveryMode\": \"managed_stream\",
    \"capabilities\": {\"replyEvents\": true}, \"allowInbound\": true,
    \"allowMidTurnSteer\": false}" | grep -o 'rs_[0-9a-f]*')
curl -s -X PUT -H "$%(NAME)s" $HEARTH/local-agent/default-route -d "{
    \"endpointId\": \"$%(NAME)s_ENDPOINT\", \"sessionHandle\": \"$%(NAME)s_SESSION\"}"
"""
DEVICES = (
    BEN
    + DEVICE % {"name": "ann", "NAME": "ANN", "key": "${KEY##* }"}
    + DEVICE % {"name": "ben", "NAME": "BEN", "key": "$BEN"}
)
VAULT = r"""
mkdir -p vault/.obsidian vault/Garden
printf -- '---\ncreated: 2024-03-01\ntags: [garden, food]\n---\n' > vault/Garden/Tomatoes.md
printf '![[plan.png]] Sow with [[Basil]].\n' >> vault/Garden/Tomatoes.md
printf 'Basil likes warmth.\n' > vault/Garden/Basil.md
printf '\211PNG\r\n\032\n' > vault/plan.png
: > vault/Garden/empty.txt
"""
RAW_MEMORY = r"""
export HEARTH_VAULT=$PWD/laptop
echo '{"role":"user","text":"Rename the parser."}' > session.jsonl
"""
RECEIVER = r"""
timeout 60 python3 -c "
from http.server import *
class Taking(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers['Content-Length']))
        self.send_response(204)
        self.end_headers()
there = HTTPServer(('127.0.0.1', 9753), Taking)
open('there', 'x').close()
there.handle_request()
" > /dev/null 2>&1 &
until [ -e there ]; do sleep 0.05; done
"""
LAPTOPS = (
    BEN
    + """
export BEN ANN=$(.venv/bin/hearth key create --user ann --label laptop 2> /dev/null)
"""
)
GIVEN = {
    "agent": TOMATOES,
    "managed-agents": FROST + BEN,
    "delegation": LAPTOPS,
    "backup": FROST + "hearth backup; hearth backup --prove",
    "grants": DEVICES,
    "messages": BEN,
    "moving": VAULT,
    "raw-memory": RAW_MEMORY,
    "search": TOMATOES,
    "sharing": FROST,
    "webhooks": RECEIVER,
}
"""What is there before the examples of a page."""
INVENTED = {
    "delegation": ("comm_9d6b3f6e799eb441",),
    "sharing": ("vZRjCLRxn2",),
    "backup": ("20261121T174440Z", "20261121T174449Z"),
    "raw-memory": ("dev_00desktop", "00-fingerprint"),
}
"""Words of a page that chance or the clock makes; each stands for what comes in its place first."""


def pages() -> dict[str, Path]:
    return {"README": ROOT / "README.md"} | {path.stem: path for path in sorted(GUIDE.glob("*.md"))}


def blocks(page: Path) -> Iterator[str]:
    """Yield the examples of a page that can be run, and ENDED where it says that."""
    text = page.read_text("utf-8")
    for found in re.finditer(rf"^```\w*\n(.*?)^```$|{ENDED}", text, re.DOTALL | re.MULTILINE):
        if found[1] is None:
            yield ENDED
        elif found[1].startswith("$ ") and not found[1].startswith(tuple(NOT_RUN)):
            yield found[1]


def steps(block: str) -> Iterator[tuple[str, str]]:
    """Yield each command of an example with the output that it should have."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        lines = part.splitlines()
        count = next(
            count for count in range(1, len(lines) + 1) if _is_whole("\n".join(lines[:count]))
        )
        yield "\n".join(lines[:count]), "\n".join(lines[count:])


def _is_whole(command: str) -> bool:
    try:
        shlex.split(command, comments=True)
    except ValueError:
        return False
    return not command.endswith("\\")


class Shell:
    """A bash that runs one command after another."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            ["bash"],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )

    def run(self, command: str) -> str:
        """Return what a command says, on both streams."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        # no command waits for what might still be typed
        self.process.stdin.write(f"{{ {command}\n}} < /dev/null\necho; echo '@@ end'\n")
        self.process.stdin.flush()
        lines: list[str] = []
        for line in self.process.stdout:
            if line == "@@ end\n":
                break
            lines.append(line)
        return "".join(lines)

    def close(self) -> None:
        """End it, and what it still runs in the background."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate(timeout=30)


def shell(tmp_path: Path, server: Server) -> Shell:
    """Start a shell in a folder with `.venv/bin/hearth`, which speaks to the server."""
    command = tmp_path / ".venv" / "bin" / "hearth"
    command.parent.mkdir(parents=True)
    command.write_text(f'#!/bin/sh\nexec {shlex.join(ready_programs.command())} "$@"\n', "utf-8")
    command.chmod(0o755)
    started = Shell(
        tmp_path,
        {
            **os.environ,
            "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "HEARTH_DATA": str(server.data),
            "LC_ALL": "C.UTF-8",
        },
    )
    started.run(f"HEARTH=http://127.0.0.1:{server.port}/api/v1")
    started.run(f'KEY="Authorization: Bearer {server.key}"')
    return started


def matches(expected: str, said: str, invented: tuple[str, ...]) -> dict[str, str] | None:
    """Return what the invented words stand for, or None when the output is another one."""
    pattern = re.escape("".join(expected.split())).replace("…", ".*?")
    for number, word in enumerate(invented):
        pattern = pattern.replace(re.escape(word), rf"(?P<_{number}>[\w-]+)", 1)
        pattern = pattern.replace(re.escape(word), rf"(?P=_{number})")
    found = re.fullmatch(pattern, "".join(said.split()), re.DOTALL)
    if found is None:
        return None
    return {invented[int(name[1:])]: value for name, value in found.groupdict().items()}


def in_these_days(text: str, name: str) -> str:
    """Return the text of a page with the days of its November moved to the present ones."""
    zone = "Europe/Berlin" if name == "api-tour" else "UTC"  # the tour sets its user's zone
    today = datetime.now(ZoneInfo(zone)).date()

    def moved(day: date) -> date:
        return today + (day - WRITTEN_ON)

    text = re.sub(
        r"\w+day, (\d\d) November", lambda day: as_told(moved(date(2026, 11, int(day[1])))), text
    )
    return re.sub(r"2026-11-\d\d", lambda day: moved(date.fromisoformat(day[0])).isoformat(), text)


def as_told(day: date) -> str:
    """Return a day as an answer of the agent writes it."""
    return dates.day("en", day, datetime.now())


@pytest.mark.parametrize("name", [name for name, path in pages().items() if any(blocks(path))])
def test_the_examples_of_a_page_are_true(name: str, tmp_path: Path) -> None:
    examples = list(blocks(pages()[name]))
    unknown = list(INVENTED.get(name, ()))
    known: dict[str, str] = {}
    wrong = []
    data = tmp_path / "data"
    with serving(data, "--user", "ann", environment={"HEARTH_EMBEDDINGS": "off"}) as server:
        bash = shell(tmp_path, server)
        bash.run(GIVEN.get(name, "") + "\ntrue")
        for example in examples:
            if example == ENDED:
                server.process.terminate()
                server.process.wait(30)
                continue
            for command, expected in steps(example):
                there = {"8765": str(server.port), "/home/ann/hearth/data": str(data), **known}
                for word, value in there.items():
                    command, expected = (part.replace(word, value) for part in (command, expected))
                said = bash.run(in_these_days(command, name))
                seen = tuple(word for word in unknown if word in expected)
                learned = matches(in_these_days(expected, name), said, seen)
                if learned is None:
                    wrong.append(f"$ {command}\n{said}\nbut the page says\n{expected}")
                known.update(learned or {})
                unknown = [word for word in unknown if word not in known]
        bash.close()
    assert wrong == [], "\n\n".join(wrong)


def test_what_is_not_run_is_still_there() -> None:
    texts = "\n".join(path.read_text("utf-8") for path in pages().values())
    assert [start for start in NOT_RUN if f"```\n{start}" not in texts] == []


def test_the_readme_is_short_and_names_every_page() -> None:
    readme = ROOT / "README.md"
    assert readme.stat().st_size < 15_000
    text = readme.read_text("utf-8")
    guide = [name for name in pages() if name != "README"]
    assert [name for name in guide if f"(app/guide/{name}.md)" not in text] == []


def test_links_between_pages_lead_to_pages() -> None:
    broken = []
    for path in pages().values():
        text = re.sub(r"^```.*?^```$", "", path.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
        text = re.sub(r"`[^`\n]*`", "", text)
        targets = re.findall(r"\]\(([^)#\s]*)(?:#[\w-]+)?\)", text)
        here = [one for one in targets if one and ":" not in one]
        broken += [f"{path.name}: {one}" for one in here if not (path.parent / one).exists()]
    assert broken == []


@pytest.mark.parametrize(
    ("expected", "said", "fits"),
    [
        ('{"a":1,…,"b":2}', '{"a":1,"x":[],"b":2}\n', True),
        ('{"a":1,\n"b":2}', '{"a":1,"b":2}', True),
        ('{"a":1}', '{"a":1,"b":2}', False),
        ('{"a":1,…}', '{"a":2,"b":2}', False),
        ("", "an error", False),
    ],
)
def test_an_example_fits_only_what_it_shows(expected: str, said: str, fits: bool) -> None:
    assert (matches(expected, said, ()) is not None) == fits


def test_an_invented_word_is_learnt_once() -> None:
    assert matches("token AB, url /a/AB", "token xY, url /a/xY", ("AB",)) == {"AB": "xY"}
    assert matches("token AB, url /a/AB", "token xY, url /a/zZ", ("AB",)) is None
