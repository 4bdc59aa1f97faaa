"""The Eisenhower matrix of what the summaries of a briefing hold."""

import asyncio
from collections.abc import Mapping, Sequence

from msgspec import UNSET, UnsetType

from app.account.users import TimeZone
from app.agent.briefing import summaries
from app.agent.briefing.summaries import Summary
from app.agent.priorities import quadrants
from app.agent.priorities.items import Source
from app.agent.priorities.quadrants import QUADRANTS, Quadrant, Scored
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import stamp
from app.core.markdown.html_fragments import fit_line
from app.core.operation import operation
from app.core.schema import Record
from app.workspace.todos import due

MOST = 20
LONGEST_TITLE = 200


class MatrixItem(Record):
    """One thing; `why` is there when it was asked for."""

    title: str
    source: Source
    why: list[str] | UnsetType = UNSET


class Matrix(Record, rename=None):
    """The four quadrants, the weightiest first in each."""

    q1_urgent_important: list[MatrixItem]
    q2_not_urgent_important: list[MatrixItem]
    q3_urgent_not_important: list[MatrixItem]
    q4_not_urgent_not_important: list[MatrixItem]


class MatrixAnswer(Record):
    matrix: Matrix
    generated_at: str


@operation("POST /briefing/matrix", scope="agent.chat:run", effect="read")
async def briefing_matrix(
    app: App,
    me: Caller,
    *,
    status_quo_summary: Summary | None = None,
    todo_summary: Summary | None = None,
    calendar_summary: Summary | None = None,
    notes_summary: Summary | None = None,
    email_attention_summary: Summary | None = None,
    user_timezone: TimeZone | None = None,
    explain: bool = False,
) -> MatrixAnswer:
    """Sort what the summaries hold into the four quadrants of urgent and important.

    The first holds at most seven; what it has no room for leads the second. A mail with a last
    day about what a todo is there for is one with that todo.

    With explain each item says why it stands there.
    """
    zone = app.quick(due.request_zone, me, user_timezone)
    given = {
        "status": status_quo_summary,
        "todo": todo_summary,
        "calendar": calendar_summary,
        "notes": notes_summary,
        "email": email_attention_summary,
    }
    found = await asyncio.to_thread(summaries.weigh_items, given, app.clock(), zone)
    rows = quadrants.sort_into_quadrants(found, app.clock().astimezone(zone))
    return MatrixAnswer(_matrix_record(rows, explain=explain), stamp(app.clock()))


def _matrix_record(found: Mapping[Quadrant, Sequence[Scored]], *, explain: bool) -> Matrix:
    return Matrix(
        *(
            [
                MatrixItem(
                    fit_line(one.item.title, LONGEST_TITLE),
                    one.item.source,
                    list(one.why) if explain else UNSET,
                )
                for one in found[number][:MOST]
            ]
            for number in QUADRANTS
        )
    )
