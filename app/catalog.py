"""The feature modules whose operations make up the service."""

from app.account import contacts, grants, keys, users
from app.agent import chat, conversations
from app.core.operation import Catalog
from app.interfaces import openapi
from app.tools import namespaces, note_tools, toolbox
from app.workspace import bulk, folder_shares, folders, grep, home, note_lists, note_places, notes, search, snapshots, todos, trash

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
        search,
        grep,
        snapshots,
        todos,
        trash,
        toolbox,
        namespaces,
        note_tools,
        chat,
        conversations,
    ]
)
