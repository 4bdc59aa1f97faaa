"""The lines of the guide that check a signature: they believe what is genuine and nothing else."""

import base64
import json
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from typing import Any

import pytest

from app.commands.help import GUIDE
from app.webhooks.signatures import new_secret, signed_headers
from tests.support.looping import through

SECRET, OTHER = new_secret(), new_secret()
BODY = '{"type":"message.received","data":{"preview":"Grüße"}}'.encode()
PYTHON = "Python"
CHECKERS = [PYTHON] + (["JavaScript"] if shutil.which("node") else [])


def signed(*secrets: str, ahead: int = 0) -> dict[str, str]:
    seconds = int(time.time()) + ahead
    return signed_headers(secrets, event_id="evt_1", seconds=seconds, body=BODY)


def lines(language: str) -> str:
    page = (GUIDE / "webhooks.md").read_text("utf-8")
    found = re.search(rf"^```{language}\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[1]


def by_python(secret: str, headers: dict[str, str], body: bytes) -> Any:
    scope: dict[str, Any] = {}
    exec(lines("python"), scope)
    return scope["is_genuine"](secret, headers, body)


def by_node(secret: str, headers: dict[str, str], body: bytes) -> Any:
    given = json.dumps([secret, headers, base64.b64encode(body).decode()])
    script = (
        f"{lines('js')}\nconst [secret, headers, body] = {given};\n"
        'console.log(isGenuine(secret, headers, Buffer.from(body, "base64")));'
    )
    done = subprocess.run(
        ["node", "-e", script], capture_output=True, text=True, check=True, timeout=60
    )
    return json.loads(done.stdout)


CASES: list[tuple[str, Callable[[], tuple[dict[str, str], bytes, bool]]]] = [
    ("genuine", lambda: (signed(SECRET), BODY, True)),
    ("rotated", lambda: (signed(OTHER, SECRET), BODY, True)),
    ("of another", lambda: (signed(OTHER), BODY, False)),
    ("changed", lambda: (signed(SECRET), BODY + b" ", False)),
    ("old", lambda: (signed(SECRET, ahead=-400), BODY, False)),
    ("early", lambda: (signed(SECRET, ahead=400), BODY, False)),
    ("another id", lambda: ({**signed(SECRET), "webhook-id": "evt_2"}, BODY, False)),
    ("no signature", lambda: ({**signed(SECRET), "webhook-signature": "v1,"}, BODY, False)),
    (
        "nonsense",
        lambda: ({**signed(SECRET), "webhook-signature": "ä v2,eA== v1,eA=="}, BODY, False),
    ),
]
"""Each makes what is sent when it is asked: the lines of the guide look at the clock."""


@pytest.mark.parametrize("language", CHECKERS)
@through("case", CASES)
def test_the_guide_checks_signatures(
    language: str, case: Callable[[], tuple[dict[str, str], bytes, bool]]
) -> None:
    check: Callable[..., Any] = by_python if language == PYTHON else by_node
    headers, body, genuine = case()
    assert check(SECRET, headers, body) is genuine
