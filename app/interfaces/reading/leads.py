"""Where what a note names can be followed, for whoever reads it."""

from typing import NamedTuple

from app.interfaces.reading.headings import heading_in


class Named(NamedTuple):
    """Where `[[…]]` leads: nowhere without an address.

    `heading` is the end of what stands in the brackets that names a heading; a `missing` note can
    be begun at the address.
    """

    address: str = ""
    heading: str = ""
    missing: bool = False


class Leads:
    """What can be followed: nothing, unless another kind of reader says where."""

    def note(self, number: int, fragment: str) -> str:
        """Return the address of a note by its number, at one of its headings; empty for none."""
        return ""

    def file(self, number: int) -> str:
        """Return the address of an attachment; empty for one that the reader does not see."""
        return ""

    def named(self, target: str) -> Named:
        """Return where the target of `[[target|shown]]` leads."""
        return Named(heading=heading_in(target))

    def tag(self, tag: str) -> str:
        """Return the address of what has a tag in its text; empty for what is no tag."""
        return ""

    def embedded(self, target: str) -> str:
        """Return the HTML that `![[target]]` shows in its place; empty where it is a link."""
        return ""
