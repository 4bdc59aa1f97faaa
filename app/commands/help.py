"""`hearth help`: the guide that ships with the program."""

import sys
from pathlib import Path

import click

GUIDE = Path(__file__).parents[1] / "guide"


def list_topics() -> dict[str, str]:
    """Return the title of every page of the guide, by the name under which help shows it."""
    return {path.stem: _page_title(path) for path in sorted(GUIDE.glob("*.md"))}


@click.command()
@click.argument("topic", required=False)
def help_(topic: str | None) -> None:
    """Show a page of the guide; without TOPIC, list the pages."""
    known = list_topics()
    if topic is None:
        width = max(map(len, known))
        click.echo("\n".join(f"{name:<{width}}  {title}" for name, title in known.items()))
        click.echo("\n`hearth help TOPIC` shows one of them.")
    elif topic in known:
        _show_page((GUIDE / f"{topic}.md").read_text("utf-8"))
    else:
        raise click.BadParameter(
            f"There is no page called {topic!r}. Choose one of {', '.join(known)}."
        )


def _page_title(path: Path) -> str:
    with path.open(encoding="utf-8") as page:
        return page.readline().lstrip("# ").strip()


def _show_page(page: str) -> None:
    """Print a page: laid out on a terminal, as it was written in a pipe."""
    if not sys.stdout.isatty():
        click.echo(page, nl=False)
        return
    from rich.console import Console  # rich takes a tenth of a second to load
    from rich.markdown import Markdown

    Console().print(Markdown(page, hyperlinks=False))
