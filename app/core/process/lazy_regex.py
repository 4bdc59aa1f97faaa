"""Regular expressions that are compiled at their first use, so that the start is fast."""

import re
from typing import Any, AnyStr, cast


def regex(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Give a regular expression with every method of `re.Pattern`.

    A wrong `source` raises re.error at its first use.
    """
    return cast(re.Pattern[AnyStr], _Pattern(source, flags))


class _Pattern:
    """Stands for a pattern, and takes over each of its methods at the first use, so that later
    uses cost what they do on the pattern itself.
    """

    def __init__(self, source: str | bytes, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(self._source, self._flags), name)
        setattr(self, name, found)
        return found
