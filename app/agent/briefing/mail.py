"""The e-mails of a briefing, as whoever asks for it has read them from a mailbox."""

import functools
import re
from collections.abc import Sequence
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Literal
from zoneinfo import ZoneInfo

from app.agent.priorities.items import Item
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import ThingWords
from app.core.markdown.html_fragments import fit_line
from app.core.schema import Body
from app.workspace.todos.todo_rows import fold_text

LONGEST_TITLE = 200
LONGEST_SNIPPET = 300
_ADDRESS = re.compile(r"\s*<[^<>]*>\s*$")


class Email(Body):
    """One e-mail; `date` is when it was sent, as ISO 8601 or as mail has it."""

    id: str | int | None = None
    summary: str | None = None
    priority: str | int | float | None = None
    category: str | None = None
    needs_reply: bool | None = None
    date: str | None = None
    sender: str | None = None
    snippet: str | None = None


def mail_items(given: Sequence[Email], zone: ZoneInfo) -> list[tuple[Item, datetime | None]]:
    """Return each e-mail as a thing to be weighed, with the moment when it was sent if that can
    be read; repeated ones once.
    """
    # Mailboxes list a mail once for each label.
    return list(dict.fromkeys(_mail_item(one, zone) for one in given))


def sender_name(sender: str) -> str:
    """Return a sender's name without the address, or the address where there is no name."""
    bare = _ADDRESS.sub("", sender).strip().strip('"').strip()
    return bare or sender.strip("<> ")


def parse_sent_at(text: str | None, zone: ZoneInfo) -> datetime | None:
    """Return when an e-mail was sent, in the zone; None for what is no date."""
    # ISO 8601 from programs, the other from the header of the mail itself.
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            found = read((text or "").strip()[:64])
            return found.replace(tzinfo=zone) if found.tzinfo is None else found.astimezone(zone)
        except (ValueError, OverflowError, TypeError, IndexError):
            continue
    return None


def _mail_item(given: Email, zone: ZoneInfo) -> tuple[Item, datetime | None]:
    sent = parse_sent_at(given.date, zone)
    snippet = fit_line(given.snippet or "", LONGEST_SNIPPET)
    title = (
        fit_line(given.summary or "", LONGEST_TITLE)
        or fit_line(snippet, LONGEST_TITLE)
        or "(no subject)"
    )
    found = Item(
        source="email",
        title=title,
        words="" if snippet == title else snippet,
        sent=sent.date() if sent else None,
        level=_priority_level(given.priority),
        needs_reply=given.needs_reply,
        sender=fit_line(given.sender or "", 120),
        kind=fit_line(given.category or "", 60),
        id=fit_line(str(given.id), 120) if given.id is not None else "",
    )
    return found, sent


def _priority_level(priority: str | float | None) -> Literal["high", "low", ""]:
    """Read a priority; of numbers 1 is the highest, as in the header X-Priority."""
    text = fold_text(str(priority)[:40]) if priority is not None else ""
    if not text:
        return ""
    low, high = _priority_words()
    return "low" if low.match(text) else "high" if high.match(text) else ""


@functools.cache
def _priority_words() -> tuple[re.Pattern[str], re.Pattern[str]]:
    low = language_data.any_of(ThingWords, lambda one: one.low)
    high = language_data.any_of(ThingWords, lambda one: one.high)
    return re.compile(rf"{low}|p?[345]\b"), re.compile(rf"{high}|p?1\b")
