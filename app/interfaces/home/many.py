"""One act for many things that were selected, and one form that takes all of it back.

Each is done by itself, so that one that fails keeps none of the others back; those that failed are
named.
"""

from collections.abc import Awaitable, Callable, Iterable
from typing import NamedTuple
from urllib.parse import urlencode

from starlette.responses import Response
from starlette.routing import Route

from app.errors import AppError, Invalid, NotFound
from app.interfaces.home.back import back_of
from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.pages.forms import form_of, numbers_of
from app.interfaces.pages.visit import Visit, as_number

MOST = 100
MOST_NAMED = 3
Group = tuple[str, int]
"""A value of before, and the thing that had it."""
Act = Callable[[Person, int, str], Awaitable[list[Group]]]
"""Does something to a thing, with a value, and returns what of before gives it back."""


class Outcome(NamedTuple):
    """How many of those selected were done, what of before gives them back, what failed, and the
    address of the form that takes it back.
    """

    done: int
    before: list[Group]
    failed: list[str]
    undo: str = ""


class Acts(NamedTuple):
    """What can be done with things of a kind (as the trash names it): each act, and the name of
    the one that takes it back. All can be trashed and restored.
    """

    kind: str
    title: Callable[[Person, int], Awaitable[str]]
    others: dict[str, tuple[Act, str]]

    def undo_route(self) -> Route:
        """Give the route of the form that takes acts back."""
        return Route(self._undo, for_person(self.undo), methods=["POST"])

    async def do(self, person: Person, wanted: str, values: dict[int, str]) -> Outcome:
        """Do one act to each, with its value; raise NotFound for an act that is none."""
        table = {"trash": (self._trash, "restore"), "restore": (self._restore, "trash")}
        act, back = (table | self.others).get(wanted, (None, ""))
        if act is None:
            raise NotFound(person.words("many.none"))
        outcome = await for_each(
            person,
            values,
            lambda id_: act(person, id_, values[id_]),
            lambda id_: self.title(person, id_),
        )
        return outcome._replace(undo=_undo_of(self._undo, back, outcome.before))

    async def undo(self, visit: Visit, person: Person) -> Response:
        """Give each thing back what it had before."""
        form, values = await form_of(visit), {id_: value for value, id_ in _groups_in(visit)}
        if not values:
            raise NotFound(person.words("many.none"))
        outcome = await self.do(person, visit.query_params.get("do", ""), values)
        told = person.words("many.undone", n=outcome.done)
        return tell(person, back_of(visit, form, f"/{self.kind}s"), outcome._replace(undo=""), told)

    @property
    def _undo(self) -> str:
        return f"/{self.kind}s/many/undo"

    async def _trash(self, person: Person, id_: int, _: str) -> list[Group]:
        await person.call(f"delete_{self.kind}", id=id_)
        return [("", id_)]

    async def _restore(self, person: Person, id_: int, _: str) -> list[Group]:
        await person.call("restore_from_trash", kind=self.kind, id=id_)
        return []


def selected_in(form: list[tuple[str, str]], name: str, person: Person) -> list[int]:
    """Return the things that a form selects, each once; raise Invalid for none or too many."""
    ids = list(dict.fromkeys(numbers_of(form, name)))
    if not ids or len(ids) > MOST:
        raise Invalid(person.words("many.none" if not ids else "many.too_many"), field=name)
    return ids


async def for_each(
    person: Person,
    ids: Iterable[int],
    act: Callable[[int], Awaitable[list[Group] | None]],
    name: Callable[[int], Awaitable[str]],
) -> Outcome:
    """Do something to each; `act` returns what of before gives it back, None where it had nothing
    to do, and `name` what is said of one that failed.
    """
    done, before, failed = 0, list[Group](), list[str]()
    for id_ in ids:
        try:
            groups = await act(id_)
        except AppError as error:
            failed.append(f"{await _named(person, id_, name)} ({error.message.rstrip('.')})")
        else:
            done += 1
            before += groups or []
    return Outcome(done, before, failed)


def tell(person: Person, back: str, outcome: Outcome, sentence: str) -> Response:
    """Go back to the page and say what was done, what was not, and the way back."""
    if not outcome.failed:
        return see(back, did="many", what=sentence, undo=outcome.undo)
    shown = ", ".join(outcome.failed[:MOST_NAMED])
    if more := len(outcome.failed) - MOST_NAMED:
        shown += person.words("many.more", n=more) if more > 0 else ""
    failed = person.words("many.failed", what=shown)
    told = f"{sentence} {failed}" if outcome.done else failed
    return see(back, did="many_part", what=told, undo=outcome.undo if outcome.done else "")


def _undo_of(address: str, act: str, before: list[Group]) -> str:
    """Return the address of the form that gives each thing what it had; empty where none had."""
    groups: dict[str, list[str]] = {}
    for value, id_ in before:
        groups.setdefault(value, []).append(str(id_))
    pairs = [("g", f"{value}~{'.'.join(ids)}") for value, ids in groups.items()]
    return f"{address}?{urlencode([('do', act), *pairs])}" if pairs else ""


def _groups_in(visit: Visit) -> list[Group]:
    """Return what an address of undo gives back, and to which things."""
    found: list[Group] = []
    for group in visit.query_params.getlist("g"):
        value, _, ids = group.rpartition("~")
        found += [(value, id_) for each in ids.split(".") if (id_ := as_number(each))]
    return found[: 2 * MOST]


async def _named(person: Person, id_: int, name: Callable[[int], Awaitable[str]]) -> str:
    try:
        return person.words("said.quoted", title=(await name(id_))[:40])
    except AppError:
        return person.words("many.gone")
