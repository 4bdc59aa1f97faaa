"""What was used this month: tokens by day and by whom, and the caps."""

from starlette.responses import Response
from starlette.routing import Route

from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.home.settings.section import address_of, show_section
from app.interfaces.home.settings.usage_days import days_of
from app.interfaces.pages.forms import form_of, number_of, value_of
from app.interfaces.pages.visit import Visit

USAGE = address_of("usage")
BAR_HEIGHT = 100
KINDS = (("account", "month"), ("account", "day"), ("heartbeat", "day"))
"""What can be limited here; single devices, keys and agents have their own limits."""


def routes() -> list[Route]:
    """Give the routes."""
    return [
        Route(USAGE, show),
        Route(USAGE + "/caps", add_cap, methods=["POST"]),
        Route(USAGE + "/caps/{id}", change_cap, methods=["POST"]),
    ]


@for_person
async def show(visit: Visit, person: Person) -> Response:
    """Show the month as a picture, and the caps."""
    month = visit.query_params.get("month", "")
    usage = await person.call("read_usage", **({"month": month} if month else {}))
    caps = (await person.call("list_caps")).caps
    most = max((day.tokens for day in usage.by_day), default=0)
    return await show_section(
        person,
        "usage",
        usage=usage,
        bars=[
            (place, round(BAR_HEIGHT * day.tokens / most, 1) if most else 0, day)
            for place, day in enumerate(days_of(usage))
        ],
        free=[kind for kind in KINDS if kind not in {(cap.subject, cap.period) for cap in caps}],
        caps=caps,
    )


@for_person
async def add_cap(visit: Visit, person: Person) -> Response:
    """Limit the tokens of the account or of the heartbeat, in a day or a month."""
    form = await form_of(visit)
    subject, _, period = value_of(form, "what").partition(":")
    await person.call(
        "create_cap",
        subject=subject,
        metric="tokens",
        period=period,
        limit=number_of(form, "limit"),
    )
    return see(USAGE, did="saved")


@for_person
async def change_cap(visit: Visit, person: Person) -> Response:
    """Give a cap another limit, or take it away."""
    form, id_ = await form_of(visit), visit.number_in_path()
    if value_of(form, "do") == "end":
        await person.call("delete_cap", id=id_)
    else:
        await person.call("change_cap", id=id_, limit=number_of(form, "limit"))
    return see(USAGE, did="saved")
