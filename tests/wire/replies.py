"""What the simulator of providers answers.

For a word of the user's message a reply, spoken in whatever wire the request came by.
"""

from typing import Any

COUNTED = {
    "prompt_tokens": 41,
    "completion_tokens": 7,
    "input_tokens": 41,
    "output_tokens": 7,
    "promptTokenCount": 41,
    "candidatesTokenCount": 7,
}
"""What a reply is said to have cost, in the words of every wire."""
KEY = "sk-of-the-provider"
LONG = (
    "Gannets dive from forty metres, fold their wings at the last moment and come "
    "up with a fish; nobody taught them how to do it."
)
OVERFLOWS = {
    "openai": (
        "context_length_exceeded",
        "This model's maximum context length is 4096 tokens, but the messages resulted "
        "in 9001 tokens.",
    ),
    "anthropic": ("invalid_request_error", "prompt is too long: 9001 tokens > 4096 maximum"),
    "google": (
        "INVALID_ARGUMENT",
        "The input token count (9001) exceeds the maximum number of tokens allowed (4096).",
    ),
}
"""What providers say of a conversation that is too long."""


def calls(*named: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """Give a reply that calls these tools at once."""
    return {
        "toolCalls": [{"name": name, "arguments": arguments} for name, arguments in named],
        "usage": COUNTED,
    }


def said(text: str) -> dict[str, Any]:
    """Give a reply in words."""
    return {"content": text, "usage": COUNTED}


def refused(status: int, kind: str, message: str, wait: int | None = None) -> dict[str, Any]:
    """Give a refusal as providers send it; it repeats the key, which nobody must see."""
    refusal = {
        "status": status,
        "error": {"message": f"{message} ({KEY})", "type": kind, "code": kind},
    }
    return refusal if wait is None else {**refusal, "retryAfter": wait}


def reply(
    words: str,
    response: dict[str, Any],
    *,
    tools_answered: bool | None = None,
    time: int | None = None,
    **more: Any,
) -> dict[str, Any]:
    """Give what is answered to a message with these words.

    Before or after its tools have answered, or when it comes for the first time (0).
    """
    match: dict[str, Any] = {"userMessage": words}
    if tools_answered is not None:
        match["hasToolResult"] = tools_answered
    if time is not None:
        match["sequenceIndex"] = time
    return {"match": match, "response": response, **more}


def after(words: str, first: dict[str, Any], then: str) -> list[dict[str, Any]]:
    """Give what is answered to `words` at first, and what once the tools have answered."""
    return [
        reply(words, said(then), tools_answered=True),
        reply(words, first, tools_answered=False),
    ]


def once(words: str, first: dict[str, Any], then: str) -> list[dict[str, Any]]:
    """Give what is answered to `words` the first time, and what from then on."""
    return [reply(words, first, time=0), reply(words, said(then))]


BROKEN_OFF = {"truncateAfterChunks": 4, "chunkSize": 12, "latency": 30}

REPLIES: list[dict[str, Any]] = [
    reply("hello", said("Good morning to you too.")),
    *after("heron", calls(("search_notes", {"query": "heron"})), "There is one note about it."),
    *after(
        "puffin",
        calls(
            ("search_notes", {"query": "puffin"}), ("create_todo", {"title": "Count the puffins"})
        ),
        "Both are done.",
    ),
    *after("stranger", calls(("open_the_gates", {"which": "all"})), "There is no such tool."),
    *after("gibberish", calls(("search_notes", {"limit": "many"})), "I could not search."),
    reply("again and again", calls(("search_notes", {"query": "tern"}))),
    *(
        entry
        for wire in OVERFLOWS
        for entry in once(
            f"busy once {wire}",
            refused(429, "rate_limit_error", "Slow down.", 1),
            "Now there is time.",
        )
    ),
    *(
        entry
        for wire, (kind, text) in OVERFLOWS.items()
        for entry in once(f"too long {wire}", refused(400, kind, text), "Now it fits.")
    ),
    *(
        reply(f"much too big {wire}", refused(400, kind, text))
        for wire, (kind, text) in OVERFLOWS.items()
    ),
    reply("busy for long", refused(429, "rate_limit_error", "Slow down.", 600)),
    reply("away", refused(503, "overloaded_error", "Nobody is here.", 600)),
    reply("no entry", refused(401, "authentication_error", "Bad key.")),
    reply("babble", said("Never seen."), chaos={"malformedRate": 1}),
    reply("hang up", said("Never seen."), chaos={"disconnectRate": 1}),
    reply("break off", said(LONG), **BROKEN_OFF),
    reply("half a call", calls(("search_notes", {"query": LONG})), **BROKEN_OFF),
    reply("slowly", said(LONG), chunkSize=6, latency=150),
]
