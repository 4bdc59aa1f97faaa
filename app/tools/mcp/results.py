"""What the tool of a server gave, as a record: data of others, cleaned and cut."""

from collections.abc import Mapping
from typing import Any

from app.core.json_body import objects_in
from app.tools.mcp.definitions import cleaned
from app.tools.mcp.failures import Refused

MOST_PARTS = 100
LONGEST_TEXT = 200_000
LONGEST_REFUSAL = 2_000
DEEPEST = 40


def record(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record of a result; raise Refused where the tool says that it has failed."""
    parts = [_part(part) for part in objects_in(result.get("content"))[:MOST_PARTS]]
    if result.get("isError") is True:
        said = " ".join(part["text"] for part in parts if "text" in part)
        raise Refused(said[:LONGEST_REFUSAL] or "The tool has failed and does not say why.")
    found: dict[str, Any] = {"content": parts}
    if isinstance(structured := result.get("structuredContent"), dict):
        found["structuredContent"] = _cleaned(structured, DEEPEST)
    return found


def _part(part: Mapping[str, Any]) -> dict[str, Any]:
    match part.get("type"):
        case "text":
            return {"type": "text", "text": _text(part.get("text"))}
        case "image" | "audio" as kind:
            data = part.get("data")
            size = len(data) * 3 // 4 if isinstance(data, str) else 0
            return {"type": kind, "mimeType": _text(part.get("mimeType"))[:100], "bytes": size}
        case "resource_link":
            named = ("uri", "name", "title", "description", "mimeType")
            shown = {name: _text(part[name])[:1_000] for name in named if part.get(name)}
            return {"type": "resource_link", **shown}
        case "resource":
            held = part.get("resource")
            held = held if isinstance(held, dict) else {}
            text = {"text": _text(held["text"])} if isinstance(held.get("text"), str) else {}
            return {"type": "resource", "uri": _text(held.get("uri"))[:1_000], **text}
        case _:
            return {"type": "unknown"}


def _text(value: Any) -> str:
    return cleaned(value[:LONGEST_TEXT]) if isinstance(value, str) else ""


def _cleaned(value: Any, depth: int) -> Any:
    if depth == 0:
        return "…"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list):
        return [_cleaned(one, depth - 1) for one in value]
    if isinstance(value, dict):
        return {_text(str(name))[:200]: _cleaned(one, depth - 1) for name, one in value.items()}
    return value
