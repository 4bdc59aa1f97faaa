"""placeholder until merge"""

from html import escape


def render(m: str) -> str:
    return "<p>" + escape(m) + "</p>"


def to_markdown(h: str) -> str:
    return h


def holds_html(h: str) -> bool:
    return "<p>" in h
