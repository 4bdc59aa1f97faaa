"""One test that goes through many cases, for checks too small to be tests of their own each."""

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

SHOWN = 5


def through(name: str, cases: Iterable[tuple[str, Any]]) -> Callable[[Any], Any]:
    """Call the test with each case as its argument `name`, under a label.

    All cases are tried. The failure names every one that failed and shows the first few.
    """
    wanted = list(cases)
    assert wanted, "a test without a case cannot fail"

    def decorate(test: Any) -> Any:
        if inspect.iscoroutinefunction(test):

            async def whole(**given: Any) -> None:
                failed = Failures(len(wanted))
                for label, case in wanted:
                    with failed.of(label):
                        await test(**given, **{name: case})
                failed.show()

        else:

            def whole(**given: Any) -> None:  # type: ignore[misc]
                failed = Failures(len(wanted))
                for label, case in wanted:
                    with failed.of(label):
                        test(**given, **{name: case})
                failed.show()

        functools.update_wrapper(whole, test)
        del whole.__wrapped__
        others = [one for one in inspect.signature(test).parameters.values() if one.name != name]
        whole.__signature__ = inspect.Signature(others)  # type: ignore[attr-defined]
        return whole

    return decorate


class Failures:
    """What went wrong in which case."""

    def __init__(self, tried: int) -> None:
        self.tried = tried
        self.errors: dict[str, Exception] = {}

    @contextlib.contextmanager
    def of(self, label: str) -> Iterator[None]:
        """Keep what goes wrong in a case."""
        try:
            yield
        except Exception as error:
            self.errors[label] = error
        except pytest.fail.Exception as error:  # which is no Exception to Python
            self.errors[label] = AssertionError(str(error))

    def show(self) -> None:
        """Raise what was kept."""
        if self.errors:
            raise ExceptionGroup(
                f"{len(self.errors)} of {self.tried} cases failed: {', '.join(self.errors)}",
                list(self.errors.values())[:SHOWN],
            )
