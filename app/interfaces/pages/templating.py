"""The templates of the pages, read once. Imported with the first page, since Jinja2 is."""

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from app.interfaces.pages.static_files import address_of, address_of_words

HERE = Path(__file__).parent
TEMPLATES = [HERE / "templates", HERE.parent / "home/templates"]

environment = Environment(
    loader=FileSystemLoader(TEMPLATES),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    auto_reload=False,
)
environment.globals |= {"static": address_of, "static_words": address_of_words}


def bdi(text: object) -> Markup:
    """Return what somebody wrote, whose direction changes nothing of the words around it."""
    return Markup("<bdi>{}</bdi>").format(text)


def code(text: object) -> Markup:
    """Return what is typed as it stands."""
    return Markup("<code>{}</code>").format(text)


def filled(sentence: str, **values: object) -> Markup:
    """Return a sentence with pieces of HTML in its places."""
    done = escape(sentence)
    for name, value in values.items():
        done = done.replace("{" + name + "}", escape(value))
    return done


environment.globals |= {"bdi": bdi, "code": code}
environment.filters["filled"] = filled


def render(name: str, values: dict[str, Any]) -> str:
    """Return the page that a template makes of the values; one that it lacks is an error."""
    return environment.get_template(f"{name}.html").render(values)
