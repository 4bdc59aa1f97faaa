"""What was found but is doubtful, because other days stay in the title.

Of several days in a row, as in “today or tomorrow”, none is meant alone; and a time alone is not
today's where a day is left in the title, as in “the Monday slides at 5pm”.
"""

from collections.abc import Iterable, Sequence

from app.agent.quickadd import folded_text
from app.agent.quickadd.language_words import Language
from app.agent.quickadd.meaning import Found

_MOST_BETWEEN = 12
"""No more characters stand between two days in a row."""


def without_doubtful(
    taken: list[Found],
    candidates: Iterable[Found],
    closed: Sequence[tuple[int, int]],
    visible: str,
    language: Language,
    languages: Iterable[Language],
) -> list[Found]:
    """Return the matches that were taken without those that the days left over make doubtful.

    What stands in the `closed` parts of the text is no day; a weekday may be one of any of the
    `languages` that the text may be in.
    """
    days = [one for one in candidates if "date" in one.meaning.slots and _is_left(one, taken)]
    day = next((one for one in taken if "date" in one.meaning.slots), None)
    if day is not None:
        doubtful = any(_is_in_a_row(day, one, visible, language) for one in days)
    else:
        is_dated = any({"until", "rule"} & one.meaning.slots for one in taken)
        doubtful = not is_dated and (
            any(one.rule.where != "beside" for one in days)
            or _names_weekday(visible, taken, closed, languages)
        )
    return [one for one in taken if one.meaning.kind == "priority"] if doubtful else taken


def _is_left(one: Found, taken: Iterable[Found]) -> bool:
    return all(one.end <= other.start or other.end <= one.start for other in taken)


def _is_in_a_row(day: Found, other: Found, visible: str, language: Language) -> bool:
    """Return whether nothing but “and”, “or” or a mark stands between two different days."""
    # “so” and “sun” are days only beside what is as short.
    if other.rule.where == "beside" and day.rule.where not in ("apart", "beside"):
        return False
    first, last = sorted((day, other))
    gap = visible[first.end : last.start]
    return (
        len(gap) <= _MOST_BETWEEN
        and day.meaning.day != other.meaning.day
        and language.between_days.fullmatch(gap) is not None
    )


def _names_weekday(
    visible: str,
    taken: Iterable[Found],
    closed: Iterable[tuple[int, int]],
    languages: Iterable[Language],
) -> bool:
    places = [*closed, *((one.start, one.end) for one in taken)]
    rest = folded_text.blank_out(visible, places)
    return any(one.left_weekday.search(rest) is not None for one in languages)
