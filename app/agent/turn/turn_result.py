"""What a turn tells whoever asked.

The answer, the passages that it quotes, what it took, and why the rules answered in a model's
place.
"""

from msgspec import UNSET, UnsetType

from app.core.schema import Record


class Fallback(Record):
    """Why the rules answered instead of the model that was meant.

    The reason holds nothing that a provider wrote.
    """

    model: str
    reason: str


class Citation(Record):
    """A passage of a note that the answer quotes.

    It stands at start..end, in characters, of the note's Markdown.
    """

    note_id: int
    title: str
    quote: str
    seq: int | None
    start: int
    end: int


class Usage(Record):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class Answer(Record):
    """The agent's whole answer."""

    conversation_id: int
    message_id: int
    response: str
    tools_used: list[str]
    citations: list[Citation]
    usage: Usage
    fallback: Fallback | UnsetType = UNSET
