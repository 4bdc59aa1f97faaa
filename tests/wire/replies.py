"""What the simulator of providers answers: for a word of the user's message a reply, spoken in whatever wire the request came by."""

from typing import Any

COUNTED = {"prompt_tokens": 41, "completion_tokens": 7, "input_tokens": 41, "output_tokens": 7, "promptTokenCount": 41, "candidatesTokenCount": 7}
"""What a reply is said to have cost, in the words of every wire."""
LONG = "Gannets dive from forty metres, fold their wings at the last moment and come up with a fish; nobody taught them how to do it."
OVERFLOW = "This model's maximum context length is 4096 tokens. However, your messages resulted in 9001 tokens."


def calls(*named: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """Give a reply that calls these tools at once."""
    return {"toolCalls": [{"name": name, "arguments": arguments} for name, arguments in named], "usage": COUNTED}


def said(text: str) -> dict[str, Any]:
    """Give a reply in words."""
    return {"content": text, "usage": COUNTED}


def refused(status: int, kind: str, message: str) -> dict[str, Any]:
    """Give a refusal as providers send it."""
    return {"status": status, "error": {"message": message, "type": kind, "code": kind}}


def after(word: str, first: dict[str, Any], then: str) -> list[dict[str, Any]]:
    """Give what is answered to `word` at first, and what once the tools have answered."""
    return [
        {"match": {"userMessage": word, "hasToolResult": True}, "response": said(then)},
        {"match": {"userMessage": word, "hasToolResult": False}, "response": first},
    ]


REPLIES: list[dict[str, Any]] = [
    {"match": {"userMessage": "hello"}, "response": said("Good morning to you too.")},
    *after("heron", calls(("search_notes", {"query": "heron"})), "There is one note about it."),
    *after("puffin", calls(("search_notes", {"query": "puffin"}), ("create_todo", {"title": "Count the puffins"})), "Both are done."),
    *after("stranger", calls(("open_the_gates", {"which": "all"})), "There is no such tool."),
    *after("gibberish", calls(("search_notes", {"qwery": 7})), "I could not search."),
    {"match": {"userMessage": "again and again"}, "response": calls(("search_notes", {"query": "tern"}))},
    {"match": {"userMessage": "busy once", "sequenceIndex": 0}, "response": refused(429, "rate_limit_error", "Slow down.") | {"retryAfter": 1}},
    {"match": {"userMessage": "busy once"}, "response": said("Now there is time.")},
    {"match": {"userMessage": "always busy"}, "response": refused(429, "rate_limit_error", "Slow down, says sk-of-the-provider.")},
    {"match": {"userMessage": "away"}, "response": refused(503, "overloaded_error", "Nobody is here, says sk-of-the-provider.")},
    {"match": {"userMessage": "too long"}, "response": refused(400, "invalid_request_error", OVERFLOW)},
    {"match": {"userMessage": "no entry"}, "response": refused(401, "authentication_error", "Bad key sk-of-the-provider.")},
    {"match": {"userMessage": "babble"}, "response": said("Never seen."), "chaos": {"malformedRate": 1}},
    {"match": {"userMessage": "hang up"}, "response": said("Never seen."), "chaos": {"disconnectRate": 1}},
    {"match": {"userMessage": "break off"}, "response": said(LONG), "truncateAfterChunks": 4, "chunkSize": 12, "latency": 30},
    {"match": {"userMessage": "half a call"}, "response": calls(("search_notes", {"query": LONG})), "truncateAfterChunks": 4, "chunkSize": 12, "latency": 30},
    {"match": {"userMessage": "slowly"}, "response": said(LONG), "chunkSize": 4, "streamingProfile": {"ttft": 50, "tps": 4}},
]
