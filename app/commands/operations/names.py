"""Which command an operation is: a noun from its path, a verb from its name.

`GET /os/notes`, `list_notes` is `hearth note list`; a name that would read badly stands in
`EXCEPTIONS`, and what a command of its own does already in `COVERED`.
"""

from app.core.operation import Operation

PREFIXES = ("os", "account", "network", "metering", "tools")
"""First segments of paths that are no things."""
NOUNS = {
    "": "workspace",
    "grants": "app",
    "mcp": "mcp-server",
    "namespaces": "tool",
    "escalations": "escalation",
    "contacts": "contact",
    "requests": "request",
    "share": "share-link",
    "local-agent": "runtime",
    "local-realtime": "runtime",
    "raw-memory": "raw-memory",
    "managed-agents": "agent",
    "folders": "folder",
    "settings": "account",
    "status": "workspace",
    "precedents": "precedent",
    "search": "note",
}
"""The noun of a path's first thing, where it is not simply its singular."""
VERBS = {"create": "add", "upload": "add", "read": "show", "get": "show", "change": "edit"}
"""The verbs of commands, where operations have others."""
IMPLIED = ("list", "show")
"""Verbs that are left out where a word says what is listed or shown."""
WHOLE = ("runtime", "raw-memory")
"""Nouns for programs rather than people, whose commands are called as their operations."""
EXCEPTIONS = {
    "init": "workspace init",
    "identity": "account identity",
    "read_settings": "account show",
    "change_settings": "account edit",
    "accumulate": "note write-files",
    "get_note_content": "note show",
    "summarize_notes": "note summary",
    "related_notes": "note related",
    "undo_replace": "note undo-replace",
    "replace_in_notes": "note replace",
    "find_by_name": "workspace find",
    "briefing_strategies": "briefing strategies",
    "briefing_matrix": "briefing matrix",
    "search_todos": "todo list",
    "briefing": "briefing make",
    "read_heartbeat_run": "heartbeat show-run",
    "list_precedents": "precedent list",
    "delete_precedent": "precedent delete",
    "request_contact": "contact request",
    "connect_by_link": "contact connect",
    "answer_request": "request answer",
    "mark_read": "conversation mark-read",
    "send_message": "message send",
    "read_whole_network": "network show",
    "read_network": "network links",
    "list_guest_conversations": "guest conversations",
    "read_guest_conversation": "guest show",
    "list_guest_messages": "guest messages",
    "sync_guest_messages": "guest sync-messages",
    "reply_to_guest": "guest reply",
    "read_version": "snapshot show-version",
    "start_import": "import-job start",
    "import_job": "import-job show",
    "cancel_import": "import-job cancel",
    "export_workspace": "export-job start",
    "export_job": "export-job show",
    "download_export": "export-job download",
    "cancel_export": "export-job cancel",
    "raw_memory_usage": "raw-memory usage",
    "read_invoice": "invoice show",
    "simulate_invoice": "invoice simulate",
    "memory_search": "memory search",
}
COVERED = {
    "os_index": "routes",
    "openapi": "openapi",
    "list_keys": "key list",
    "create_key": "key create",
    "revoke_key": "key revoke",
    "list_grants": "app list",
    "revoke_grant": "app remove",
    "read_usage": "usage",
    "list_caps": "cap list",
    "create_cap": "cap set",
    "change_cap": "cap set",
    "delete_cap": "cap remove",
    "explain": "explain",
    "chat": "chat",
    "list_models": "model list",
    "search_status": "search status",
    "list_escalations": "escalation list",
    "read_escalation": "escalation show",
    "list_mcp_servers": "mcp-server list",
    "add_mcp_server": "mcp-server add",
    "get_mcp_server": "mcp-server show",
    "refresh_mcp_server": "mcp-server test",
    "remove_mcp_server": "mcp-server remove",
    "authorize_mcp_server": "mcp-server login",
    "list_managed_agents": "agent list",
    "read_managed_agent": "agent show",
    "create_managed_agent": "agent add",
    "change_managed_agent": "agent edit",
    "delete_managed_agent": "agent delete",
    "list_agent_keys": "agent key list",
    "create_agent_key": "agent key create",
    "revoke_agent_key": "agent key revoke",
    "chat_with_agent": "agent ask",
    "list_webhooks": "webhook list",
    "add_webhook": "webhook add",
    "get_webhook": "webhook show",
    "remove_webhook": "webhook remove",
    "rotate_webhook_secret": "webhook rotate",
    "test_webhook": "webhook test",
    "list_webhook_deliveries": "webhook deliveries",
    "retry_webhook_delivery": "webhook retry",
    "decide_escalation": "escalation continue",
    "stream_events": "bridge run",
}
"""The commands that do what an operation does."""


def command_of(operation: Operation[..., object]) -> str | None:
    """Return the noun and the verb of an operation's command; None where another command does it,
    or where it is for tools or the program itself.
    """
    if not operation.path or operation.name in COVERED:
        return None
    return EXCEPTIONS.get(operation.name) or " ".join(_noun_and_verb(operation))


def kind_before(path: str, name: str) -> str | None:
    """Return what kind of thing a name in a path stands for: `/os/notes/{id}` has a note."""
    before, found, _ = path.partition("{" + name + "}")
    segments = [part for part in before.split("/") if part and not part.startswith("{")]
    if not found or not segments:
        return None
    return "note" if name == "noteId" else NOUNS.get(segments[-1], singular(segments[-1]))


def singular(word: str) -> str:
    """Return the singular of an English plural, as regular as those of the paths are."""
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _noun_and_verb(operation: Operation[..., object]) -> tuple[str, str]:
    segments = [part for part in operation.path.split("/") if part and not part.startswith("{")]
    if segments[0] in PREFIXES and len(segments) > 1:
        segments = segments[1:]
    noun = NOUNS.get(segments[0], singular(segments[0]))
    if noun in WHOLE:
        return noun, operation.name.replace("_", "-")
    head, *words = operation.name.split("_")
    spoken = {*noun.split("-"), "from", "to"}
    rest = [word for word in words if word not in spoken and singular(word) not in spoken]
    verb = VERBS.get(head, head)
    if rest and verb in IMPLIED:
        return noun, "-".join(rest)
    return noun, "-".join([verb, *rest])
