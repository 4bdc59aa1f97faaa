"""How passages of notes are told: as quotes, each with the link of its note."""

from collections.abc import Sequence

from app.agent.rules.passages import answer_passages
from app.agent.rules.passages.answer_passages import Ranked
from app.agent.turn.steps import note_link


def tell(found: Sequence[Ranked]) -> str:
    """Return passages as quotes below each other, those of a table below its columns."""
    return "\n\n".join(answer_passages.columns_of(one) + _quoted([one]) for one in found)


def tell_together(found: Sequence[Ranked]) -> str:
    """Return rows of one table as quotes below its columns; those that stand below each other are
    one quote.
    """
    groups: list[list[Ranked]] = []
    for one in found:
        if groups and not one.note.content[groups[-1][-1].end : one.start].strip():
            groups[-1].append(one)
        else:
            groups.append([one])
    return answer_passages.columns_of(found[0]) + "\n\n".join(map(_quoted, groups))


def quoted(text: str, note_id: int, title: str) -> str:
    """Return a passage as a quote with the link of its note."""
    lines = "\n".join(f"> {line}" for line in text.split("\n"))
    return f"{lines}\n\n— {note_link(note_id, title)}"


def _quoted(found: Sequence[Ranked]) -> str:
    """Return passages of one note that follow each other as one quote."""
    note = found[0].note
    return quoted(note.content[found[0].start : found[-1].end], note.note_id, note.title)
