"""Language models: those there are, what each can do, adding one and trying it."""

from typing import Any
from urllib.parse import quote

from starlette.responses import Response
from starlette.routing import Route

from app.core.caller import OPERATOR
from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.home.operator import is_alone, require_alone, running_work
from app.interfaces.home.settings.section import address_of, show_section
from app.interfaces.pages.forms import form_of, value_of
from app.interfaces.pages.visit import Visit

MODELS = address_of("models")
LONGEST_NAME = 200
OTHERS_TOO = "settings.operator_models"
"""What those are told who may not change the models."""
PROVIDERS = {
    "ollama": "Ollama",
    "llamacpp": "llama.cpp",
    "lmstudio": "LM Studio",
    "openai": "OpenAI",
    "openrouter": "OpenRouter",
    "anthropic": "Anthropic",
    "google": "Google",
    "compatible": "OpenAI-compatible",
}


def routes() -> list[Route]:
    """Give the routes."""
    return [
        Route(MODELS, show),
        Route(MODELS, add, methods=["POST"]),
        Route(MODELS + "/test", test, methods=["POST"]),
        Route(MODELS + "/default", default, methods=["POST"]),
        Route(MODELS + "/remove", remove, methods=["POST"]),
    ]


@for_person
async def show(visit: Visit, person: Person) -> Response:
    """List the models; to the script of the page, how far the index of meanings is."""
    match visit.query_params.get("piece"):
        case "1":
            search = await person.call("search_status")
            return await person.piece("settings/search_state", search=search)
        case "test":
            return await person.piece("settings/model_test", **await _test_of(visit))
    alone = await is_alone(visit)
    models = await visit.parts.call(OPERATOR, "configured_models", {})
    return await show_section(
        person,
        "models",
        models=models.models,
        default=models.default,
        alone=alone,
        providers=PROVIDERS,
        search=await person.call("search_status"),
        **await _test_of(visit),
    )


async def _test_of(visit: Visit) -> dict[str, Any]:
    """Return how far the test is that the address names, or what came of it."""
    name = visit.query_params.get("tested", "")[:LONGEST_NAME]
    if not name or not await is_alone(visit):
        return {"tested": None, "works": []}
    works = await running_work(visit, "model_test", name)
    tested = await visit.parts.call(OPERATOR, "read_model_test", {"name": name})
    return {"tested": tested, "works": works}


@for_person
async def add(visit: Visit, person: Person) -> Response:
    """Add a model, and try it at once."""
    await require_alone(visit, person, OTHERS_TOO)
    form = await form_of(visit)
    optional = {name: value_of(form, name) for name in ("url", "secret")}
    fields = {
        "name": value_of(form, "name") or value_of(form, "model"),
        "provider": value_of(form, "provider"),
        "model": value_of(form, "model"),
        **{name: value for name, value in optional.items() if value},
    }
    made = await visit.parts.call(OPERATOR, "add_model", fields)
    return await _begin_test(visit, made.model.name)


@for_person
async def test(visit: Visit, person: Person) -> Response:
    """Ask a model a word, and tell what it can do."""
    await require_alone(visit, person, OTHERS_TOO)
    name = value_of(await form_of(visit), "name")
    return await _begin_test(visit, name)


@for_person
async def default(visit: Visit, person: Person) -> Response:
    """Let a model answer unless another is named."""
    return await _change(visit, person, "set_default_model", "saved")


@for_person
async def remove(visit: Visit, person: Person) -> Response:
    """Remove a model."""
    return await _change(visit, person, "remove_model", "model_removed")


async def _begin_test(visit: Visit, name: str) -> Response:
    await visit.parts.call(OPERATOR, "begin_model_test", {"name": name})
    return see(f"{MODELS}?tested={quote(name, safe='')}")


async def _change(visit: Visit, person: Person, operation: str, did: str) -> Response:
    await require_alone(visit, person, OTHERS_TOO)
    name = value_of(await form_of(visit), "name")
    await visit.parts.call(OPERATOR, operation, {"name": name})
    return see(MODELS, did=did)
