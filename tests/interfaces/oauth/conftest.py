"""An application and the browser of its user, for every test of OAuth."""

import pytest

from tests.conftest import Client, Served
from tests.support.oauth import Application, Browser, register


@pytest.fixture
async def app(served: Served, alice: Client) -> Application:
    """An application on Alice's computer."""
    return await register(served)


@pytest.fixture
async def browser(served: Served, alice: Client) -> Browser:
    """Alice's browser, signed in."""
    made = Browser(served)
    await made.sign_in()
    return made
