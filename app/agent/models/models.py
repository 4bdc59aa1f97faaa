"""The language models that the agent may use.

What a chat may name, and how the operator adds, chooses and removes them.
"""

from typing import Annotated

from msgspec import Meta

from app.agent.models import model_choice, model_rows
from app.agent.models.model_choice import DEFAULT, OFFLINE
from app.agent.models.model_rows import Configured, Found, Probed, Tools
from app.agent.models.providers import Providers
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx, stamp
from app.core.fit_types import copy_fields
from app.core.operation import operation
from app.core.schema import Line, Record
from app.errors import AlreadyExists, Invalid, NotFound
from app.settings import Provider

ENVIRONMENT = "environment"
REFERENCES = ("env:", "file:/")


class ChatModel(Record):
    """A brain that can be asked for."""

    name: str
    provider: str
    local: bool
    default: bool


class ChatModels(Record):
    models: list[ChatModel]


class ModelView(Record):
    """A model as the operator sees it; `key` says where its key lies and never what it is."""

    name: str
    provider: str
    url: str
    model: str
    key: str | None
    tools: Tools
    thinking: bool
    context: int | None
    local: bool
    default: bool
    from_: str
    found: Found | None
    checked_at: str | None


class ModelList(Record):
    models: list[ModelView]
    default: str


class ModelAnswer(Record):
    model: ModelView


class Tested(Record):
    """A model and what its test found."""

    model: ModelView
    test: Probed


Name = Annotated[str, Line(1, 100)]
Address = Annotated[str, Line(0, 500)]
Secret = Annotated[str, Line(1, 4_000)]


@operation("GET /chat/models", scope="agent.chat:run", quick=True)
def list_models(tx: Tx, me: Caller) -> ChatModels:
    """List the models that a chat may name; `offline`, which needs none, is always there."""
    mine = model_choice.name_of(tx, me)
    models = [
        ChatModel(one.name, one.provider, model_choice.is_local(one.url), one.name == mine)
        for one in model_choice.all_models(tx)
    ]
    return ChatModels([ChatModel(OFFLINE, OFFLINE, local=True, default=mine == OFFLINE), *models])


@operation("COMMAND", effect="read", quick=True)
def configured_models(tx: Tx, me: Caller) -> ModelList:
    """List the configured models, their addresses, and which one answers by default."""
    return _model_list(tx)


@operation("COMMAND")
async def add_model(
    app: App,
    me: Caller,
    *,
    name: Name,
    provider: Provider = "compatible",
    url: Address = "",
    model: Annotated[str, Line(1, 200)] | None = None,
    key_from: Annotated[str, Line(0, 500)] = "",
    secret: Secret | None = None,
    tools: Tools = "auto",
    thinking: bool = False,
    context: Annotated[int, Meta(ge=1_024, le=10_000_000)] | None = None,
    replace: bool = False,
) -> ModelAnswer:
    """Add a model, or put it in the place of one of that name.

    The first one that is added becomes the default.
    """
    if name.casefold() in (OFFLINE, DEFAULT):
        raise Invalid(f"{name} is not a name that a model can have.", field="name")
    if key_from and not key_from.startswith(REFERENCES):
        raise Invalid("keyFrom must be env:NAME or file:/PATH.", field="keyFrom")
    try:
        address = model_choice.model_address(provider, url)
    except ValueError as error:
        raise Invalid(f"url {error}.", field="url") from None
    secrets = app.part(Providers).secrets
    reference = key_from if secret is None else secrets.keep(secret)
    added = Configured(name, provider, address, model or name, reference, tools, thinking, context)
    try:
        # The secret lies in a file, which no transaction takes back: so it is forgotten by hand.
        former = await app.write(_store_model, added, replace=replace)
    except AlreadyExists:
        secrets.forget(reference)
        raise
    if former is not None:
        secrets.forget(former.key_from)
    return ModelAnswer(app.quick(_model_named, name))


@operation("COMMAND")
def set_default_model(tx: Tx, me: Caller, *, name: Name) -> ModelList:
    """Let a model answer by default; `offline` leaves that to the rules."""
    if name.casefold() == OFFLINE:
        model_rows.make_default(tx, OFFLINE)
        return _model_list(tx)
    found = model_choice.find_model(tx, name)
    if found is None:
        raise _unknown_model(name)
    model_rows.make_default(tx, found.name)
    return _model_list(tx)


@operation("COMMAND")
async def remove_model(app: App, me: Caller, *, name: Name) -> ModelList:
    """Remove a model, and its key where that is kept here."""
    removed = await app.write(_remove_model, name)
    app.part(Providers).secrets.forget(removed.key_from)
    return app.quick(_model_list)


@operation("COMMAND")
async def test_model(app: App, me: Caller, *, name: Name) -> Tested:
    """Ask a model's server what it is and let the model make a tiny call.

    What is found decides how the agent uses it.
    """
    from app.agent.models.probe import found_of, probe_model  # only the command line asks for it

    configured = app.quick(model_choice.find_model, name)
    if configured is None:
        raise _unknown_model(name)
    with app.works.begin("model_test", configured.name, since=stamp(app.clock())) as work:
        tested = await probe_model(app.part(Providers), configured, work)
    # A server that is off, or still loads its model, must not wipe out what was known.
    if tested.ok:
        await app.write(model_rows.note_found, configured.name, found_of(tested))
    return Tested(app.quick(_model_named, configured.name), tested)


def _store_model(tx: Tx, added: Configured, *, replace: bool) -> Configured | None:
    former = model_rows.find_named(tx, added.name)
    if former is not None and not replace:
        raise AlreadyExists(
            f"There is a model called {former.name} already; --replace puts this one in its place.",
            field="name",
        )
    model_rows.put(tx, added)
    # Whoever adds a model means to use it.
    if model_rows.default_name(tx) is None:
        model_rows.make_default(tx, added.name)
    return former


def _remove_model(tx: Tx, name: str) -> Configured:
    found = model_rows.find_named(tx, name)
    if found is None:
        given = model_choice.environment_model(tx.settings)
        if given is not None and given.name.casefold() == name.casefold():
            raise Invalid(
                "This model comes from HEARTH_MODEL; start the server without it.", field="name"
            )
        raise _unknown_model(name)
    model_rows.remove(tx, name)
    return found


def _unknown_model(name: str) -> NotFound:
    return NotFound(
        f"There is no model called {name}; `hearth model list` shows them all.", field="name"
    )


def _model_list(tx: Tx) -> ModelList:
    default = model_choice.default_model(tx)
    chosen = OFFLINE if default is None else default.name
    return ModelList(
        [_model_view(tx, model, chosen) for model in model_choice.all_models(tx)], chosen
    )


def _model_named(tx: Tx, name: str) -> ModelView:
    found = model_choice.find_model(tx, name)
    if found is None:
        raise _unknown_model(name)
    default = model_choice.default_model(tx)
    return _model_view(tx, found, OFFLINE if default is None else default.name)


def _model_view(tx: Tx, model: Configured, default: str) -> ModelView:
    stored = model_rows.find_named(tx, model.name) is not None
    return copy_fields(
        ModelView,
        model,
        key=_key_location(model),
        context=model_choice.context_of(model),
        local=model_choice.is_local(model.url),
        default=model.name == default,
        from_="command line" if stored else ENVIRONMENT,
    )


def _key_location(model: Configured) -> str | None:
    """Return where a model's key lies, as a sentence."""
    if model.key_from == model_choice.FROM_SETTINGS:
        return "HEARTH_MODEL_KEY"
    return (
        "kept in the data directory"
        if model.key_from.startswith("kept:")
        else model.key_from or None
    )
