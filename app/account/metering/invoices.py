"""Invoices: what a month would cost by the prices of the settings.

They are shown and never sent.
"""

from typing import Annotated, Literal

from msgspec import Meta

from app.account.metering import active_devices, token_rows
from app.account.metering.usage import AMonth
from app.account.periods import Span, month_of
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import operation
from app.core.schema import LARGEST_ID, Record

Number = Annotated[int, Meta(ge=0, le=LARGEST_ID)]
Micros = Annotated[int, Meta(ge=0, le=LARGEST_ID, description="millionths of the currency's unit")]


class Prices(Record):
    """What a device a month and a token cost, and how many of them cost nothing."""

    device_price_micros: Micros | None = None
    token_price_micros: Micros | None = None
    included_devices: Number | None = None
    included_tokens: Number | None = None


class InvoiceLine(Record):
    """One line; money in millionths of the currency's unit."""

    item: Literal["active_device", "tokens"]
    quantity: int
    included: int
    billable: int
    unit_price_micros: int
    amount_micros: int


class Invoice(Record):
    """A month's invoice as it would be."""

    simulated: bool
    month: str
    currency: str
    lines: list[InvoiceLine]
    total_micros: int


@operation("GET /metering/invoice", category="metering", scope="metering:read")
async def read_invoice(app: App, me: Caller, *, month: AMonth | None = None) -> Invoice:
    """Read what a month costs by the prices of this server's settings."""
    return await _make_invoice(app, me, month, active_devices=None, tokens=None, prices=None)


@operation(
    "POST /metering/invoice/simulate", category="metering", scope="metering:read", effect="read"
)
async def simulate_invoice(
    app: App,
    me: Caller,
    *,
    month: AMonth | None = None,
    active_devices: Number | None = None,
    tokens: Number | None = None,
    prices: Prices | None = None,
) -> Invoice:
    """Work out what a month would cost with other quantities or prices.

    What is not given is as it is.
    """
    return await _make_invoice(
        app, me, month, active_devices=active_devices, tokens=tokens, prices=prices
    )


async def _make_invoice(
    app: App,
    me: Caller,
    month: str | None,
    *,
    active_devices: int | None,
    tokens: int | None,
    prices: Prices | None,
) -> Invoice:
    await app.write_gathered()
    named, seen, used = await app.read(_quantities, me.user, month)
    settings, wanted = app.settings, prices or Prices()
    lines = [
        _invoice_line(
            "active_device",
            _first_given(active_devices, seen),
            _first_given(wanted.included_devices, settings.included_devices),
            _first_given(wanted.device_price_micros, settings.device_price_micros),
        ),
        _invoice_line(
            "tokens",
            _first_given(tokens, used),
            _first_given(wanted.included_tokens, settings.included_tokens),
            _first_given(wanted.token_price_micros, settings.token_price_micros),
        ),
    ]
    return Invoice(
        simulated=True,
        month=named,
        currency=settings.currency,
        lines=lines,
        total_micros=sum(line.amount_micros for line in lines),
    )


def _quantities(tx: Tx, user: int, month: str | None) -> tuple[str, int, int]:
    month = month or month_of(tx.moment)
    used = token_rows.count(tx, user, "account", "", "month", Span("", month)).used
    return month, active_devices.count_active(tx, user, month), used


def _invoice_line(
    item: Literal["active_device", "tokens"], quantity: int, included: int, price: int
) -> InvoiceLine:
    billable = max(0, quantity - included)
    return InvoiceLine(item, quantity, included, billable, price, billable * price)


def _first_given(given: int | None, otherwise: int) -> int:
    return otherwise if given is None else given
