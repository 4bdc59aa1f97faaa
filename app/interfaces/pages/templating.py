"""The templates of the pages, read once. Imported with the first page, since Jinja2 is."""

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from app.interfaces.pages.static_files import address_of

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
environment.globals["static"] = address_of


def render(name: str, values: dict[str, Any]) -> str:
    """Return the page that a template makes of the values; one that it lacks is an error."""
    return environment.get_template(f"{name}.html").render(values)
