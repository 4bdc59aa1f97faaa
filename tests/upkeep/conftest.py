"""The tests of upkeep encrypt cheaply; `genuine_age` is for those of the encryption itself."""

import pytest

from tests.support.cheap_age import cheap_age, genuine_age
from tests.support.without_processes import work_here

__all__ = ["cheap_age", "genuine_age", "work_here"]


@pytest.fixture(scope="module", autouse=True)
def cheaply(cheap_age: None) -> None:
    pass
