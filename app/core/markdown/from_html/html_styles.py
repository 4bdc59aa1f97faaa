"""What the style of an element says that Markdown has a mark for, and what it has none for."""

from app.core.markdown.from_html import html_losses
from app.core.markdown.from_html.html_tree import Node

_BOLD = frozenset(["bold", "bolder", "600", "700", "800", "900"])
_LIGHT = frozenset(["normal", "lighter", "100", "200", "300", "400", "500"])
_NO_COLOUR = frozenset(
    [
        "",
        "inherit",
        "initial",
        "unset",
        "currentcolor",
        "transparent",
        "black",
        "rgb(0,0,0)",
        "#000",
        "#000000",
        "windowtext",
    ]
)
_NO_GROUND = frozenset(
    [*_NO_COLOUR, "none", "white", "rgb(255,255,255)", "rgba(0,0,0,0)", "#fff", "#ffffff"]
)


def marks_of(node: Node) -> tuple[list[str], list[str]]:
    """Return the marks that an element's style asks for, and those that it takes away."""
    style = _parse_style(node.attributes.get("style", ""))
    if not style:
        return [], []
    weight, slant = style.get("font-weight", ""), style.get("font-style", "")
    line = f"{style.get('text-decoration', '')} {style.get('text-decoration-line', '')}"
    wanted = {
        "strong": weight in _BOLD,
        "em": slant.startswith(("italic", "oblique")),
        "del": "line-through" in line,
    }
    cancelled = {
        "strong": weight in _LIGHT,
        "em": slant == "normal",
        "del": line.split()[:1] == ["none"],
    }
    _note_style(node, style, line)
    return [tag for tag, asked in wanted.items() if asked], [
        tag for tag, asked in cancelled.items() if asked
    ]


def text_align(node: Node) -> str:
    """Return the side that an element's text stands at, where it says so."""
    side = _parse_style(node.attributes.get("style", "")).get("text-align", "")
    side = {"start": "left", "end": "right"}.get(side, side)
    return side if side in ("left", "center", "right") else ""


def _note_style(node: Node, style: dict[str, str], line: str) -> None:
    if "underline" in line and node.tag != "a":
        html_losses.note_loss("underline")
    if node.tag != "a" and _fold_value(style.get("color", "")) not in _NO_COLOUR:
        html_losses.note_loss("colours")
    if any(
        _fold_value(style.get(name, "")) not in _NO_GROUND
        for name in ("background", "background-color")
    ):
        html_losses.note_loss("highlighting")
    if style.get("font-size", "inherit") != "inherit":
        html_losses.note_loss("font sizes")


def _parse_style(style: str) -> dict[str, str]:
    pairs = (declaration.partition(":")[::2] for declaration in style.lower().split(";"))
    return {name.strip(): value.replace("!important", "").strip() for name, value in pairs if value}


def _fold_value(value: str) -> str:
    return value.replace(" ", "")
