"""The records of an exported tree: todos, conversations and snapshots, as its JSON has them."""

from typing import Any

import msgspec

from app.core.text import word_count
from app.portability.content.source_items import (
    MessageFile,
    SourceConversation,
    SourceMessage,
    SourceTodo,
)
from app.workspace.notes.snapshot_rows import ImportedSnapshot


def todo_of(given: dict[str, Any], number: int) -> SourceTodo:
    """Return a todo of `todos.json`."""
    again = given.get("recurrence")
    again = again if isinstance(again, dict) else {}
    steps = given.get("steps")
    priority = given.get("priority")
    return SourceTodo(
        key=text_of(given, "id") or f"todos.json {number}",
        title=text_of(given, "title") or "",
        description=text_of(given, "description", empty=True),
        steps=tuple(
            (str(step.get("title", "")), step.get("completed") is True)
            for step in steps
            if isinstance(step, dict)
        )
        if isinstance(steps, list)
        else (),
        completed=given.get("completed") is True,
        completed_at=text_of(given, "completedAt"),
        priority=priority if isinstance(priority, int) else None,
        due=text_of(given, "dueDate"),
        rule=text_of(again, "rule"),
        counted_from="done" if again.get("from") == "done" else "due",
        wall=text_of(given, "wall"),
        next=text_of(given, "next"),
        created=text_of(given, "createdAt"),
        updated=text_of(given, "updatedAt"),
    )


def conversation_of(found: dict[str, Any]) -> SourceConversation:
    """Return a conversation; raise KeyError or TypeError for what is none."""
    messages = tuple(_message_of(one) for one in found["messages"])
    return SourceConversation(
        key=str(found["id"]),
        title=str(found["title"]),
        created=str(found["createdAt"]),
        messages=messages,
    )


def _message_of(one: dict[str, Any]) -> SourceMessage:
    files = tuple(
        MessageFile(
            key=text_of(file, "id"), name=str(file["name"]), media_type=str(file["mediaType"])
        )
        for file in one.get("attachments", ())
    )
    return SourceMessage(
        role="assistant" if one["role"] == "assistant" else "user",
        sender_type="agent" if one["senderType"] == "agent" else "human",
        label=str(one["label"]),
        content=str(one["content"]),
        created=str(one["createdAt"]),
        files=files,
    )


def snapshot_of(line: dict[str, Any]) -> ImportedSnapshot | None:
    """Return a snapshot; None for what is none."""
    seq, content = line.get("seq"), line.get("content")
    if (
        not isinstance(seq, int)
        or not 0 < seq < 1 << 53
        or not isinstance(content, str)
        or "\0" in content
    ):
        return None
    author = line.get("author")
    return ImportedSnapshot(
        seq=seq,
        label=text_of(line, "label"),
        title=text_of(line, "title") or "",
        message=text_of(line, "message", empty=True),
        author=msgspec.json.encode(
            author if isinstance(author, dict) else {"kind": "user", "id": None, "name": "import"}
        ).decode(),
        word_count=word_count(content),
        automatic=line.get("automatic") is not False,
        created_at=text_of(line, "created") or "",
        content=content,
    )


def text_of(given: dict[str, Any], name: str, *, empty: bool = False) -> str | None:
    """Return a field that is a text, and unless asked for, no empty one."""
    found = given.get(name)
    return found if isinstance(found, str) and (found or empty) else None
