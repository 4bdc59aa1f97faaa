"""Making a todo of what another program has, so that nothing of it is cut away unsaid."""

from collections.abc import Iterator, Sequence
from typing import Literal

from app.portability.content.clean_text import (
    LONGEST_TODO_TITLE,
    clean_line,
    clean_text,
    join_paragraphs,
    note_damaged_text,
    report_name,
)
from app.portability.content.source_items import NotCarried, SourceTodo

LONGEST_DESCRIPTION = 20_000
MOST_STEPS = 100

Steps = Sequence[tuple[str, bool]]


def todo(
    *,
    key: str,
    title: str,
    description: str = "",
    steps: Steps = (),
    completed: bool = False,
    completed_at: str | None = None,
    priority: int | None = None,
    due: str | None = None,
    rule: str | None = None,
    created: str | None = None,
    counted_from: Literal["due", "done"] = "due",
) -> Iterator[SourceTodo | NotCarried]:
    """Yield a todo whose title, description and steps are no longer than ours may be.

    What is beyond that is told.
    """
    whole = " ".join(clean_text(title).split())
    short = clean_line(whole, LONGEST_TODO_TITLE) or clean_line(description, 80) or "Untitled"
    more = [f"- [{'x' if done else ' '}] {clean_line(step)}" for step, done in steps[MOST_STEPS:]]
    text = join_paragraphs(
        whole if len(whole) > LONGEST_TODO_TITLE else "",
        clean_text(description).strip(),
        "\n".join(more),
    )
    yield from note_damaged_text(short, whole, text)
    if more:
        yield NotCarried(
            report_name(short),
            f"a todo has at most {MOST_STEPS} steps; the other {len(more)} are in its description",
        )
    if len(text) > LONGEST_DESCRIPTION:
        yield NotCarried(
            report_name(short), f"its description was cut at {LONGEST_DESCRIPTION:,} characters"
        )
    yield SourceTodo(
        key=key,
        title=short,
        description=text[:LONGEST_DESCRIPTION] or None,
        completed=completed,
        completed_at=completed_at if completed else None,
        steps=tuple((clean_line(step) or "Untitled", done) for step, done in steps[:MOST_STEPS]),
        priority=priority,
        due=due,
        rule=rule,
        created=created,
        counted_from=counted_from,
    )
