"""Rebuild the states of a disk that a power cut could leave, from what was recorded.

What was synced is there. Of what was not, anything may be: a write may be lost, done before one
that came earlier, or done in some of its sectors; a file that was made may be missing, and one
that was deleted may still be there.
"""

import random
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tests.power.tracing import Event

SECTOR = 512
TORN = 0.3
GARBAGE = 0.2
WAYS = ("nothing", "everything", "first", "some")


class File:
    """A file on its way to the disk: what is certainly there, and what was asked since."""

    def __init__(self, content: bytes = b"", *, exists: bool = True) -> None:
        self.content = bytearray(content)
        self.exists = exists
        self.waiting: list[Event] = []
        self.deleted = False

    def sync(self) -> None:
        for event in self.waiting:
            apply(self.content, event)
        self.waiting, self.exists = [], True

    def after_cut(self, way: str, chance: random.Random) -> bytes | None:
        """Give what is found of the file after a cut; None when it is not there."""
        if self.deleted and way != "nothing":
            return None
        if not self.exists and (way == "nothing" or chance.random() < 0.5):
            return None
        content = bytearray(self.content)
        first = chance.randrange(len(self.waiting) + 1)
        for number, event in enumerate(self.waiting):
            if (
                way == "everything"
                or (way == "first" and number < first)
                or (way == "some" and chance.random() < 0.5)
            ):
                apply(content, event, chance=chance if way == "some" else None)
            elif way == "first" and number == first:
                apply(content, event, chance=chance, torn=1.0)
        return bytes(content)


class State(NamedTuple):
    """What a cut left of each file, and what had been asked of and answered by the server before
    it.
    """

    position: int
    way: str
    files: dict[str, bytes]
    asked: frozenset[str]
    answered: frozenset[str]


def apply(
    content: bytearray, event: Event, *, chance: random.Random | None = None, torn: float = TORN
) -> None:
    """Do a write or a truncation; with `chance` perhaps only some sectors of it."""
    if event.kind == "truncate":
        del content[event.offset :]
        content.extend(bytes(event.offset - len(content)))
        return
    if event.offset > len(content):
        gap = event.offset - len(content)
        content.extend(
            chance.randbytes(gap)
            if chance is not None and chance.random() < GARBAGE
            else bytes(gap)
        )
    if chance is None or chance.random() >= torn:
        content[event.offset : event.offset + len(event.data)] = event.data
        return
    end = event.offset + len(event.data)
    for sector in range(event.offset - event.offset % SECTOR, end, SECTOR):
        if chance.random() < 0.5:
            low, high = max(sector, event.offset), min(sector + SECTOR, end)
            content.extend(bytes(max(0, low - len(content))))
            content[low:high] = event.data[low - event.offset : high - event.offset]


def states(
    base: dict[str, bytes], events: list[Event], *, many: int, seed: int, lying: bool = False
) -> Iterator[State]:
    """Give so many states, spread over the whole recording; `lying`.

    Of a disk that says of a sync that it is done and does nothing.
    """
    chance = random.Random(seed)
    answers = [number for number, event in enumerate(events) if event.kind == "answered"]
    chosen: dict[int, int] = {}
    for number in range(
        many
    ):  # a third of them just after an answer, when most depends on its sync
        moment = (
            chance.choice(answers) if number % 3 == 0 and answers else chance.randrange(len(events))
        )
        chosen[moment] = chosen.get(moment, 0) + 1
    files = {name: File(content) for name, content in base.items()}
    asked: set[str] = set()
    answered: set[str] = set()
    for number, event in enumerate(events):
        advance(files, event, asked=asked, answered=answered, lying=lying)
        for way in _ways(chosen.get(number, 0), chance):
            yield State(
                number, way, dict(_found(files, way, chance)), frozenset(asked), frozenset(answered)
            )


def advance(
    files: dict[str, File], event: Event, *, asked: set[str], answered: set[str], lying: bool
) -> None:
    """Take one event further."""
    if event.kind in ("asked", "answered"):
        (asked if event.kind == "asked" else answered).add(event.name)
    elif event.kind == "create":
        before = files.get(event.name)
        files[event.name] = (
            File(exists=False) if before is None or before.deleted or not before.exists else before
        )
    elif event.kind == "delete":
        if event.offset and not lying:
            files.pop(event.name, None)
        elif event.name in files:
            files[event.name].deleted = True
    elif event.kind == "sync":
        if not lying:
            files[event.name].sync()
    else:
        files[event.name].waiting.append(event)


def _ways(many: int, chance: random.Random) -> Iterable[str]:
    first = chance.randrange(len(WAYS))
    return [
        WAYS[(first + number) % len(WAYS)] if number < len(WAYS) else "some"
        for number in range(many)
    ]


def _found(files: dict[str, File], way: str, chance: random.Random) -> Iterator[tuple[str, bytes]]:
    """Each file may have come its own way, as disks write them in any order."""
    for name, file in files.items():
        own = way if chance.random() < 0.7 else chance.choice(WAYS)
        content = file.after_cut(own, chance)
        if content is not None:
            yield name, content
