"""What commands, options and arguments mean, in the words of the command line.

A field that stands neither here nor in its operation's description is called by its name.
"""

import re
from collections.abc import Mapping

MORE: Mapping[str, str] = {
    "create_note": "The text comes from --content, standard input or your editor. Without TITLE "
    "its first line is the title.",
    "change_note": "Without options the note opens in your editor; text on standard input takes "
    "the place of the note's.",
    "list_notes": "Without --folder all notes are listed; with --folder / those in no folder.",
    "search_todos": "Without options those are listed that are still to be done.",
    "create_folder": "Folders on the way to it are made too.",
}
"""What a command does beyond its operation."""
SPOKEN = (
    ("null moves it to the root", "/ is the root"),
    ("of the caller's", "of yours"),
    ("the caller's", "your"),
    ("the caller is", "you are"),
    ("the caller has allowed their", "you have allowed your"),
    ("the caller gave or holds", "you gave or hold"),
    ("the caller sent or gets", "you sent or get"),
    ("the caller lets", "you let"),
    ("the caller and some of their", "you and some of your"),
    ("session at one of their", "session at one of your"),
    ("the caller", "you"),
    ("one's own", "your own"),
)
"""How a person is spoken to, where operations speak of their caller, and in the words of JSON."""

FIELD_HELP: Mapping[str, str] = {
    "access": "What guests may see beside what is shared",
    "action": "Whether to accept or reject it",
    "afterMessageId": "Only what came after this message",
    "agentName": "What your agent is called",
    "answeredBy": "Who answers guests",
    "before": "Only what comes before this one",
    "caseSensitive": "Tell capitals from small letters",
    "completed": "What is done, or what is not",
    "contact": "A contact, by username",
    "content": "The text; - reads it from standard input",
    "contextAfter": "How many lines to show after each",
    "contextBefore": "How many lines to show before each",
    "defaultModel": "The model that answers, where none is named",
    "description": "More about it",
    "disable": "A namespace to switch off; repeatable",
    "dryRun": "Show what would be done and change nothing",
    "email": "An e-mail address",
    "enable": "A namespace to switch on; repeatable",
    "enabled": "Whether it is on",
    "escalationTtlHours": "After how many hours a question expires that nobody answers",
    "everyMinutes": "Every so many minutes",
    "expiresIn": "When it expires",
    "explain": "Say why each todo stands where it stands",
    "folderId": "A folder, by its name, path or ID; / is the root",
    "folderIds": "A folder, by its name, path or ID; repeatable",
    "from": "The title that it had before",
    "graceSeconds": "For how many seconds the former secret holds too",
    "history": "Also what snapshots hold",
    "icon": "An emoji",
    "ifRevision": "Do it only if this is still the revision",
    "ignore": "Leave such words in the title; repeatable",
    "inboxFrom": "Whose messages may come in",
    "includeSteps": "Show the steps too",
    "intent": "What the message is meant for",
    "kind": "Of which kind it is",
    "label": "A label of your own",
    "limit": "How many at most",
    "linkPolicy": "What the agent shall heed when guests ask",
    "locale": "A language, such as de or en-GB",
    "maxResults": "How many at most",
    "members": "A contact, by username; repeatable",
    "message": "The text; - reads it from standard input",
    "messageId": "Up to which message",
    "messageLimit": "How many messages of each",
    "mode": "How to look",
    "name": "What it is called",
    "note": "A word to go with it",
    "noteId": "A note, by its title or ID",
    "noteIds": "A note, by its title or ID; repeatable",
    "notesAccess": "What guests may do with notes",
    "offset": "How many to leave out at the start",
    "olderThanDays": "Only what has lain there for so many days",
    "order": "In which order",
    "params": "What the tool is given, as JSON",
    "parentId": "The folder above, by its name, path or ID",
    "path": "The folder's name, or its path from the root",
    "pattern": "What to find",
    "perDay": "How many todos a day gets",
    "permanent": "Delete it for good, not into the trash",
    "pinned": "Whether it is pinned",
    "preview": "Show what would be changed and change nothing",
    "priority": "0 for none, up to 5",
    "priorityMin": "Only this priority and above",
    "purge": "Also delete what guests wrote",
    "q": "Words to look for",
    "query": "Words to look for",
    "recursive": "Also what is in the folders below",
    "replacement": "What to put in its place",
    "replanPerDay": "How many overdue todos a day gets when they are replanned",
    "requireSignIn": "Let in only people who sign in",
    "rewriteLinks": "Let links by the old title follow",
    "role": "What they may do",
    "scope": "What it opens",
    "seq": "The number of the snapshot",
    "shareToken": "The token of a share link",
    "snapshotKeep": "How many snapshots of a note are kept",
    "sort": "What to sort by",
    "status": "How it stands",
    "steps": "Steps, as JSON",
    "tag": "Only what has this tag",
    "tags": "A tag; repeatable",
    "target": "What guests come to",
    "tier": "How much it may do by itself",
    "title": "What it is called",
    "todos": "What of the todos is open, as JSON",
    "tool": "The tool's name",
    "trashDays": "For how many days the trash keeps things",
    "type": "What is asked for",
    "url": "An address",
    "username": "Who, by username",
    "versionId": "The ID of the snapshot",
    "view": "Which conversations",
    "weekdays": "A day of the week, 1 for Monday to 7; repeatable",
}


def spoken(text: str, flags: Mapping[str, str]) -> str:
    """Return what an operation says of itself as one says it to a person at a terminal.

    `flags` are the options by the names of the fields that the text may name.
    """
    for formal, plain in SPOKEN:
        text = text.replace(formal, plain)
    return re.sub("`([A-Za-z]+)`", lambda found: flags.get(found[1], found[0]), text)
