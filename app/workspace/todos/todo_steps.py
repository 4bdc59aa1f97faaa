"""The steps of a todo: a list that is stored in its row as JSON.

Each step has an id that it keeps and that no other gets.
"""

from typing import Annotated

import msgspec
from msgspec import Meta, UnsetType

from app.core.schema import Body, Id, Record, Title, json_column
from app.errors import Invalid

MOST = 100


class Step(Record):
    """One step; ids count from 1 within a todo."""

    id: int
    title: str
    completed: bool


class NewStep(Body):
    """A step of a new todo."""

    title: Title


class StepEdit(Body):
    """A step as it shall be: with the id of one that is there, or a new one without.

    One whose `completed` is left out stays as it is.
    """

    title: Title
    id: Id | None = None
    completed: bool | None = None


NewSteps = Annotated[list[NewStep], Meta(max_length=MOST)]
StepEdits = Annotated[list[StepEdit], Meta(max_length=MOST)]
StepsJson = json_column(
    {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "id": {"type": "integer"},
                "title": {"type": "string"},
                "completed": {"type": "boolean"},
            },
            "required": ["id", "title", "completed"],
        },
    }
)
StoredSteps = StepsJson | UnsetType


def decode_steps(text: str) -> list[Step]:
    """Return the steps that a row holds."""
    return [] if text == "[]" else _decoder.decode(text)


def new_steps(new: list[NewStep]) -> list[Step]:
    """Return the steps of a new todo."""
    return [Step(number, step.title, completed=False) for number, step in enumerate(new, 1)]


def replace_steps(old: list[Step], edits: list[StepEdit], *, last: int) -> tuple[list[Step], int]:
    """Return the steps that `edits` ask for and the last id that was given.

    Raise Invalid for an id that is not there or comes twice.
    """
    # Ids are never given again, also not those of deleted steps: a client's old list stays clear.
    known = {step.id: step for step in old}
    made = []
    for position, edit in enumerate(edits):
        if edit.id is None:
            last += 1
            made.append(Step(last, edit.title, completed=bool(edit.completed)))
            continue
        found = known.pop(edit.id, None)
        if found is None:
            raise Invalid(
                f"steps[{position}].id is not a step of this todo, or is listed twice.",
                field=f"steps[{position}].id",
            )
        made.append(
            Step(
                edit.id,
                edit.title,
                completed=found.completed if edit.completed is None else edit.completed,
            )
        )
    return made, last


def untick_all(text: str) -> str:
    """Return stored steps with none of them completed."""
    return msgspec.json.encode(
        [Step(step.id, step.title, completed=False) for step in decode_steps(text)]
    ).decode()


_decoder = msgspec.json.Decoder(list[Step])
