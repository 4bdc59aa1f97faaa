"""What a run says of itself: the sentence before its news, and its summary in the list of runs."""

from collections import Counter
from collections.abc import Sequence

from app.agent.heartbeat.act.act import Outcome
from app.agent.heartbeat.look.agenda import Agenda
from app.agent.heartbeat.records import run_rows
from app.agent.heartbeat.records.proposals import Proposal
from app.agent.heartbeat.records.run_rows import RunEnding
from app.core.process.counted import counted

NOUNS = {
    "overdue": ("overdue todo", "overdue todos"),
    "due_soon": ("todo due soon", "todos due soon"),
    "top": ("todo of top priority", "todos of top priority"),
    "stale_pins": ("stale pin", "stale pins"),
    "unanswered": ("unanswered message", "unanswered messages"),
    "calendar": ("event ahead", "events ahead"),
    "todo_reschedule": ("todo moved", "todos moved"),
    "todo_create": ("todo added", "todos added"),
    "note_create": ("note written", "notes written"),
}
WORDS = {
    "executed": "done or told",
    "awaiting_approval": "waiting for a yes",
    "proposed": "proposed",
    "failed": "failed",
    "undone": "taken back",
}


def lead_sentence(found: Agenda | None, done: Sequence[Outcome], spoken: Sequence[Proposal]) -> str:
    """Return the sentence that a line asking for a summary gets when there are several things to
    tell.
    """
    if (
        found is None
        or len(done) + len(spoken) < 2
        or not any(rule.kind == "summary" for task in found.tasks for rule in task.rules)
    ):
        return ""
    proposals = [*spoken, *(outcome.proposal for outcome in done)]
    counts = Counter(str(one.payload.get("rule") or one.type) for one in proposals)
    named = [counted(count, *NOUNS[rule]) for rule, count in counts.items() if rule in NOUNS]
    return f"{', '.join(named)}." if named else ""


def summarise_run(ending: RunEnding, outcomes: Sequence[Outcome]) -> str:
    """Return a run in one line, made of what stands in the tables."""
    if ending.error is not None:
        return ending.error
    if ending.skip_reason is not None:
        return run_rows.SKIPPED[ending.skip_reason]
    if not outcomes:
        return "Nothing new."
    counts = Counter(outcome.status for outcome in outcomes)
    return ", ".join(f"{count} {WORDS[status]}" for status, count in counts.items()) + "."


def left_out_texts(ending: RunEnding) -> list[str]:
    """Return what is told of news that was not told again."""
    if not ending.suppressed:
        return []
    number = counted(len(ending.suppressed), "piece", "pieces")
    were = "was" if len(ending.suppressed) == 1 else "were"
    return [f"{number} of news from the last few days {were} not repeated."]
