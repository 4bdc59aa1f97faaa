"""Texts that the rules make of the workspace.

The day ahead, the week behind, what was done today.
"""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from app.agent.briefing import briefing_facts
from app.agent.briefing.briefing_facts import Group
from app.agent.priorities.items import Item
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.process.counted import counted
from app.tools.approvals.change_preview import quotable_line
from app.workspace.todos import due

SHOWN = 10
MOST_DONE = 30
LONGEST_JOURNAL = 600


def daily_briefing(tx: Tx, me: Caller, zone: ZoneInfo) -> dict[str, str]:
    """Return the daily briefing as Markdown."""
    now = tx.moment.astimezone(zone)
    facts = briefing_facts.gather_facts(
        tx, me, zone, due.days_span(now.date() - timedelta(days=1), None, zone).since
    )
    parts = [f"**{now:%A}, {now.day} {now:%B}**"]
    if facts.todos is not None:
        parts += [
            _group_lines("Overdue", facts.todos.overdue),
            _group_lines("Today", facts.todos.today),
            _group_lines("Coming up", facts.todos.soon),
        ]
        parts.append(f"{counted(facts.todos.still_open, 'todo is', 'todos are')} open.")
    if facts.notes is not None and facts.notes.changed:
        titles = [
            f"- [{_escape_title(note.item.title)}](hearth:note/{note.item.id})"
            for note in facts.notes.changed[:SHOWN]
        ]
        parts.append("\n".join(["Notes that changed:", *titles]))
    return {"words": "\n\n".join(part for part in parts if part), "date": now.date().isoformat()}


def weekly_note(tx: Tx, me: Caller, zone: ZoneInfo) -> dict[str, str]:
    """Return title and text of the note on the seven days that end now."""
    today = tx.moment.astimezone(zone).date()
    # Whole days of the user, whatever the hour of the run.
    since = due.days_span(today - timedelta(days=7), None, zone).since
    year, number, _ = today.isocalendar()
    done = _done_titles(tx, me, since)
    facts = briefing_facts.gather_facts(tx, me, zone, since)
    parts = ["## Done", *(f"- {title}" for title in done)] if done else []
    if facts.todos is not None and (
        facts.todos.overdue.items or facts.todos.today.items or facts.todos.soon.items
    ):
        ahead = [*facts.todos.overdue.items, *facts.todos.today.items, *facts.todos.soon.items]
        parts += ["", "## Ahead", *(_list_entry(item) for item in ahead[: 2 * SHOWN])]
    if facts.notes is not None and facts.notes.changed:
        parts += [
            "",
            "## Notes",
            *(
                f"- [{_escape_title(note.item.title)}](hearth:note/{note.item.id})"
                for note in facts.notes.changed
            ),
        ]
    return {
        "title": f"Week {number} of {year}",
        "words": "\n".join(parts).strip() or "A quiet week.",
    }


def done_today(tx: Tx, me: Caller, zone: ZoneInfo) -> dict[str, str] | None:
    """Return the line for the diary; None on a day on which nothing was done."""
    today = tx.moment.astimezone(zone).date()
    done = _done_titles(tx, me, due.days_span(today, today, zone).since)
    return {"words": quotable_line(f"Done: {'; '.join(done)}", LONGEST_JOURNAL)} if done else None


def due_in_words(stored: str, zone: ZoneInfo, now: datetime) -> str:
    """Return a due date in words: today at 14:00, tomorrow, 3 December."""
    found = due.local_day(stored, zone)
    clock = "" if due.is_whole_day(stored) else f" at {due.local_moment(stored, zone):%H:%M}"
    return f"{_day_name(found, now.astimezone(zone).date())}{clock}"


def _day_name(day_: date, today: date) -> str:
    match (day_ - today).days:
        case 0:
            return "today"
        case 1:
            return "tomorrow"
        case -1:
            return "yesterday"
        case _:
            return f"{day_.day} {day_:%B}" + (f" {day_.year}" if day_.year != today.year else "")


def _done_titles(tx: Tx, me: Caller, since: str) -> list[str]:
    rows = tx.all(
        """SELECT title FROM todos WHERE owner_id = :me AND trash_id IS NULL
          AND updated_at >= :since AND completed = 1 AND completed_at >= :since
           ORDER BY updated_at, id LIMIT :most""",
        me=me.user,
        since=since,
        most=MOST_DONE,
    )
    return [quotable_line(row["title"], 120) for row in rows]


def _group_lines(name: str, group: Group) -> str:
    if not group.items:
        return ""
    more = [f"- and {group.total - SHOWN} more"] if group.total > SHOWN else []
    return "\n".join([f"{name}:", *(_list_entry(item) for item in group.items[:SHOWN]), *more])


def _list_entry(item: Item) -> str:
    when = (
        f" ({item.day.isoformat()})"
        if item.day
        else f" ({item.moment:%Y-%m-%d %H:%M})"
        if item.moment
        else ""
    )
    return f"- {quotable_line(item.title, 120)}{when}"


def _escape_title(title: str) -> str:
    return quotable_line(title, 120).replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
