"""Numbers of things and of bytes, as English has them."""


def counted(number: int, noun: str, several: str = "") -> str:
    """Return a number with its noun, such as 1 note or 1,200 notes."""
    return f"{number:,} {noun if number == 1 else several or noun + 's'}"


def size_text(size: float) -> str:
    """Return a number of bytes as file managers show it, a kilobyte being a thousand of them."""
    for unit in ("B", "kB", "MB"):
        if size < 999.5:
            return f"{size:.0f} {unit}" if unit == "B" or size >= 99.95 else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
