"""The notes that searches have found, best first, as far as they were read."""

from typing import Any

from app.agent.rules.passages import answer_passages, questions
from app.agent.rules.passages.answer_passages import Text
from app.agent.rules.passages.sentences import fold_text
from app.agent.turn.steps import Asked, Result

BEGINNING = 2_000
"""Of a note that a search finds, only so many characters are in its record."""
LIKE = 0.4
"""What a word that only is like one of a question counts beside the rank of a search."""


def hits(asked: Asked, like: float = LIKE) -> list[dict[str, Any]]:
    """Return what was found, best first and each once.

    What was found with several words or searches before the rest; `like` is what a word counts
    that only is like one of a question, beside the rank of a search: nothing where the search for
    all the words has found a note.
    """
    hits: dict[int, dict[str, Any]] = {}
    points: dict[int, float] = {}
    for result in asked.of("search_notes"):
        for place, hit in enumerate(result.content.get("results", ())):
            hits.setdefault(hit["id"], hit)
            # By rank, as scores of different searches cannot be compared.
            points[hit["id"]] = points.get(hit["id"], 0) + 1 / (place + 2)
    for result in asked.of("grep_notes"):
        # A pair of letters is searched for as a word; what only is like one says less.
        share = 1 if questions.is_asian(result.arguments["pattern"]) else like
        for found in result.content.get("results", ()) if share else ():
            hits.setdefault(
                found["noteId"],
                {
                    "id": found["noteId"],
                    "title": found["title"],
                    "snippet": found["matches"][0]["text"],
                },
            )
            points[found["noteId"]] = points.get(found["noteId"], 0) + share * len(
                {fold_text(match["match"]) for match in found["matches"]}
            )
    return [hits[note_id] for note_id in sorted(hits, key=lambda note_id: -points[note_id])]


def texts(asked: Asked, like: float = LIKE) -> list[Text]:
    """Return the notes that were found, as far as they were read, ordered as `hits`."""
    read = {
        text.note_id: text for result in asked.of("get_note_content") if (text := read_note(result))
    }
    begun = {
        row["id"]: row["content"]
        for result in asked.of("search_notes")
        for row in result.content.get("result", {}).get("results", ())
    }
    found = []
    for hit in hits(asked, like):
        content = begun.get(hit["id"], "")
        # A text of just that length was cut.
        whole = hit["id"] in begun and len(content) < BEGINNING
        begun_text = Text(hit["id"], hit["title"], content, whole)
        found.append(read.pop(hit["id"]) if hit["id"] in read else begun_text)
    # Those quoted last need not have been found.
    return [*found[: answer_passages.NOTES - len(read)], *read.values()]


def read_note(result: Result) -> Text | None:
    """Return the note that a tool has read; None where it read none."""
    note = result.content.get("note")
    return (
        Text(note["id"], note["title"], note["markdown"], whole=True)
        if isinstance(note, dict) and "markdown" in note
        else None
    )
