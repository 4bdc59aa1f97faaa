"""`hearth bridge …` as it is typed, against a server that answers from memory."""

import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from app import __main__ as program
from app.commands.bridge import delegate, registration
from app.commands.bridge.home import Home
from app.commands.bridge.journal import Journal
from app.commands.terminal.server_addresses import is_own_machine
from tests.support.fake_hearth import GRANT, LATER, ME, PEER, FakeHearth

REQUEST = {
    "commSessionId": GRANT,
    "requesterPrincipalId": PEER,
    "recipientPrincipalId": ME,
    "status": "pending",
    "requestExpiresAt": LATER,
    "grantExpiresAt": None,
}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delegate, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(delegate, "ASK_SECONDS", 0.05)
    monkeypatch.setattr(delegate, "LAST_WORDS_SECONDS", 0.1)
    monkeypatch.setattr(registration, "POLL_SECONDS", 0.01)


def bridge(home: Home, *words: str, given: str | None = None, **env: str) -> Result:
    return CliRunner().invoke(
        program.hearth,
        ["bridge", *words],
        input=given,
        env={"HEARTH_BRIDGE": str(home.folder)} | env,
    )


def test_a_device_is_paired_by_a_code_that_its_owner_approves(
    hearth: FakeHearth, tmp_path: Path
) -> None:
    home = Home(tmp_path / "new")
    hearth.code = [
        {"status": "pending"},
        {"status": "approved", "deviceToken": "token-1", "userId": ME},
    ]
    paired = bridge(home, "pair", "localhost:8000", "--name", "Laptop")
    assert paired.exit_code == 0, paired.output
    assert "ABCD" in paired.stderr
    assert "http://hearth/local-agent/device-code?code=ABCD" in paired.stderr
    assert paired.stdout == "Paired Laptop with http://localhost:8000, for bob.\n"
    (asked,) = hearth.said("local-agent/device-code/start")
    assert asked["label"] == "Laptop"
    assert asked["deviceId"].startswith("laptop-")
    assert home.device().token == "token-1+"  # the device was new, so it registered
    assert {path.stat().st_mode & 0o077 for path in home.folder.iterdir()} == {0}
    assert home.folder.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("status", "told"), [("denied", "denied"), ("expired", "expired"), ("consumed", "expired")]
)
def test_a_code_that_is_not_approved_pairs_nothing(
    hearth: FakeHearth, tmp_path: Path, status: str, told: str
) -> None:
    home = Home(tmp_path / "new")
    hearth.code = [{"status": status}]
    refused = bridge(home, "pair", "http://localhost:8000")
    assert (refused.exit_code, told in refused.stderr) == (1, True)
    assert home.find_device() is None


def test_a_key_pairs_and_is_not_kept(hearth: FakeHearth, tmp_path: Path) -> None:
    home = Home(tmp_path / "new")
    paired = bridge(home, "pair", "http://localhost:8000", "--key-from", "env:MY_KEY", MY_KEY="key")
    assert paired.exit_code == 0, paired.output
    assert home.device().token == "token-1+"
    assert b'"key"' not in (home.folder / "device.json").read_bytes()
    again = bridge(home, "pair", "http://localhost:8000", "--key-from", "-", given="key\n")
    assert again.exit_code == 0
    first, second = hearth.said("local-agent/endpoints")
    assert first["deviceId"] == second["deviceId"]
    other = bridge(home, "pair", "http://localhost:9000", "--key-from", "-", given="key\n")
    assert (other.exit_code, "unpair" in other.stderr) == (1, True)


@pytest.mark.parametrize(
    "address", ["", "ftp://x", "http://", "http://user@host", "http://host:port", "http://[x"]
)
def test_what_is_no_address_is_told(hearth: FakeHearth, tmp_path: Path, address: str) -> None:
    refused = bridge(Home(tmp_path / "new"), "pair", address)
    assert (refused.exit_code, "is not an address" in refused.stderr) == (2, True)


def test_an_address_elsewhere_over_plain_http_is_warned_of(
    hearth: FakeHearth, tmp_path: Path
) -> None:
    hearth.code = [{"status": "denied"}]
    refused = bridge(Home(tmp_path / "new"), "pair", "http://192.0.2.1:8000")
    assert "plain HTTP" in refused.stderr


@pytest.mark.parametrize(
    "words", [("status",), ("run", "--adapter", "echo"), ("delegate", "@ann", "x"), ("requests",)]
)
def test_without_a_device_one_is_told_how_to_pair(
    hearth: FakeHearth, tmp_path: Path, words: tuple[str, ...]
) -> None:
    refused = bridge(Home(tmp_path / "new"), *words)
    assert (refused.exit_code, "hearth bridge pair" in refused.stderr) == (1, True)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("run",), "Name the program"),
        (("run", "--adapter", "echo", "--", "cat"), "takes no command"),
        (("run", "--", "/no/such/program"), "no program called"),
        (("run", "--adapter", "other"), "Invalid value"),
        (("delegate", "@ann", " "), "1 to 16,000"),
        (("delegate", "@ann", "x" * 16_001), "1 to 16,000"),
        (("approvals",), "no key at env:HEARTH_KEY"),
        (("approvals", "--key-from", "guess"), "--key-from needs"),
    ],
)
def test_wrong_words_are_told(
    hearth: FakeHearth, home: Home, words: tuple[str, ...], told: str
) -> None:
    refused = bridge(home, *words, HEARTH_KEY="")
    assert (refused.exit_code, told in refused.stderr) == (2, True), refused.stderr


def test_a_server_that_is_gone_and_a_token_that_has_ended_are_told(
    hearth: FakeHearth, home: Home
) -> None:
    hearth.is_gone = True
    assert "http://hearth cannot be reached" in bridge(home, "status").stderr
    hearth.is_gone, hearth.token = False, "other"
    assert "Pair it again" in bridge(home, "status").stderr
    assert bridge(home, "unpair").stdout == "Unpaired laptop.\n"
    assert home.find_device() is None


def test_status_says_how_the_server_sees_the_device(hearth: FakeHearth, home: Home) -> None:
    shown = bridge(home, "status")
    assert shown.stdout == (
        "laptop, of bob at http://hearth: online. The bridge does not run here.\n"
    )
    with home.owned():
        assert json.loads(bridge(home, "status", "--json").stdout)["running"] is True
        assert "Another bridge" in bridge(home, "run", "--adapter", "echo").stderr


def test_requests_are_listed_accepted_declined_and_ended(hearth: FakeHearth, home: Home) -> None:
    assert bridge(home, "requests").stdout == "There are no open requests and no grants.\n"
    assert "There is no request" in bridge(home, "accept").stderr
    hearth.grants = [REQUEST]
    assert f"{GRANT}\t@ann\tincoming\tpending" in bridge(home, "requests").stdout
    assert bridge(home, "accept").stdout == "@ann may send tasks until 00:00 UTC.\n"
    assert bridge(home, "decline", "@ann").stdout == "Declined the request of @ann.\n"
    assert bridge(home, "decline", "@eve").exit_code == 1
    hearth.grants = [REQUEST, {**REQUEST, "commSessionId": "comm_2"}]
    assert "several" in bridge(home, "accept").stderr
    assert bridge(home, "accept", "comm_2").exit_code == 0
    hearth.grants = [{**REQUEST, "status": "active", "grantExpiresAt": LATER}]
    assert bridge(home, "revoke").stdout == "Ended the grant with @ann.\n"
    hearth.grants = [{**REQUEST, "status": "revoked"}]
    assert bridge(home, "requests").stdout == "There are no open requests and no grants.\n"
    assert "revoked" in bridge(home, "requests", "--all").stdout


def test_what_waits_is_shown_and_decided_with_a_key(hearth: FakeHearth, home: Home) -> None:
    assert bridge(home, "approvals", HEARTH_KEY="key").stdout == "Nothing waits for your yes.\n"
    hearth.escalations = [
        {
            "id": 7,
            "kind": "runtime_tool_call",
            "summary": "run_command",
            "reason": "Your agent works for ann.",
            "expiresAt": LATER,
            "preview": {"kind": "text", "text": "claude -p\x1b[2J\n\u202ein /srv"},
        },
        {"id": 8, "kind": "tool_call"},
    ]
    shown = bridge(home, "approvals", HEARTH_KEY="key").stdout
    assert shown == (
        "7, until 00:00 UTC. Your agent works for ann.\nclaude -p\ufffd[2J\n\ufffdin /srv\n\n"
    )
    listed = json.loads(bridge(home, "approvals", "--json", HEARTH_KEY="key").stdout)
    assert [one["id"] for one in listed["escalations"]] == [7]
    assert bridge(home, "allow", "--for", "session", HEARTH_KEY="key").stdout == "Allowed.\n"
    assert bridge(home, "deny", "7", HEARTH_KEY="key").stdout == "Denied.\n"
    assert hearth.said("escalations/7/decision") == [
        {"decision": "continue", "remember": "session"},
        {"decision": "stop", "remember": "once"},
    ]
    hearth.escalations *= 2
    assert "Several wait" in bridge(home, "allow", HEARTH_KEY="key").stderr


def answer(hearth: FakeHearth, **payload: Any) -> None:
    """Answer the next task that is delegated."""

    def wait() -> None:
        while not hearth.said("local-agent/delegations"):
            time.sleep(0.005)
        (asked, *_) = hearth.said("local-agent/delegations")
        hearth.send("msg_9", replyTo="msg_1", correlationId=asked["correlationId"], payload=payload)

    threading.Thread(target=wait, daemon=True).start()


def test_a_task_is_sent_and_its_answer_printed(
    hearth: FakeHearth, home: Home, tmp_path: Path
) -> None:
    hearth.delegation = {"status": "grant_requested", "communicationSessionId": GRANT}
    file = tmp_path / "plan.md"
    file.write_text("Tea at five.\n")
    answer(hearth, text="Done.\x1b[31m", outcome="respond")
    sent = bridge(home, "delegate", "@ann", "Look at this", "--context", str(file))
    assert (sent.exit_code, sent.stdout) == (0, "Done.\n"), sent.output
    assert "Asked @ann to accept" in sent.stderr
    asked = hearth.said("local-agent/delegations")[0]
    assert asked["target"] == {"kind": "person_default_runtime", "principalId": PEER}
    assert asked["clientMessageId"] == asked["correlationId"]
    assert asked["correlationId"].startswith("delegate:")
    assert asked["sessionHandle"] == "rs_1"
    (item,) = asked["context"]["items"]
    assert (item["label"], item["content"]) == ("plan.md", "Tea at five.\n")
    assert len(item["sha256"]) == 64
    assert hearth.phases("msg_9") == ["device_ack", "runtime_ack"]
    kept = bridge(home, "wait", asked["correlationId"])
    assert kept.stdout == "Done.\n"


def test_an_answer_that_says_it_failed_ends_with_exit_code_1(
    hearth: FakeHearth, home: Home
) -> None:
    hearth.delegation = {"status": "delegated", "messageId": "msg_1", "deliveryId": "d"}
    hearth.status["msg_1"] = "failed"
    answer(hearth, text="No.", outcome="failed")
    sent = bridge(home, "delegate", "@ann", given="Do it\n")
    assert (sent.exit_code, sent.stdout) == (1, "No.\n")


@pytest.mark.parametrize("status", ["declined", "expired"])
def test_a_request_that_comes_to_nothing_is_told(
    hearth: FakeHearth, home: Home, status: str
) -> None:
    hearth.delegation = {"status": "grant_requested", "communicationSessionId": GRANT}
    hearth.grants = [{**REQUEST, "status": status}]
    refused = bridge(home, "delegate", "@ann", "Do it")
    assert (refused.exit_code, f"it was {status}" in refused.stderr) == (1, True)


def test_nobody_of_that_name_and_no_answer_in_time_are_told(hearth: FakeHearth, home: Home) -> None:
    refused = bridge(home, "delegate", "@eve", "Do it")
    assert (refused.exit_code, "No @eve here" in refused.stderr) == (1, True)
    hearth.delegation = {"status": "delegated", "messageId": "msg_1", "deliveryId": "d"}
    hearth.status["msg_1"] = "runtime_acked"
    late = bridge(home, "delegate", "@ann", "Do it", "--minutes", "0.002")
    assert (late.exit_code, "hearth bridge wait delegate:" in late.stderr) == (1, True)


def test_beside_a_bridge_that_runs_the_answer_is_read_from_its_journal(
    hearth: FakeHearth, home: Home
) -> None:
    hearth.delegation = {"status": "delegated", "messageId": "msg_1", "deliveryId": "d"}
    hearth.status["msg_1"] = "runtime_acked"
    device = home.device()
    device.session_handle = "rs_1"
    home.save(device)
    with home.owned():
        journal = Journal(home.journal)

        def reply() -> None:
            while not hearth.said("local-agent/delegations"):
                time.sleep(0.005)
            id_ = hearth.said("local-agent/delegations")[0]["correlationId"]
            envelope = {
                "id": "m",
                "replyTo": "msg_1",
                "correlationId": id_,
                "payload": {"text": "Hi"},
            }
            journal.change(journal.receive(envelope), "done")

        threading.Thread(target=reply, daemon=True).start()
        sent = bridge(home, "delegate", "@ann", "Do it")
        journal.close()
    assert sent.stdout == "Hi\n"
    assert hearth.said("local-agent/sessions") == []
    sent = bridge(home, "delegate", "@ann", "Do it", "--no-wait")
    assert sent.stdout.startswith("delegate:")


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        (".env", b"A=1", "secrets"),
        ("id_ed25519", b"key", "secrets"),
        ("server.pem", b"key", "secrets"),
        ("photo.png", b"\x89PNG\xff", "is not text"),
        ("zero", b"a\0b", "is not text"),
        ("empty", b" \n", "is empty"),
        ("large", b"x" * (97 << 10), "more than 96 KiB"),
    ],
)
def test_files_that_cannot_go_along_are_named(
    hearth: FakeHearth, home: Home, tmp_path: Path, name: str, content: bytes, told: str
) -> None:
    (tmp_path / name).write_bytes(content)
    refused = bridge(home, "delegate", "@ann", "x", "--context", str(tmp_path / name))
    assert (refused.exit_code, told in refused.stderr) == (1, True), refused.stderr
    assert hearth.asked == []


def test_somebody_without_a_device_is_waited_for_or_told_of(hearth: FakeHearth, home: Home) -> None:
    hearth.unreachable = 1
    refused = bridge(home, "delegate", "@ann", "Do it", "--no-wait")
    assert (refused.exit_code, "Nobody is there." in refused.stderr) == (1, True)
    hearth.asked.clear()
    hearth.unreachable = 2
    hearth.delegation = {"status": "delegated", "messageId": "msg_1", "deliveryId": "d"}
    hearth.status["msg_1"] = "runtime_acked"
    answer(hearth, text="Here.")
    sent = bridge(home, "delegate", "@ann", "Do it")
    assert (sent.exit_code, sent.stdout) == (0, "Here.\n")
    told = sent.stderr.splitlines()
    waiting = "No device of @ann can be reached. Sending the task as soon as one can."
    assert (told.count(waiting), told.count("Sent to @ann.")) == (1, 1)


def test_what_is_waited_for_is_shown_once_it_is_there(
    hearth: FakeHearth, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def come(_seconds: float) -> None:
        hearth.grants = [REQUEST]
        hearth.escalations = [
            {
                "id": 7,
                "kind": "runtime_tool_call",
                "reason": "Ann asks.",
                "summary": "run_command",
                "expiresAt": LATER,
                "preview": None,
            }
        ]

    monkeypatch.setattr(time, "sleep", come)
    assert "@ann" in bridge(home, "requests", "--wait").stdout
    shown = bridge(home, "approvals", "--wait", HEARTH_KEY="key").stdout
    assert shown == "7, until 00:00 UTC. Ann asks.\nrun_command\n\n"


def test_bytes_that_are_no_text_are_told(hearth: FakeHearth, home: Home) -> None:
    refused = bridge(home, "delegate", "@ann", "caf\udce9", "--no-wait")
    assert (refused.exit_code, "not valid Unicode" in refused.stderr) == (1, True)


@pytest.mark.parametrize(
    ("server", "own"),
    [
        ("http://127.0.0.1:8000", True),
        ("http://[::1]:8000", True),
        ("http://localhost", True),
        ("http://hearth.localhost", True),
        ("http://192.0.2.1", False),
        ("http://localhost.example", False),
    ],
)
def test_an_address_of_this_machine_is_known_by_its_spelling(server: str, own: bool) -> None:
    assert is_own_machine(server) == own


def test_the_standard_folder_is_not_the_one_of_a_server(
    hearth: FakeHearth, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platformdirs.user_data_path", lambda name, **_: tmp_path / name)
    monkeypatch.delenv("HEARTH_BRIDGE", raising=False)
    refused = CliRunner().invoke(program.hearth, ["bridge", "status"])
    assert f"No device is paired in {tmp_path}/hearth-bridge." in refused.stderr
