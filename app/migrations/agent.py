"""The steps that made the agent.

Briefings, tools, conversations, models, escalations, memory, attachments, calendars, metering,
the heartbeat.
"""

from typing import TYPE_CHECKING

from app.migrations.statements import run

if TYPE_CHECKING:
    from sqlite_utils import Database


def m008_briefings(db: "Database") -> None:
    """Make the table of briefings."""
    run(
        db,
        """
        CREATE TABLE briefings (
            id INTEGER PRIMARY KEY AUTOINCREMENT, owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, time_duration TEXT NOT NULL,
            status_summary TEXT NOT NULL, todo_summary TEXT NOT NULL, calendar_summary TEXT NOT NULL, notes_summary TEXT NOT NULL,
            email_summary TEXT NOT NULL, suggestions TEXT NOT NULL, tokens INTEGER NOT NULL, generated_at TEXT NOT NULL) STRICT;
        CREATE INDEX briefings_by_time ON briefings (owner_id, generated_at);
        """,
    )


def m009_tools(db: "Database") -> None:
    """Make the choices of namespaces of tools."""
    run(
        db,
        """
        CREATE TABLE tool_namespaces (
            user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, credential TEXT NOT NULL, namespace TEXT NOT NULL,
            enabled INTEGER NOT NULL, PRIMARY KEY (user_id, credential, namespace)) STRICT, WITHOUT ROWID;
        """,
    )


def m010_conversations(db: "Database") -> None:
    """Make conversations with their messages, and the turns of agents."""
    run(
        db,
        """
        CREATE TABLE conversations (
            id INTEGER PRIMARY KEY AUTOINCREMENT, type TEXT NOT NULL CHECK (type IN ('direct', 'shared_agent', 'group')),
            owner_id INTEGER REFERENCES users ON DELETE CASCADE, title TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL) STRICT;
        CREATE INDEX conversations_by_owner ON conversations (owner_id);
        CREATE TABLE conversation_members (
            conversation_id INTEGER NOT NULL REFERENCES conversations ON DELETE CASCADE, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            read_id INTEGER NOT NULL DEFAULT 0, hidden INTEGER NOT NULL DEFAULT 0, active_at TEXT NOT NULL,
            PRIMARY KEY (conversation_id, user_id)) STRICT, WITHOUT ROWID;
        CREATE INDEX conversation_members_by_user ON conversation_members (user_id, hidden, active_at);
        CREATE TABLE messages (
            id INTEGER PRIMARY KEY AUTOINCREMENT, conversation_id INTEGER NOT NULL REFERENCES conversations ON DELETE CASCADE,
            role TEXT NOT NULL CHECK (role IN ('user', 'assistant')), sender_type TEXT NOT NULL CHECK (sender_type IN ('human', 'agent')),
            sender_id INTEGER REFERENCES users ON DELETE SET NULL, sender_label TEXT NOT NULL, content TEXT NOT NULL,
            client_message_id TEXT, created_at TEXT NOT NULL) STRICT;
        CREATE INDEX messages_by_conversation ON messages (conversation_id);
        CREATE INDEX messages_by_sender ON messages (sender_id) WHERE sender_id IS NOT NULL;
        CREATE VIRTUAL TABLE message_words USING fts5 (
            content, content='', tokenize="porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'");
        CREATE TABLE turns (
            id INTEGER PRIMARY KEY AUTOINCREMENT, conversation_id INTEGER NOT NULL REFERENCES conversations ON DELETE CASCADE,
            user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, credential INTEGER, message_id INTEGER NOT NULL, model TEXT NOT NULL,
            status TEXT NOT NULL CHECK (status IN ('running', 'completed', 'failed', 'interrupted')), prompt_tokens INTEGER NOT NULL DEFAULT 0,
            completion_tokens INTEGER NOT NULL DEFAULT 0, history BLOB, error TEXT, started_at TEXT NOT NULL, ended_at TEXT) STRICT;
        CREATE INDEX turns_by_conversation ON turns (conversation_id);
        CREATE INDEX turns_by_user ON turns (user_id, started_at);
        CREATE INDEX turns_running ON turns (status) WHERE status = 'running';
        CREATE TABLE turn_calls (
            id INTEGER PRIMARY KEY AUTOINCREMENT, turn_id INTEGER NOT NULL REFERENCES turns ON DELETE CASCADE, tool TEXT NOT NULL,
            call_id TEXT NOT NULL, arguments TEXT NOT NULL, outcome TEXT NOT NULL, called_at TEXT NOT NULL) STRICT;
        CREATE INDEX turn_calls_by_turn ON turn_calls (turn_id);
        """,
    )


def m011_models(db: "Database") -> None:
    """Make the language models that the operator has configured, and which of them answers by
    default.
    """
    run(
        db,
        """
        CREATE TABLE models (
            id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL COLLATE NOCASE UNIQUE, provider TEXT NOT NULL, url TEXT NOT NULL,
            model TEXT NOT NULL, key_from TEXT NOT NULL, tools TEXT NOT NULL CHECK (tools IN ('auto', 'all', 'few', 'none')),
            thinking INTEGER NOT NULL, context INTEGER, found TEXT, checked_at TEXT, created_at TEXT NOT NULL) STRICT;
        CREATE TABLE model_default (one INTEGER PRIMARY KEY CHECK (one = 1), name TEXT NOT NULL) STRICT;
        """,
    )


def m012_escalations(db: "Database") -> None:
    """Make what waits for a person, what a person has allowed for longer, the record of what agents
    did, and the switch that stops them.

    The record names users by their number without a foreign key and holds no text of theirs: it
    stays whole when an account is deleted.
    """
    run(
        db,
        """
        CREATE TABLE escalations (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            kind TEXT NOT NULL CHECK (kind IN (
                'tool_call', 'message_send', 'calendar_write', 'runtime_tool_call', 'folder_access', 'owner_question')),
            status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN (
                'pending', 'continued', 'executed', 'failed', 'stopped', 'expired', 'superseded')),
            origin TEXT NOT NULL, requested_by TEXT NOT NULL, credential_kind TEXT NOT NULL, credential INTEGER, credential_name TEXT,
            scopes TEXT NOT NULL, tool TEXT NOT NULL, tool_sha256 TEXT, arguments TEXT NOT NULL, arguments_sha256 TEXT NOT NULL, taint TEXT NOT NULL,
            summary TEXT NOT NULL, reason TEXT NOT NULL, preview_kind TEXT CHECK (preview_kind IN ('diff', 'text')), preview TEXT,
            risk TEXT NOT NULL CHECK (risk IN ('low', 'medium', 'high')), target_kind TEXT, target_id INTEGER, base_revision INTEGER,
            created_at TEXT NOT NULL, expires_at TEXT NOT NULL, decision TEXT CHECK (decision IN ('continue', 'stop')), decided_by TEXT,
            decided_at TEXT, note TEXT, result TEXT, failure TEXT) STRICT;
        CREATE INDEX escalations_by_user ON escalations (user_id, status, id);
        CREATE INDEX escalations_by_id ON escalations (user_id, id);
        CREATE INDEX escalations_due ON escalations (expires_at) WHERE status = 'pending';
        CREATE INDEX escalations_begun ON escalations (status) WHERE status = 'continued';
        CREATE TABLE precedents (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            conversation_id INTEGER REFERENCES conversations ON DELETE CASCADE, tool TEXT NOT NULL, tool_sha256 TEXT, origin TEXT NOT NULL,
            origin_kind TEXT NOT NULL, scope TEXT NOT NULL CHECK (scope IN ('session', 'tool')), session TEXT NOT NULL, taint TEXT NOT NULL,
            created_at TEXT NOT NULL, expires_at TEXT, uses INTEGER NOT NULL DEFAULT 0) STRICT;
        CREATE UNIQUE INDEX precedents_by_call ON precedents (user_id, tool, origin, scope, session, taint);
        CREATE INDEX precedents_by_conversation ON precedents (conversation_id) WHERE conversation_id IS NOT NULL;
        CREATE TABLE audit (
            id INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, user_id INTEGER NOT NULL, actor TEXT NOT NULL, origin TEXT NOT NULL,
            event TEXT NOT NULL, tool TEXT NOT NULL, arguments_sha256 TEXT NOT NULL, outcome TEXT NOT NULL, escalation_id INTEGER,
            taint TEXT NOT NULL, hash BLOB NOT NULL) STRICT;
        CREATE INDEX audit_by_user ON audit (user_id, id);
        CREATE TABLE agent_stops (id INTEGER PRIMARY KEY CHECK (id = 1), stopped_at TEXT NOT NULL, reason TEXT NOT NULL) STRICT;
        ALTER TABLE turns ADD COLUMN taint TEXT NOT NULL DEFAULT '';
        """,
    )
    for change in ("UPDATE", "DELETE"):
        db.conn.execute(
            f"""CREATE TRIGGER audit_refuses_{change.lower()} BEFORE {change} ON audit
                BEGIN SELECT RAISE(ABORT, 'the audit is only ever added to'); END"""
        )


def m013_episodes(db: "Database") -> None:
    """Make the episodes that memory search looks through, with their vectors.

    What has been is brought in in the background.
    """
    run(
        db,
        """
        CREATE TABLE episodes (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            kind TEXT NOT NULL CHECK (kind IN ('conversation', 'briefing', 'heartbeat')), key TEXT NOT NULL,
            conversation_id INTEGER REFERENCES conversations ON DELETE CASCADE, path TEXT NOT NULL, title TEXT NOT NULL, at TEXT NOT NULL,
            version INTEGER NOT NULL DEFAULT 1, text TEXT NOT NULL, UNIQUE (user_id, kind, key)) STRICT;
        CREATE INDEX episodes_by_time ON episodes (user_id, at);
        CREATE INDEX episodes_by_conversation ON episodes (conversation_id) WHERE conversation_id IS NOT NULL;
        CREATE TABLE episode_passages (
            id INTEGER PRIMARY KEY AUTOINCREMENT, episode_id INTEGER NOT NULL REFERENCES episodes ON DELETE CASCADE,
            model_id INTEGER NOT NULL REFERENCES embedding_models, version INTEGER NOT NULL, title TEXT NOT NULL,
            spans BLOB NOT NULL, vectors BLOB NOT NULL, UNIQUE (episode_id, model_id)) STRICT;
        CREATE TABLE episode_owners (owner_id INTEGER PRIMARY KEY) STRICT;
        CREATE TABLE past_episodes (kind TEXT PRIMARY KEY, below INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        INSERT INTO past_episodes (kind, below) SELECT 'conversation', max(id) + 1 FROM turns HAVING count(*) > 0;
        INSERT INTO past_episodes (kind, below) SELECT 'briefing', max(id) + 1 FROM briefings HAVING count(*) > 0;
        CREATE TABLE memory_writes (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            kind TEXT NOT NULL CHECK (kind IN ('daily', 'long_term', 'relationship')), by TEXT NOT NULL, at TEXT NOT NULL) STRICT;
        CREATE INDEX memory_writes_by_time ON memory_writes (user_id, by, at);
        """,
    )


def m014_attachments(db: "Database") -> None:
    """Make attachments, stored in parts, the texts that were read from them, and which of them a
    message has.
    """
    run(
        db,
        """
        CREATE TABLE attachments (
            id INTEGER PRIMARY KEY AUTOINCREMENT, owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, name TEXT NOT NULL,
            media_type TEXT NOT NULL, charset TEXT, size INTEGER NOT NULL, sha256 TEXT NOT NULL, complete INTEGER NOT NULL DEFAULT 0,
            created_at TEXT NOT NULL) STRICT;
        CREATE INDEX attachments_by_owner ON attachments (owner_id, complete, id, size);
        CREATE INDEX attachments_incomplete ON attachments (created_at) WHERE complete = 0;
        CREATE TABLE attachment_parts (
            attachment_id INTEGER NOT NULL REFERENCES attachments ON DELETE CASCADE, number INTEGER NOT NULL, bytes BLOB NOT NULL,
            PRIMARY KEY (attachment_id, number)) STRICT;
        CREATE TABLE attachment_texts (
            attachment_id INTEGER PRIMARY KEY REFERENCES attachments ON DELETE CASCADE, content TEXT NOT NULL, is_cut INTEGER NOT NULL,
            trouble TEXT) STRICT;
        CREATE TABLE message_attachments (
            message_id INTEGER NOT NULL REFERENCES messages ON DELETE CASCADE, place INTEGER NOT NULL,
            attachment_id INTEGER REFERENCES attachments ON DELETE SET NULL, name TEXT NOT NULL, media_type TEXT NOT NULL,
            PRIMARY KEY (message_id, place)) STRICT, WITHOUT ROWID;
        CREATE INDEX message_attachments_by_attachment ON message_attachments (attachment_id) WHERE attachment_id IS NOT NULL;
        """,
    )


def m015_integrations(db: "Database") -> None:
    """Make integrations, and the events of calendars with their recurrences worked out.

    Of each calendar one generation of events counts.
    """
    run(
        db,
        """
        CREATE TABLE integrations (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            kind TEXT NOT NULL CHECK (kind IN ('ics', 'oauth')), name TEXT NOT NULL, name_key TEXT NOT NULL, url TEXT, source BLOB,
            status TEXT NOT NULL CHECK (status IN ('connected', 'needs_reauth', 'disconnected', 'error')), last_error TEXT, etag TEXT,
            generation INTEGER NOT NULL DEFAULT 0, failures INTEGER NOT NULL DEFAULT 0, due_at TEXT, connected_at TEXT,
            created_at TEXT NOT NULL) STRICT;
        CREATE UNIQUE INDEX integrations_by_name ON integrations (user_id, name_key);
        CREATE INDEX integrations_due ON integrations (due_at) WHERE due_at IS NOT NULL;
        CREATE TABLE calendar_events (
            id INTEGER PRIMARY KEY, integration_id INTEGER NOT NULL REFERENCES integrations ON DELETE CASCADE, generation INTEGER NOT NULL,
            starts TEXT NOT NULL, ends TEXT NOT NULL, title TEXT NOT NULL, place TEXT NOT NULL, words TEXT NOT NULL) STRICT;
        CREATE INDEX calendar_events_by_end ON calendar_events (integration_id, generation, ends);
        """,
    )


def m016_metering(db: "Database") -> None:
    """Make caps, the ledger of tokens with its counts, and the devices that were active.

    Every user has the cap of the heartbeat.
    """
    run(
        db,
        """
        CREATE TABLE caps (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            subject TEXT NOT NULL CHECK (subject IN ('account', 'device', 'credential', 'agent', 'heartbeat')), subject_id TEXT NOT NULL DEFAULT '',
            metric TEXT NOT NULL CHECK (metric IN ('tokens', 'devices')), period TEXT NOT NULL CHECK (period IN ('day', 'month')),
            most INTEGER NOT NULL CHECK (most >= 0), warn_percent INTEGER NOT NULL DEFAULT 80, created_at TEXT NOT NULL,
            UNIQUE (user_id, subject, subject_id, metric, period)) STRICT;
        INSERT INTO caps (user_id, subject, metric, period, most, created_at)
            SELECT id, 'heartbeat', 'tokens', 'day', 50000, strftime('%Y-%m-%dT%H:%M:%fZ', 'now') FROM users;
        CREATE TABLE cap_warnings (
            cap_id INTEGER NOT NULL REFERENCES caps ON DELETE CASCADE, subject_id TEXT NOT NULL, period TEXT NOT NULL,
            PRIMARY KEY (cap_id, subject_id)) STRICT, WITHOUT ROWID;
        CREATE TABLE token_uses (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, feature TEXT NOT NULL,
            credential TEXT NOT NULL, device TEXT, agent TEXT, model TEXT NOT NULL, prompt INTEGER NOT NULL, completion INTEGER NOT NULL,
            day TEXT NOT NULL, month TEXT NOT NULL, at TEXT NOT NULL, settled_at TEXT) STRICT;
        CREATE INDEX token_uses_by_time ON token_uses (user_id, at);
        CREATE INDEX token_uses_open ON token_uses (at) WHERE settled_at IS NULL;
        CREATE TABLE token_counts (
            user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, subject TEXT NOT NULL, day TEXT NOT NULL, month TEXT NOT NULL,
            subject_id TEXT NOT NULL, prompt INTEGER NOT NULL, completion INTEGER NOT NULL, reserved INTEGER NOT NULL,
            PRIMARY KEY (user_id, subject, day, month, subject_id)) STRICT, WITHOUT ROWID;
        CREATE TABLE active_devices (
            user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, month TEXT NOT NULL, device_id TEXT NOT NULL,
            first_seen_at TEXT NOT NULL, last_seen_at TEXT NOT NULL, PRIMARY KEY (user_id, month, device_id)) STRICT, WITHOUT ROWID;
        """,
    )


def m017_heartbeat(db: "Database") -> None:
    """Make the schedules of heartbeats, their runs and what each run did."""
    run(
        db,
        """
        CREATE TABLE heartbeats (
            user_id INTEGER PRIMARY KEY REFERENCES users ON DELETE CASCADE, policy TEXT CHECK (policy IN ('MESSAGES', 'ACTIONS')), policy_at TEXT,
            enabled INTEGER NOT NULL DEFAULT 0, every_minutes INTEGER NOT NULL DEFAULT 30, active_start TEXT, active_end TEXT,
            weekdays TEXT NOT NULL DEFAULT '1234567', timezone TEXT, next_run_at TEXT, planned_at TEXT, previous_due_at TEXT,
            woken INTEGER NOT NULL DEFAULT 0, failures INTEGER NOT NULL DEFAULT 0,
            conversation_id INTEGER REFERENCES conversations ON DELETE SET NULL) STRICT;
        CREATE INDEX heartbeats_due ON heartbeats (next_run_at) WHERE enabled = 1;
        CREATE INDEX heartbeats_by_conversation ON heartbeats (conversation_id) WHERE conversation_id IS NOT NULL;
        CREATE TABLE heartbeat_runs (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            policy TEXT NOT NULL, tier TEXT NOT NULL, overridden INTEGER NOT NULL, source_trigger TEXT NOT NULL, dry_run INTEGER NOT NULL,
            status TEXT NOT NULL CHECK (status IN ('running', 'completed', 'failed')), started_at TEXT NOT NULL, ended_at TEXT,
            due_at TEXT, previous_due_at TEXT, next_due_at TEXT, missed INTEGER NOT NULL DEFAULT 0,
            skip_reason TEXT, error TEXT, summary TEXT NOT NULL DEFAULT '', text TEXT NOT NULL DEFAULT '', suppress_reason TEXT,
            items TEXT NOT NULL DEFAULT '[]', agenda TEXT NOT NULL DEFAULT '[]', suppressed TEXT NOT NULL DEFAULT '[]',
            insights TEXT NOT NULL DEFAULT '[]', calls TEXT NOT NULL DEFAULT '[]', tokens INTEGER NOT NULL DEFAULT 0,
            model TEXT NOT NULL DEFAULT 'offline', seen_message INTEGER NOT NULL DEFAULT 0,
            message_id INTEGER, undo_of INTEGER, undone_at TEXT) STRICT;
        CREATE INDEX heartbeat_runs_by_user ON heartbeat_runs (user_id, started_at);
        CREATE UNIQUE INDEX heartbeat_runs_running ON heartbeat_runs (user_id) WHERE status = 'running';
        CREATE TABLE heartbeat_actions (
            id INTEGER PRIMARY KEY AUTOINCREMENT, run_id INTEGER NOT NULL REFERENCES heartbeat_runs ON DELETE CASCADE,
            user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, type TEXT NOT NULL, status TEXT NOT NULL
                CHECK (status IN ('proposed', 'awaiting_approval', 'executed', 'failed', 'undone')),
            title TEXT NOT NULL, payload TEXT NOT NULL, result TEXT, target_kind TEXT, target_id INTEGER, changes TEXT NOT NULL DEFAULT '[]',
            item INTEGER, content_key TEXT, escalation_id INTEGER, created_at TEXT NOT NULL, executed_at TEXT) STRICT;
        CREATE INDEX heartbeat_actions_by_run ON heartbeat_actions (run_id);
        CREATE INDEX heartbeat_actions_by_user ON heartbeat_actions (user_id, created_at);
        CREATE INDEX heartbeat_actions_by_key ON heartbeat_actions (user_id, content_key, created_at) WHERE content_key IS NOT NULL;
        CREATE INDEX heartbeat_actions_by_target ON heartbeat_actions (user_id, target_kind, target_id) WHERE target_id IS NOT NULL;
        """,
    )
