"""The filters of the list: which one is chosen, and how many todos each would leave."""

from typing import Any, NamedTuple
from urllib.parse import urlencode

from app.interfaces.home.home_page import Person
from app.interfaces.home.todos.todo_view import HIGH
from app.interfaces.pages.visit import Visit

FIRST_DAY = "0001-01-01"
SHOWN: dict[str, dict[str, Any]] = {
    "open": {},
    "late": {"date": "overdue"},
    "today": {"date": "today"},
    "soon": {"date": "week"},
    "important": {"priorityMin": HIGH},
    "undated": {},
}
"""The filters by name, and what is asked for with each."""


class Chip(NamedTuple):
    """A filter, with the number of todos that it leaves."""

    name: str
    address: str
    number: int
    chosen: bool


class Chosen(NamedTuple):
    """What was chosen: a filter by its name, words, a day, and from which todo on."""

    show: str
    words: str
    day: str
    offset: int

    @property
    def fields(self) -> dict[str, Any]:
        """What is asked of the list."""
        asked = {"completed": False, **SHOWN[self.show]}
        if self.words:
            asked["q"] = self.words
        if self.day:
            asked["date"] = self.day
        return asked

    def address(self, offset: int = 0) -> str:
        """Return the address of a page of what was chosen."""
        query = {
            "show": "" if self.show == "open" else self.show,
            "q": self.words,
            "day": self.day,
            "from": str(offset) if offset else "",
        }
        kept = {name: value for name, value in query.items() if value}
        return f"/todos?{urlencode(kept)}" if kept else "/todos"


def chosen_in(visit: Visit) -> Chosen:
    """Return what an address chooses."""
    query = visit.query_params
    show = query.get("show", "open")
    return Chosen(
        show if show in SHOWN else "open",
        query.get("q", "").strip()[:1000],
        query.get("day", "").strip()[:10],
        visit.number_asked("from"),
    )


async def chips_of(person: Person, chosen: Chosen) -> list[Chip]:
    """Return the filters with their numbers; those that would leave nothing only where chosen."""
    words = {"q": chosen.words} if chosen.words else {}
    numbers = {
        name: await count(person, **asked, **words)
        for name, asked in SHOWN.items()
        if name != "undated"
    }
    numbers["undated"] = numbers["open"] - await count(person, dueFrom=FIRST_DAY, **words)
    return [
        Chip(
            name,
            chosen._replace(show=name, day="", offset=0).address(),
            numbers[name],
            chosen.show == name and not chosen.day,
        )
        for name in SHOWN
        if numbers[name] or chosen.show == name or name == "open"
    ]


async def count(person: Person, **asked: Any) -> int:
    """Return how many open todos there are of a kind."""
    found = await person.call("search_todos", completed=False, limit=1, **asked)
    return int(found.total)
