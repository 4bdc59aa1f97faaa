"""The feature modules whose operations make up the service."""

from app.account import contacts, grants, keys, users
from app.agent import briefing, calendar_search, chat, conversations, matrix, strategies
from app.core.operation import Catalog
from app.interfaces import openapi
from app.tools import integrations, namespaces, note_tools, toolbox, web
from app.workspace import (
    attachments,
    bulk,
    find,
    folder_shares,
    folders,
    grep,
    home,
    links,
    note_lists,
    note_places,
    note_summaries,
    notes,
    related,
    replace,
    search,
    search_status,
    snapshots,
    todos,
    trash,
)

CATALOG = Catalog(
    [
        home,
        users,
        keys,
        grants,
        contacts,
        openapi,
        bulk,
        folders,
        folder_shares,
        note_lists,
        notes,
        note_places,
        note_summaries,
        search,
        find,
        related,
        search_status,
        grep,
        replace,
        links,
        snapshots,
        todos,
        trash,
        attachments,
        briefing,
        calendar_search,
        strategies,
        matrix,
        toolbox,
        namespaces,
        integrations,
        note_tools,
        web,
        chat,
        conversations,
    ]
)
