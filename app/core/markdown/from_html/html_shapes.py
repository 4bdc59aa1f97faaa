"""Normalise the HTML of editors and web pages to the plain elements that the reader knows."""

import re
from collections.abc import Iterator

from app.core.markdown.from_html import html_losses
from app.core.markdown.from_html.html_lists import plain_list
from app.core.markdown.from_html.html_runs import MARKS, link_run
from app.core.markdown.from_html.html_styles import marks_of, text_align
from app.core.markdown.from_html.html_tree import MEDIA, UNMARKED, Node

_HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])
_LANGUAGE = re.compile(r"(?:language|lang|highlight-source|highlight-text)-(.+)|brush:(.+)")
_BESIDE_LANGUAGE = frozenset(["hljs", "sourceCode"])
_NO_LANGUAGE = frozenset(["", "auto", "nohighlight", "none", "null", "plain", "undefined"])
_RAISED = str.maketrans("0123456789+-−=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ")
_LOWERED = str.maketrans("0123456789+-−=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")
_PLACES = {"sup": ("superscript", _RAISED), "sub": ("subscript", _LOWERED)}

Mark = tuple[str, tuple[tuple[str, str], ...]]
"""The tag of an element that marks text, and its attributes."""


def plain_tree(root: Node) -> Node:
    """Bring a tree into plain shapes.

    Lists and tasks, code with its language, and marks as elements inside of blocks.
    """
    for node in root.walk():
        node.children = [
            plain_child for child in node.children for plain_child in plain_list(child)
        ]
        if node.tag in ("pre", "div"):
            _code_block(node)
    _mark_inline(root)
    return root


def _code_block(node: Node) -> None:
    """Give a code block its language as the attribute `info`, and make one of Quill's lines of
    code.
    """
    if node.tag == "div" and "ql-code-block-container" in node.attributes.get("class", "").split():
        lines = [child for child in node.children if child.tag]
        language = next(
            (name for line in lines if (name := line.attributes.get("data-language"))), ""
        )
        node.tag, node.attributes = "pre", {"data-language": language}
        node.children = [Node("", words="\n".join(map(_code_line, lines)))]
    solid = [child for child in node.children if not child.is_blank()]
    pre = solid[0] if node.tag == "div" and len(solid) == 1 and solid[0].tag == "pre" else node
    if pre.tag != "pre" or "info" in pre.attributes:
        return
    codes = [child for child in pre.children if child.tag == "code"][:1]
    language = next(filter(None, map(_language, [*codes, pre, node])), "")
    if language:
        pre.attributes["info"] = language


def _code_line(line: Node) -> str:
    """Return the text of a line of code; a break alone in it only holds an empty one open."""
    text = line.text()
    return "" if text == "\n" else text


def _language(node: Node) -> str:
    words = node.attributes.get("class", "").replace("brush: ", "brush:").split()
    named = [match[1] or match[2] for match in map(_LANGUAGE.fullmatch, words) if match]
    if not named and _BESIDE_LANGUAGE.intersection(words):
        named = [word for word in words if word not in _BESIDE_LANGUAGE]
    named += [node.attributes.get(name, "") for name in ("data-language", "data-lang", "lang")]
    return next((name for name in map(_one_word, named) if name not in _NO_LANGUAGE), "")


def _one_word(name: str) -> str:
    return "-".join(name.strip().strip(";").split())


def _mark_inline(root: Node) -> None:
    """Let every mark, whether an element or a style, stand around text inside of a block."""
    rest: list[tuple[Node, tuple[Mark, ...]]] = [(root, ())]
    while rest:
        node, marks = rest.pop()
        if node.tag == "pre":
            note_code(node)
            continue
        children: list[Node] = []
        run: list[Node] = []
        for child in node.children:
            if child.is_inline():
                _restyle_all(child)
                run.append(child)
                continue
            children += [*_wrap_in_marks(marks, run), child]
            run = []
            rest.append((child, _join_marks(marks, _own_marks(child))))
        node.children = [*children, *_wrap_in_marks(marks, run)]


def _own_marks(node: Node) -> list[Mark]:
    """Return the marks that a block, or an element around blocks, puts on all that is in it."""
    wanted, cancelled = marks_of(node)
    marks: list[Mark] = [(tag, ()) for tag in wanted]
    if node.tag in _HEADINGS:
        marks = [mark for mark in marks if mark[0] != "strong"]
    if node.tag in ("td", "th", "p", *_HEADINGS, "div") and (side := text_align(node)):
        if node.tag in ("td", "th"):
            node.attributes["align"] = side
        elif side != "left":
            html_losses.note_loss("alignment")
    if node.broken:
        if (node.tag in MARKS and node.tag not in cancelled) or _is_link(node):
            marks.append((node.tag, tuple(node.attributes.items())))
        if node.tag in UNMARKED:
            html_losses.note_loss(UNMARKED[node.tag])
        node.tag = "span"
    return marks


def _is_link(node: Node) -> bool:
    return node.tag == "a" and link_run(node.attributes.get("href"), "") is not None


def _join_marks(marks: tuple[Mark, ...], more: list[Mark]) -> tuple[Mark, ...]:
    tags = {tag for tag, _ in marks}
    return (*marks, *(mark for mark in more if mark[0] not in tags))


def _wrap_in_marks(marks: tuple[Mark, ...], run: list[Node]) -> list[Node]:
    """Return a run of text and inline elements with marks around it."""
    if not marks or all(item.is_blank() for item in run):
        return run
    for tag, attributes in reversed(marks):
        run = [Node(tag, dict(attributes), run, start=run[0].start, end=run[-1].end)]
    return run


def _restyle_all(root: Node) -> None:
    for node in root.walk():
        if node.tag in _PLACES:
            _raise_or_lower(node, *_PLACES[node.tag])
        elif node.tag in UNMARKED:
            html_losses.note_loss(UNMARKED[node.tag])
        elif node.tag in MEDIA:
            _link_to(node)
        elif node.tag == "q":
            node.children = [Node("", words="“"), *node.children, Node("", words="”")]
        elif node.tag == "input":
            node.tag, node.words = "", "[x] " if "checked" in node.attributes else "[ ] "
        if "style" in node.attributes:
            _restyle(node)
        if node.tag == "code":
            note_code(node)


def _restyle(node: Node) -> None:
    """Give a styled inline element the elements that stand for its style."""
    wanted, cancelled = marks_of(node)
    place = node.attributes.get("style", "").partition("vertical-align:")[2][:5]
    if place in ("super", "sub", "sub;"):
        _raise_or_lower(node, *_PLACES["sup" if place == "super" else "sub"])
    if node.tag in cancelled:
        node.tag = "span"
    node.children = (
        _wrap_in_marks(tuple((tag, ()) for tag in wanted if tag != node.tag), node.children)
        if node.children
        else []
    )


def _raise_or_lower(node: Node, name: str, letters: dict[int, int]) -> None:
    """Write raised or lowered text in letters that are so by themselves, where there are such."""
    text = node.text()
    if any(child.tag for child in node.children) or not all(
        ord(letter) in letters for letter in text
    ):
        html_losses.note_loss(name)
        node.tag = "span"
    else:
        node.tag, node.words, node.children = "", text.translate(letters), []


def _link_to(node: Node) -> None:
    """Keep the address of something embedded as a link to it."""
    source = node.attributes.get("src")
    if link_run(source, "") is None:
        html_losses.note_loss("embedded media")
        node.tag = "span"
        return
    node.children = [
        Node(
            "", words=node.attributes.get("title") or source or "", start=node.start, end=node.start
        )
    ]
    node.tag, node.attributes = "a", {"href": source or ""}


def note_code(node: Node) -> None:
    """Note marks and links inside of code, which shows all marks as text."""
    tags = {inner.tag for inner in _inside(node)}
    if tags & {*MARKS, *UNMARKED, *_PLACES}:
        html_losses.note_loss("marks in code")
    if "a" in tags:
        html_losses.note_loss("links in code")
    if "img" in tags:
        html_losses.note_loss("pictures in code")


def _inside(node: Node) -> Iterator[Node]:
    return (inner for inner in node.walk() if inner is not node)
