"""The feature modules whose operations make up the service."""

from app.account import caps, contacts, grants, invoices, keys, usage, users
from app.agent import briefing, calendar_search, chat, conversations, matrix, memory, strategies
from app.core.operation import Catalog
from app.interfaces import openapi
from app.network import contacts as network_contacts
from app.network import groups, handshake, messages, rpc
from app.tools import audit, deciding, escalations, integrations, namespaces, note_tools, precedents, stop, toolbox, web
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
        usage,
        invoices,
        caps,
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
        precedents,
        escalations,
        deciding,
        audit,
        stop,
        chat,
        conversations,
        memory,
        messages,
        groups,
        rpc,
        handshake,
        network_contacts,
    ]
)
