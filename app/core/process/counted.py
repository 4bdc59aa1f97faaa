"""Numbers of things, as English has them."""


def counted(number: int, noun: str, several: str = "") -> str:
    """Return a number with its noun, such as 1 note or 1,200 notes."""
    return f"{number:,} {noun if number == 1 else several or noun + 's'}"
