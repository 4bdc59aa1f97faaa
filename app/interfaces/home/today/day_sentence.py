"""The day in one sentence: what is late, what is due, who meets, and what waits."""

from app.interfaces.languages.words import Words

WRITTEN = 12


def day_sentence(words: Words, **counts: int) -> str:
    """Return what of the day is there to say; each part is named as in the words of Today."""
    parts = [
        words(f"today.say.{name}", n=n, count=_number(words, n)) for name, n in counts.items() if n
    ]
    if not parts:
        return words("today.say.nothing")
    said = ", ".join(parts)
    return f"{said[0].upper()}{said[1:]}."


def _number(words: Words, n: int) -> str:
    return words(f"today.number.{n}") if n <= WRITTEN else str(n)
