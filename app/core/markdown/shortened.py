"""Texts cut where they are too long for their place."""


def shortened(text: str, most: int) -> str:
    """Return a text of at most so many characters, with … where it was cut."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def one_line(text: str, most: int) -> str:
    """Return the beginning of a text on one line of at most so many characters."""
    # cut before the work too: it may be a whole note
    return shortened(" ".join(text[: 8 * most].split()), most)
