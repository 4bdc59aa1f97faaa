"""The forms in which programs put a prompt: JSON, tags, and the marks of chat templates."""

import json
import re
from typing import Any, NamedTuple

_FENCED = re.compile(r"```(?:json)?[ \t]*\n(.*?)\n?[ \t]*```", re.DOTALL)
_ASKED = (
    "question",
    "query",
    "user_query",
    "user_question",
    "user_input",
    "user_message",
    "visitor",
    "prompt",
    "message",
    "input",
    "q",
)
_GIVEN = ("context", "contexts", "documents", "document", "passages", "sources", "notes", "text")
_TAG = re.compile(
    rf"<(?P<name>{'|'.join((*_ASKED, 'user'))})(?: [^<>]{{0,200}})?>"
    r"\s*(?P<text>.*?)\s*</(?P=name)>",
    re.DOTALL | re.IGNORECASE,
)
_GIVEN_TAG = re.compile(
    rf"<(?P<name>{'|'.join((*_GIVEN, 'data', 'article'))})(?: [^<>]{{0,200}})?>"
    r"\s*(?P<text>.*?)\s*</(?P=name)>",
    re.DOTALL | re.IGNORECASE,
)
_ANY_TAG = re.compile(r"</?\w+(?: [^<>]{0,200})?>")
_CHAT_MARK = re.compile(r"<\|(?:im_start|start_header_id)\|>\s*(\w+)(?:<\|end_header_id\|>)?\s*")
_CHAT_END = re.compile(r"<\|(?:im_end|eot_id|end|endoftext|begin_of_text)\|>")
_INSTRUCTION = re.compile(r"\[INST\](.*?)\[/INST\]", re.DOTALL)
_SYSTEM = re.compile(r"<<SYS>>.*?<</SYS>>", re.DOTALL)
_MARKED_LABEL = re.compile(
    r"^\s{0,3}(?:#{1,6}\s+|[*_]{2})(?P<label>[^\n:*_]{1,40}?)"
    r"(?:[*_]{0,2}\s*:\s*[*_]{0,2}|[*_]{2}|\s*$)[ \t]*"
)


class Parts(NamedTuple):
    """What is asked, what is given to answer from, and what else the prompt says."""

    question: str
    context: str = ""
    rest: str = ""


def split_form(message: str) -> Parts | None:
    """Return the parts of a prompt in one of the forms; None where it is in none."""
    return _from_json(message) or _from_tags(message) or _from_instruction(message)


def with_plain_labels(message: str) -> str:
    """Return a prompt whose labels and turns of a chat are lines such as `Question:`."""
    text = _CHAT_END.sub("\n", _CHAT_MARK.sub(r"\n\1: ", message)).replace("：", ":")
    return "\n".join(_MARKED_LABEL.sub(r"\g<label>: ", line) for line in text.split("\n")).strip(
        "\n"
    )


def _from_json(message: str) -> Parts | None:
    """Return the parts of an object, be it all of the prompt or fenced within it."""
    fenced = _FENCED.search(message)
    text = message.strip() if message.lstrip().startswith("{") else fenced[1] if fenced else ""
    try:
        found = json.loads(text) if text else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    question = _first_text(found, _ASKED) or _last_of_user(found.get("messages"))
    rest = "" if not fenced else message.replace(fenced[0], "")
    return Parts(question, _joined(found), rest) if question else None


def _first_text(found: dict[str, Any], names: tuple[str, ...]) -> str:
    values = (found.get(name) for name in names)
    return next((one.strip() for one in values if isinstance(one, str) and one.strip()), "")


def _last_of_user(messages: Any) -> str:
    rows = [one for one in messages if isinstance(one, dict)] if isinstance(messages, list) else []
    said = [one.get("content") for one in rows if one.get("role") in ("user", "human", "visitor")]
    return next((one.strip() for one in reversed(said) if isinstance(one, str)), "")


def _joined(found: dict[str, Any]) -> str:
    """Return the texts that an object gives, be they one or a list."""
    values = [found.get(name) for name in _GIVEN]
    lists = [one if isinstance(one, list) else [one] for one in values]
    rows = [row for rows in lists for row in rows]
    texts = [
        _first_text(row, ("text", "content")) if isinstance(row, dict) else row for row in rows
    ]
    return "\n".join(one.strip() for one in texts if isinstance(one, str) and one.strip())


def _from_tags(message: str) -> Parts | None:
    found = list(_TAG.finditer(message))
    if not found:
        return None
    given = (_ANY_TAG.sub("\n", one["text"]).strip() for one in _GIVEN_TAG.finditer(message))
    question = _ANY_TAG.sub("", found[-1]["text"]).strip()
    rest = _ANY_TAG.sub("\n", _GIVEN_TAG.sub("", _TAG.sub("", message)))
    return Parts(question, "\n".join(given), rest) if question else None


def _from_instruction(message: str) -> Parts | None:
    found = list(_INSTRUCTION.finditer(message))
    question = _SYSTEM.sub("", found[-1][1]).strip() if found else ""
    return Parts(question) if question and "\n" not in question else None
