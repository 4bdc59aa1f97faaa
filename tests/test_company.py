"""Who is being served: one client alone, or several."""

import pytest

from app.core.company import Company
from tests.conftest import Client, Served


def test_one_client_is_alone_once_no_other_was_heard_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("app.core.company.time.monotonic", lambda: now)
    served = Company()
    assert served.is_alone
    served.heard(("127.0.0.1", 1))
    assert not served.is_alone
    now += 1.1
    served.heard(("127.0.0.1", 1))
    assert served.is_alone
    served.heard(("127.0.0.1", 2))
    served.heard(("127.0.0.1", 1))
    assert not served.is_alone


@pytest.mark.anyio
async def test_every_request_is_heard(served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[object] = []
    monkeypatch.setattr(Company, "heard", lambda _, client: heard.append(client))
    await alice.ok("GET", "/os/notes")
    assert len(heard) == 1
    assert heard[0] is not None
