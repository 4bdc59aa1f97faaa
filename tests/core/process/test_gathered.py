"""What is gathered in memory is written once, and lost by no write that fails."""

from collections.abc import Mapping

import pytest

from app.core.process.gathered import Gathered
from app.errors import StorageFull

pytestmark = pytest.mark.anyio


async def test_what_changes_while_it_is_written_is_written_again_and_nothing_else() -> None:
    gathered: Gathered[str, int] = Gathered()
    gathered.update({"a": 1, "b": 1})
    written = []

    async def write(held: Mapping[str, int]) -> None:
        written.append(dict(held))
        if len(written) == 1:
            gathered.update({"b": 2, "c": 2})

    for _ in range(3):
        await gathered.flush(write)
    assert written == [{"a": 1, "b": 1}, {"b": 2, "c": 2}]


async def test_what_a_write_that_fails_did_not_store_stays() -> None:
    gathered: Gathered[str, int] = Gathered()
    gathered["a"] = 1

    async def fail(_: Mapping[str, int]) -> None:
        raise StorageFull("full")

    with pytest.raises(StorageFull):
        await gathered.flush(fail)
    assert gathered == {"a": 1}
