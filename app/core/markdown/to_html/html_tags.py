"""The tags of HTML that notes are made of: the only ones that are answered with, and read back."""

import re

TAGS = frozenset(
    "p br h1 h2 h3 h4 h5 h6 ul ol li input blockquote pre code strong em del a hr "
    "table thead tbody tr th td div span".split()
)
_TAG = re.compile(rf"</?(?:{'|'.join(sorted(TAGS))})(?:[\s/][^<>]*)?>", re.IGNORECASE)


def holds_html(text: str) -> bool:
    """Return whether a text holds a tag of those that notes are made of."""
    return _TAG.search(text) is not None
