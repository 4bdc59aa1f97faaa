"""The feature modules whose operations make up the service."""

from app.account import contacts, grants, keys, users
from app.agent import briefing, chat, conversations, matrix, models, strategies
from app.core.operation import Catalog
from app.interfaces import openapi
from app.tools import namespaces, note_tools, toolbox
from app.workspace import (
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
        briefing,
        strategies,
        matrix,
        toolbox,
        namespaces,
        note_tools,
        chat,
        models,
        conversations,
    ]
)
