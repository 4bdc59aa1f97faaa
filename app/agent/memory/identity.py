"""Who the agent is and whom it serves.

Notes below `Memory/Self/` that its owner writes, as part of what every brain is told.
"""

from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple

from app.agent.memory import recall
from app.agent.memory.persona import HEAD
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx

READERS = frozenset({"key", "oauth", "session", "heartbeat"})
"""What kinds of callers speak for the owner; nobody else's turn is told what these notes say."""
CHARACTERS = 6_000
"""So much of them all is told, about 1,500 tokens."""
SHORTEST = 200
CUT = "[…]"


class File(NamedTuple):
    """One of the notes: its title, what it is about, which part of the whole it may take, and
    which end is kept of a long one.
    """

    title: str
    about: str
    share: float
    kept: Literal["beginning", "end"] = "beginning"


FILES = (
    File("COO.md", "Who you are", 0.25),
    File("USER.md", "Whom you serve", 0.25),
    File("POLICY.md", "What you may and must not do", 0.25),
    File("MEMORY.md", "What you remember", 0.25, "end"),
)


def owner_words(app: App, me: Caller, *, characters: int = CHARACTERS) -> str:
    """Return the owner's words for a turn's instructions, at most so many characters.

    Empty where there are none or the caller may not read them.
    """
    if me.kind not in READERS or not me.may(("os.notes:read",)):
        return ""
    notes = app.quick(_note_versions, me.user)
    if not notes:
        return ""
    # A note's version is in the key, so a changed note is simply another entry.
    key = ("identity", characters, *((note_id, version) for note_id, version, _ in notes))
    held = app.memory.get(key)
    if held is None:
        held = app.quick(_join_under_headings, me.user, notes, characters).encode()
        app.memory.put(key, held)
    return held.decode()


def chosen_words(tx: Tx, owner: int, titles: Collection[str]) -> str:
    """Return the owner's words of some of these notes, for a turn in which the agent speaks to
    others and the owner wants it to have them.
    """
    notes = [note for note in _note_versions(tx, owner) if note[2] in titles]
    return _join_under_headings(tx, owner, notes, CHARACTERS) if notes else ""


def cut_lines(text: str, most: int, kept: Literal["beginning", "end"] = "beginning") -> str:
    """Return a text, of one that is too long whole lines from its beginning or its end, and a mark
    where the rest was.
    """
    text = text.strip()
    if len(text) <= most:
        return text
    # The mark and its line end count as well.
    room = most - len(CUT) - 1
    if room <= 0:
        return ""
    if kept == "end":
        lines = text[-room:].partition("\n")[2] or text[-room:]
        return f"{CUT}\n{lines}"
    lines = text[: room + 1].rpartition("\n")[0] or text[:room]
    return f"{lines.rstrip()}\n{CUT}"


def _note_versions(tx: Tx, owner: int) -> list[tuple[int, int, str]]:
    """Return (id, version, title) of the notes that are there.

    Of several of one title that with the lowest id.
    """
    folder_id = recall.memory_folder(tx, owner, "Self")
    if folder_id is None:
        return []
    found: list[tuple[int, int, str]] = []
    for file in FILES:
        row = recall.find_note(tx, owner, folder_id, file.title, columns="id, version, title")
        if row is not None:
            found.append((row["id"], row["version"], row["title"]))
    return found


def _join_under_headings(
    tx: Tx, owner: int, notes: Sequence[tuple[int, int, str]], characters: int
) -> str:
    """Return the notes under headings; what one leaves of its share the later ones may take."""
    by_title = {title: note_id for note_id, _, title in notes}
    left, parts = characters - len(HEAD), []
    for place, file in enumerate(FILES):
        # Shares are of what is left, so a short note leaves its rest to those after it.
        share = sum(other.share for other in FILES[place:] if other.title in by_title) or 1.0
        heading = f"\n\n## {file.about} ({file.title})\n"
        room = int(left * file.share / share) - len(heading)
        if file.title not in by_title or room < 1:
            continue
        part = (
            "substr(content, 1, :most)" if file.kept == "beginning" else "substr(content, -:most)"
        )
        sql = f"SELECT {part} FROM notes WHERE id = :id AND owner_id = :owner AND trash_id IS NULL"
        text = cut_lines(
            # A little more than fits is read, so that cut_lines sees that there is more.
            tx.value(sql, id=by_title[file.title], owner=owner, most=room + SHORTEST) or "",
            room,
            file.kept,
        )
        if text:
            parts.append(heading + text)
            left -= len(heading) + len(text)
    return HEAD + "".join(parts) if parts else ""
