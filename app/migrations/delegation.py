"""The steps that made delegation: grants, messages, approvals and tasks between runtimes."""

from typing import TYPE_CHECKING

from app.migrations.statements import run

if TYPE_CHECKING:
    from sqlite_utils import Database


def m036_delegation(db: "Database") -> None:
    """Make the grants and offers between runtimes, the messages under them with what was
    acknowledged, what runtimes were allowed, and the tasks that were handed over.

    Endpoints and sessions are named without a foreign key: a grant names where it was frozen to
    for as long as it is kept.
    """
    _make_messages(db)
    _make_tasks(db)


def _make_messages(db: "Database") -> None:
    """Make the grants and offers, and the messages with what was acknowledged."""
    run(
        db,
        """
        CREATE TABLE target_offers (
            id TEXT PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, endpoint TEXT NOT NULL, session TEXT NOT NULL,
            audience_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, created_at TEXT NOT NULL, expires_at TEXT NOT NULL,
            revoked_at TEXT) STRICT, WITHOUT ROWID;
        CREATE INDEX target_offers_by_user ON target_offers (user_id);
        CREATE INDEX target_offers_by_audience ON target_offers (audience_id);
        CREATE INDEX target_offers_by_end ON target_offers (expires_at);
        CREATE TABLE runtime_grants (
            number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
            requester_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, requester_device TEXT NOT NULL, reply_endpoint TEXT NOT NULL,
            reply_session TEXT NOT NULL, recipient_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            target_kind TEXT NOT NULL CHECK (target_kind IN ('person_default_runtime', 'runtime_session')), offer_id TEXT,
            frozen_endpoint TEXT, frozen_session TEXT,
            status TEXT NOT NULL CHECK (status IN ('pending', 'active', 'declined', 'revoked', 'expired')),
            ttl_minutes INTEGER NOT NULL, sequence INTEGER NOT NULL DEFAULT 0, requested_at TEXT NOT NULL, request_expires_at TEXT NOT NULL,
            activated_at TEXT, grant_expires_at TEXT, revoked_at TEXT, ends_at TEXT NOT NULL) STRICT;
        CREATE INDEX runtime_grants_by_requester ON runtime_grants (requester_id, number);
        CREATE INDEX runtime_grants_by_recipient ON runtime_grants (recipient_id, number);
        CREATE INDEX runtime_grants_open ON runtime_grants (ends_at) WHERE status IN ('pending', 'active');
        CREATE INDEX runtime_grants_ended ON runtime_grants (ends_at) WHERE status NOT IN ('pending', 'active');
        CREATE UNIQUE INDEX runtime_grants_frozen ON runtime_grants (frozen_session) WHERE status = 'active';
        CREATE TABLE runtime_messages (
            number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, delivery_id TEXT NOT NULL UNIQUE,
            grant_id TEXT NOT NULL REFERENCES runtime_grants (id) ON DELETE CASCADE, sequence INTEGER NOT NULL,
            sender_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, sender_device TEXT NOT NULL,
            recipient_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, endpoint TEXT NOT NULL, session TEXT NOT NULL,
            target_kind TEXT NOT NULL, client_message_id TEXT NOT NULL, body_sha256 TEXT NOT NULL,
            kind TEXT NOT NULL CHECK (kind IN ('text', 'task_invite', 'resource_request')), payload TEXT NOT NULL, reply_to TEXT,
            correlation_id TEXT, collaboration_id TEXT, turn TEXT,
            status TEXT NOT NULL CHECK (status IN ('queued', 'dispatched', 'device_acked', 'runtime_pending', 'runtime_acked', 'handled',
                'replied', 'rejected', 'failed', 'expired', 'revoked')),
            handed_over INTEGER NOT NULL DEFAULT 0, failures INTEGER NOT NULL DEFAULT 0, due_at TEXT, queued_at TEXT NOT NULL,
            dispatched_at TEXT, device_acked_at TEXT, runtime_pending_at TEXT, runtime_acked_at TEXT, terminal_at TEXT, result_code TEXT,
            runtime_ack_id TEXT, adapter_label TEXT, expires_at TEXT NOT NULL) STRICT;
        CREATE UNIQUE INDEX runtime_messages_by_sender ON runtime_messages (sender_id, client_message_id);
        CREATE UNIQUE INDEX runtime_messages_by_grant ON runtime_messages (grant_id, sequence);
        CREATE INDEX runtime_messages_by_recipient ON runtime_messages (recipient_id);
        CREATE INDEX runtime_messages_waiting ON runtime_messages (session, number) WHERE status = 'queued' AND handed_over = 0;
        CREATE INDEX runtime_messages_due ON runtime_messages (due_at) WHERE status = 'queued' AND handed_over = 0 AND due_at IS NOT NULL;
        CREATE INDEX runtime_messages_open ON runtime_messages (endpoint)
            WHERE status IN ('queued', 'dispatched', 'device_acked', 'runtime_pending');
        CREATE TABLE runtime_attempts (
            id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT NOT NULL REFERENCES runtime_messages (id) ON DELETE CASCADE,
            attempt_id TEXT NOT NULL, phase TEXT NOT NULL CHECK (phase IN ('device_ack', 'runtime_pending', 'runtime_ack', 'runtime_failed')),
            result_code TEXT, retryable INTEGER NOT NULL CHECK (retryable IN (0, 1)), runtime_ack_id TEXT, created_at TEXT NOT NULL,
            UNIQUE (message_id, attempt_id, phase)) STRICT;
        """,
    )


def _make_tasks(db: "Database") -> None:
    """Make what runtimes were allowed, and the tasks that were handed over."""
    run(
        db,
        """
        CREATE TABLE runtime_approvals (
            id TEXT PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            grant_id TEXT NOT NULL REFERENCES runtime_grants (id) ON DELETE CASCADE, endpoint TEXT NOT NULL, session TEXT NOT NULL,
            tool TEXT NOT NULL, escalation_id INTEGER REFERENCES escalations ON DELETE SET NULL,
            status TEXT NOT NULL CHECK (status IN ('pending', 'allowed', 'denied', 'expired', 'revoked', 'auto_allow')),
            scope TEXT CHECK (scope IN ('once', 'session')), created_at TEXT NOT NULL, expires_at TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE INDEX runtime_approvals_by_user ON runtime_approvals (user_id);
        CREATE INDEX runtime_approvals_by_grant ON runtime_approvals (grant_id);
        CREATE INDEX runtime_approvals_by_escalation ON runtime_approvals (escalation_id) WHERE escalation_id IS NOT NULL;
        CREATE TABLE trusted_tool_policies (
            id TEXT PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            peer_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, revision INTEGER NOT NULL,
            preset TEXT NOT NULL CHECK (preset IN ('chat-only', 'read-project', 'edit-project')), folder TEXT,
            scope TEXT NOT NULL CHECK (scope IN ('bridge_run', 'persistent')), tools TEXT NOT NULL,
            status TEXT NOT NULL CHECK (status IN ('pending_ack', 'active', 'revoked')), endpoint TEXT, bridge_run TEXT,
            used_through INTEGER NOT NULL DEFAULT 0, last_used_at TEXT, created_at TEXT NOT NULL, revoked_at TEXT) STRICT, WITHOUT ROWID;
        CREATE INDEX trusted_tool_policies_by_user ON trusted_tool_policies (user_id, peer_id);
        CREATE INDEX trusted_tool_policies_by_peer ON trusted_tool_policies (peer_id);
        CREATE TABLE runtime_delegations (
            number INTEGER PRIMARY KEY AUTOINCREMENT, collaboration_id TEXT NOT NULL UNIQUE,
            user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, peer_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            client_message_id TEXT NOT NULL, body_sha256 TEXT NOT NULL, target_kind TEXT NOT NULL, offer_id TEXT, task TEXT NOT NULL,
            context TEXT, endpoint TEXT NOT NULL, session TEXT NOT NULL, correlation_id TEXT, ttl_minutes INTEGER NOT NULL,
            grant_id TEXT REFERENCES runtime_grants (id) ON DELETE SET NULL, approval_id TEXT, escalation_id INTEGER, message_id TEXT,
            status TEXT NOT NULL CHECK (status IN ('collaboration_requested', 'grant_requested', 'folder_access_requested', 'delegated',
                'completed', 'ended')),
            refusal TEXT, created_at TEXT NOT NULL, expires_at TEXT NOT NULL) STRICT;
        CREATE UNIQUE INDEX runtime_delegations_by_client ON runtime_delegations (user_id, client_message_id);
        CREATE INDEX runtime_delegations_by_peer ON runtime_delegations (peer_id);
        CREATE INDEX runtime_delegations_by_grant ON runtime_delegations (grant_id) WHERE grant_id IS NOT NULL;
        CREATE INDEX runtime_delegations_waiting ON runtime_delegations (expires_at) WHERE status = 'collaboration_requested';
        """,
    )
