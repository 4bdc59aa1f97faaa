"""`hearth webhook`: adding webhooks, looking at what they sent, pausing and removing them."""

from typing import Any

import click

from app.commands.ask.ask_as_user import LocalClient
from app.commands.ask.locate_data import settings_option
from app.commands.terminal.columns import print_table
from app.commands.terminal.command_group import Commands, Refused
from app.commands.terminal.tables import format_json
from app.commands.terminal.terminal_safe import on_one_line
from app.commands.terminal.user_options import user_option, user_options
from app.commands.user import choose_username
from app.settings import Settings

ONCE = "Its secret, which signs every request, is shown only now:"
id_argument = click.argument("id_", metavar="ID", type=click.IntRange(1))


@click.group(cls=Commands)
def webhook() -> None:
    """Send events to other programs.

    `hearth help webhooks` says how a receiver checks who sent them.
    """


@webhook.command()
@click.argument("url", metavar="ADDRESS")
@click.option(
    "--event", "events", metavar="TYPE", multiple=True, help="Event to send; repeatable [all]."
)
@click.option("--description", metavar="TEXT", default="", help="What it is for.")
@user_options
def add(
    url: str,
    events: tuple[str, ...],
    description: str,
    user: str | None,
    json_: bool,
    settings: Settings,
) -> None:
    """Send events to ADDRESS, and print the secret that signs them."""
    found = _ask(
        user, settings, "add_webhook", url=url, events=events or ("*",), description=description
    )
    if json_:
        click.echo(format_json(found))
        return
    click.echo(f"Webhook {found['webhook']['id']} sends to {_line(found['webhook']['url'])}.")
    click.echo(f"{ONCE}\n\n{found['secret']}")


@webhook.command(name="list")
@user_options
def list_(user: str | None, json_: bool, settings: Settings) -> None:
    """List webhooks, the oldest first."""
    found = _ask(user, settings, "list_webhooks")
    if not json_ and not found["webhooks"]:
        click.echo("There are no webhooks.")
        return
    head = ("ID", "STATUS", "FAILURES", "EVENTS", "ADDRESS")
    print_table(found, head, map(_hook_row, found["webhooks"]), json_=json_)


@webhook.command()
@id_argument
@user_options
def show(id_: int, user: str | None, json_: bool, settings: Settings) -> None:
    """Show a webhook."""
    found = _ask(user, settings, "get_webhook", id=id_)
    if json_:
        click.echo(format_json(found))
        return
    hook = found["webhook"]
    lines = {
        "address": hook["url"],
        "for": hook["description"],
        "events": ", ".join(hook["events"]),
        "status": _status(hook),
        "failures": f"{hook['consecutiveFailures']} in a row",
        "last success": _moment(hook["lastSuccessAt"]),
        "last failure": _moment(hook["lastFailureAt"]),
    }
    for name, text in lines.items():
        if text:
            click.echo(f"{name:<13} {_line(text)}")


@webhook.command()
@id_argument
@user_options
def test(id_: int, user: str | None, json_: bool, settings: Settings) -> None:
    """Send the event webhook.test now, once."""
    _tell_attempt(_ask(user, settings, "test_webhook", id=id_), json_=json_)


@webhook.command()
@id_argument
@user_option
@settings_option
def rotate(id_: int, user: str | None, settings: Settings) -> None:
    """Make another secret; the former one signs too for 24 hours."""
    found = _ask(user, settings, "rotate_webhook_secret", id=id_)
    click.echo(f"{ONCE}\n\n{found['secret']}")


@webhook.command()
@id_argument
@user_option
@settings_option
def pause(id_: int, user: str | None, settings: Settings) -> None:
    """Send nothing for now; what happens meanwhile waits."""
    _ask(user, settings, "change_webhook", id=id_, status="paused")
    click.echo(f"Webhook {id_} is paused.")


@webhook.command()
@id_argument
@user_option
@settings_option
def resume(id_: int, user: str | None, settings: Settings) -> None:
    """Resume a paused or disabled webhook."""
    _ask(user, settings, "change_webhook", id=id_, status="active")
    click.echo(f"Webhook {id_} is active.")


@webhook.command()
@id_argument
@user_option
@settings_option
def remove(id_: int, user: str | None, settings: Settings) -> None:
    """Remove a webhook with all that waits for it."""
    _ask(user, settings, "remove_webhook", id=id_)
    click.echo(f"Webhook {id_} is removed.")


@webhook.command()
@id_argument
@click.option(
    "--status",
    type=click.Choice(("pending", "succeeded", "failed", "cancelled")),
    help="Only those of this status.",
)
@click.option("--limit", type=click.IntRange(1, 200), default=20, show_default=True)
@click.option(
    "--before", metavar="ID", type=click.IntRange(1), help="Only deliveries older than this one."
)
@user_options
def deliveries(
    id_: int,
    status: str | None,
    limit: int,
    before: int | None,
    user: str | None,
    json_: bool,
    settings: Settings,
) -> None:
    """List what a webhook has sent and will send, newest first."""
    chosen = {"status": status, "before": before}
    given = {name: value for name, value in chosen.items() if value is not None}
    found = _ask(user, settings, "list_webhook_deliveries", id=id_, limit=limit, **given)
    head = ("ID", "EVENT", "STATUS", "TRIES", "LAST ANSWER", "NEXT TRY")
    print_table(found, head, map(_delivery_row, found["deliveries"]), json_=json_)


@webhook.command()
@id_argument
@click.argument("delivery", metavar="DELIVERY", type=click.IntRange(1))
@user_options
def retry(id_: int, delivery: int, user: str | None, json_: bool, settings: Settings) -> None:
    """Send a delivery of a webhook again now."""
    found = _ask(user, settings, "retry_webhook_delivery", id=id_, deliveryId=delivery)
    _tell_attempt(found, json_=json_)


def _ask(user: str | None, settings: Settings, name: str, /, **params: Any) -> dict[str, Any]:
    return LocalClient(settings, choose_username(settings, user)).ask(name, **params)


def _tell_attempt(found: dict[str, Any], *, json_: bool) -> None:
    """Print how a delivery went; raise Refused when it was not taken."""
    delivery = found["delivery"]
    if json_:
        click.echo(format_json(found))
    elif delivery["status"] == "succeeded":
        took = delivery["attempts"][-1]["durationMs"]
        click.echo(f"Delivery {delivery['id']} was taken: {_answer(delivery)} after {took} ms.")
    if delivery["status"] != "succeeded":
        raise Refused(f"Delivery {delivery['id']} was not taken: {_line(_answer(delivery))}")


def _answer(delivery: dict[str, Any]) -> str:
    """Return what came of the last attempt."""
    if not delivery["attempts"]:
        return ""
    last = delivery["attempts"][-1]
    said = [] if last["statusCode"] is None else [f"status {last['statusCode']}"]
    return ". ".join([*said, *([last["error"]] if last["error"] else [])])


def _hook_row(hook: dict[str, Any]) -> tuple[str, ...]:
    return (
        str(hook["id"]),
        _status(hook),
        str(hook["consecutiveFailures"]),
        ", ".join(hook["events"]),
        hook["url"],
    )


def _delivery_row(delivery: dict[str, Any]) -> tuple[str, ...]:
    return (
        str(delivery["id"]),
        delivery["type"],
        delivery["status"],
        str(len(delivery["attempts"])),
        _answer(delivery),
        _moment(delivery["nextAttemptAt"]),
    )


def _status(hook: dict[str, Any]) -> str:
    reason = hook["disabledReason"]
    return hook["status"] if reason is None else f"{hook['status']} ({reason})"


def _moment(moment: str | None) -> str:
    return "" if moment is None else f"{moment[:16].replace('T', ' ')} UTC"


def _line(text: str) -> str:
    return on_one_line(text, 500)
