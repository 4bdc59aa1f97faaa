"""The commands as the help lists them, by what a person comes for."""

from collections.abc import Mapping

SECTIONS: Mapping[str, str] = {
    "Every day": "add today find ask chat edit inbox log status open login",
    "Your things": "note folder todo snapshot trash attachment briefing memory account workspace",
    "People": "contact request message conversation group share-link guest network team",
    "Agents": "agent heartbeat escalation precedent tool mcp-server model models explain audit",
    "Other programs": "connect mcp app key webhook integration device delegation bridge vault",
    "Usage": "usage cap invoice",
    "The server": "serve service init user settings backup restore doctor storage search migrate",
    "In and out": "import export import-job export-job",
    "For programs": "api routes openapi runtime raw-memory",
    "Help": "help completion",
}
"""Names of commands under each heading; what stands under none comes last, under “Others”."""
NOUNS: Mapping[str, str] = {
    "account": "Show and change your settings.",
    "attachment": "Keep files, and get them back.",
    "briefing": "Make and read briefings.",
    "contact": "Manage contacts and what they may do.",
    "conversation": "List and read conversations.",
    "export-job": "Manage exports that the server makes.",
    "folder": "Manage and share folders.",
    "group": "Manage groups of contacts.",
    "guest": "Read and answer what guests wrote.",
    "heartbeat": "Manage what the agent does by itself.",
    "import-job": "Manage imports that the server makes.",
    "integration": "Connect calendars.",
    "invoice": "Show what a month costs.",
    "memory": "Search what was said and done before.",
    "message": "Send messages to people and agents.",
    "network": "Show whom you are connected with.",
    "note": "Write, read, find and change notes.",
    "precedent": "Manage what agents may do without asking again.",
    "raw-memory": "Operations of `hearth vault`, one by one.",
    "request": "Answer requests to become a contact.",
    "runtime": "Operations of `hearth bridge`, one by one.",
    "share-link": "Make links for guests.",
    "snapshot": "Save, compare and restore versions of a note.",
    "team": "Manage your team.",
    "todo": "Add, list, change and complete todos.",
    "tool": "List and call tools.",
    "trash": "Restore or purge what was deleted.",
    "workspace": "Show what the workspace holds.",
}
"""What the commands of a noun are for that are all made from operations."""
