"""Stage B without a model: the proposal that follows from each fact.

The same facts always give the same proposals.
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from app.agent.heartbeat.look.agenda import Agenda
from app.agent.heartbeat.look.digests import due_in_words
from app.agent.heartbeat.records.proposals import ActionType, Fact, Proposal
from app.agent.turn.token_meter import USUAL_BYTES_A_TOKEN
from app.core.process.counted import counted
from app.tools.approvals.change_preview import quotable_line

NAME = "offline"


def make_proposals(agenda: Agenda) -> list[Proposal]:
    """Return what is to be done about the agenda, in its order."""
    return [MAKERS[fact.rule](agenda, fact) for fact in agenda.facts]


def estimate_tokens(agenda: Agenda, made: list[Proposal]) -> tuple[int, int]:
    """Estimate what reading the agenda and making the proposals is worth in tokens, so that
    meters show something true.
    """
    read = sum(len(f"{fact.about}".encode()) for fact in agenda.facts) + sum(
        len(task.text.encode()) for task in agenda.tasks
    )
    said = sum(len(proposal.says.encode()) + len(proposal.title.encode()) for proposal in made)
    return -(-read // USUAL_BYTES_A_TOKEN), -(-said // USUAL_BYTES_A_TOKEN)


def _reminder(fact: Fact, says: str) -> Proposal:
    return _proposal(
        fact, "reminder", quotable_line(says, 200), {"text": says, "rule": fact.rule}, says
    )


def _proposal(
    fact: Fact, type_: ActionType, title: str, payload: Mapping[str, Any], says: str | None = None
) -> Proposal:
    says = title if says is None else says
    return Proposal(type_, title, payload, says, fact.item, fact.target, fact.key)


def _overdue(agenda: Agenda, fact: Fact) -> Proposal:
    return _reminder(
        fact,
        f"“{quotable_line(fact.about['title'], 120)}” is overdue since "
        f"{due_in_words(fact.about['due'], agenda.zone, agenda.now)}.",
    )


def _due_soon(agenda: Agenda, fact: Fact) -> Proposal:
    return _reminder(
        fact,
        f"“{quotable_line(fact.about['title'], 120)}” is due "
        f"{due_in_words(fact.about['due'], agenda.zone, agenda.now)}.",
    )


def _calendar(agenda: Agenda, fact: Fact) -> Proposal:
    place = f" ({quotable_line(fact.about['place'], 80)})" if fact.about.get("place") else ""
    return _reminder(
        fact,
        f"“{quotable_line(fact.about['title'], 120)}”{place} begins "
        f"{due_in_words(fact.about['due'], agenda.zone, agenda.now)}.",
    )


def _top(agenda: Agenda, fact: Fact) -> Proposal:
    when = (
        f" and is due {due_in_words(fact.about['due'], agenda.zone, agenda.now)}"
        if fact.about["due"]
        else ""
    )
    return _reminder(fact, f"“{quotable_line(fact.about['title'], 120)}” has top priority{when}.")


def _stale_pin(agenda: Agenda, fact: Fact) -> Proposal:
    days = (agenda.now - datetime.fromisoformat(fact.about["since"])) // timedelta(days=1)
    return _reminder(
        fact,
        f"The pinned note “{quotable_line(fact.about['title'], 120)}” has not changed for "
        f"{counted(days, 'day')}.",
    )


def _unanswered(agenda: Agenda, fact: Fact) -> Proposal:
    since = due_in_words(fact.about["since"], agenda.zone, agenda.now)
    if "wish" in fact.about:
        words = f": “{fact.about['words']}”" if fact.about["words"] else "."
        return _reminder(
            fact, f"{fact.about['sender']} has asked {fact.about['wish']} since {since}{words}"
        )
    return _reminder(
        fact,
        f"{fact.about['sender']} has waited for an answer since {since}: “{fact.about['words']}”",
    )


def _remind(agenda: Agenda, fact: Fact) -> Proposal:
    return _reminder(fact, quotable_line(fact.about["words"], 300))


def _briefing(agenda: Agenda, fact: Fact) -> Proposal:
    title, words = f"Briefing for {fact.about['date']}", fact.about["words"]
    return _proposal(fact, "message_draft", title, {"text": words, "rule": fact.rule}, words)


def _replan(agenda: Agenda, fact: Fact) -> Proposal:
    title = (
        f"Move “{quotable_line(fact.about['title'], 120)}” to "
        f"{due_in_words(fact.about['to'], agenda.zone, agenda.now)}"
    )
    payload = {
        "id": fact.target and fact.target[1],
        "dueDate": fact.about["to"],
        "from": fact.about["from"],
    }
    return _proposal(fact, "todo_reschedule", title, payload)


def _weekly_note(agenda: Agenda, fact: Fact) -> Proposal:
    title = f"Write the note “{fact.about['title']}”"
    payload = {
        "title": fact.about["title"],
        "content": fact.about["words"],
        "folderName": "General",
    }
    return _proposal(fact, "note_create", title, payload)


def _journal(agenda: Agenda, fact: Fact) -> Proposal:
    payload = {"kind": "daily", "content": fact.about["words"]}
    # Nothing is said of it: a diary that announces itself each day would be noise.
    return _proposal(fact, "memory_write", "Write into the diary", payload, "")


def _todo(agenda: Agenda, fact: Fact) -> Proposal:
    title = quotable_line(fact.about["words"], 300)
    shown, says = f"Add the todo “{quotable_line(title, 120)}”", f"Add the todo “{title}”"
    return _proposal(fact, "todo_create", shown, {"title": title}, says)


def _append(agenda: Agenda, fact: Fact) -> Proposal:
    # Brings the readers of dates with it, so only when a line is added.
    from app.agent.rules.answers.note_changes import append_text

    title = (
        f"Add “{quotable_line(fact.about['words'], 60)}” to the note "
        f"“{quotable_line(fact.about['title'], 60)}”"
    )
    payload = {
        "noteId": fact.target and fact.target[1],
        "content": append_text(fact.about["content"], [fact.about["words"]]),
        "ifRevision": fact.about["revision"],
    }
    return _proposal(fact, "note_edit", title, payload)


def _unpin(agenda: Agenda, fact: Fact) -> Proposal:
    title = f"Unpin the note “{quotable_line(fact.about['title'], 120)}”"
    payload = {"noteId": fact.target and fact.target[1], "pinned": False}
    return _proposal(fact, "note_edit", title, payload)


MAKERS: dict[str, Callable[[Agenda, Fact], Proposal]] = {
    "overdue": _overdue,
    "due_soon": _due_soon,
    "calendar": _calendar,
    "top": _top,
    "stale_pins": _stale_pin,
    "unanswered": _unanswered,
    "remind": _remind,
    "briefing": _briefing,
    "replan": _replan,
    "weekly_note": _weekly_note,
    "journal": _journal,
    "todo": _todo,
    "append": _append,
    "unpin": _unpin,
}
