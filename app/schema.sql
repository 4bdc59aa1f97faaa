-- The schema as the migrations make it; generated, see scripts/docs.py.

CREATE TABLE users (
    id INTEGER PRIMARY KEY AUTOINCREMENT, uuid TEXT NOT NULL UNIQUE, username TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
    settings TEXT NOT NULL DEFAULT '{}', created_at TEXT NOT NULL) STRICT;
CREATE TABLE keys (
    id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, name TEXT NOT NULL,
    digest BLOB NOT NULL UNIQUE, prefix TEXT NOT NULL, last4 TEXT NOT NULL, scopes TEXT NOT NULL,
    created_at TEXT NOT NULL, last_used_at TEXT, expires_at TEXT, revoked_at TEXT,
    old_digest BLOB UNIQUE, old_expires_at TEXT, made_by INTEGER, secret_at TEXT, agent_id INTEGER REFERENCES managed_agents ON DELETE CASCADE) STRICT;
CREATE INDEX keys_by_user ON keys (user_id);
CREATE TABLE contacts (
    user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, contact_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    connected_at TEXT NOT NULL, friend INTEGER NOT NULL DEFAULT 1 CHECK (friend IN (0, 1)), PRIMARY KEY (user_id, contact_id)) STRICT, WITHOUT ROWID;
CREATE INDEX contacts_by_contact ON contacts (contact_id);
CREATE TABLE oauth_grants (
    id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, client_id TEXT NOT NULL,
    client_name TEXT NOT NULL, scopes TEXT NOT NULL, created_at TEXT NOT NULL, last_used_at TEXT, revoked_at TEXT, expires_at TEXT, subject TEXT, code_digest BLOB) STRICT;
CREATE INDEX oauth_grants_by_user ON oauth_grants (user_id);
CREATE TABLE idempotent_replies (
    user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, operation TEXT NOT NULL, key TEXT NOT NULL, fingerprint TEXT NOT NULL,
    status INTEGER, body BLOB, expires_at TEXT NOT NULL, PRIMARY KEY (user_id, operation, key)) STRICT, WITHOUT ROWID;
CREATE INDEX idempotent_replies_by_expiry ON idempotent_replies (expires_at);
CREATE TABLE workspaces (
    owner_id INTEGER PRIMARY KEY REFERENCES users ON DELETE CASCADE, note_count INTEGER NOT NULL DEFAULT 0,
    root_count INTEGER NOT NULL DEFAULT 0, total_bytes INTEGER NOT NULL DEFAULT 0, changed_at TEXT NOT NULL) STRICT;
CREATE TABLE trash (
    id INTEGER PRIMARY KEY AUTOINCREMENT, owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('note', 'todo', 'folder')), item_id INTEGER NOT NULL, title TEXT NOT NULL, path TEXT NOT NULL,
    trashed_at TEXT NOT NULL, trashed_by TEXT NOT NULL, by_user INTEGER, UNIQUE (kind, item_id)) STRICT;
CREATE INDEX trash_by_owner ON trash (owner_id, id);
CREATE TABLE folders (
    id INTEGER PRIMARY KEY AUTOINCREMENT, owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    parent_id INTEGER REFERENCES folders, name TEXT NOT NULL, name_key TEXT NOT NULL, icon TEXT,
    note_count INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL, trash_id INTEGER REFERENCES trash) STRICT;
CREATE UNIQUE INDEX folders_by_name ON folders (owner_id, ifnull(parent_id, 0), name_key) WHERE trash_id IS NULL;
CREATE INDEX folders_by_parent ON folders (parent_id);
CREATE INDEX folders_by_trash ON folders (trash_id) WHERE trash_id IS NOT NULL;
CREATE TABLE folder_shares (
    folder_id INTEGER NOT NULL REFERENCES folders ON DELETE CASCADE, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    role TEXT NOT NULL CHECK (role IN ('viewer', 'writer', 'editor', 'admin')), created_at TEXT NOT NULL,
    PRIMARY KEY (folder_id, user_id)) STRICT, WITHOUT ROWID;
CREATE INDEX folder_shares_by_user ON folder_shares (user_id);
CREATE TABLE notes (
    id INTEGER PRIMARY KEY AUTOINCREMENT, owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    folder_id INTEGER REFERENCES folders, title TEXT NOT NULL, tags TEXT NOT NULL, pinned INTEGER NOT NULL DEFAULT 0,
    word_count INTEGER NOT NULL, size INTEGER NOT NULL, revision INTEGER NOT NULL DEFAULT 1, version INTEGER NOT NULL DEFAULT 1,
    snapshot_seq INTEGER NOT NULL DEFAULT 0, snapshot_count INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL, trash_id INTEGER REFERENCES trash, content TEXT NOT NULL) STRICT;
CREATE INDEX notes_by_update ON notes (owner_id, folder_id, pinned, updated_at) WHERE trash_id IS NULL;
CREATE INDEX notes_by_creation ON notes (owner_id, folder_id, pinned, created_at) WHERE trash_id IS NULL;
CREATE INDEX notes_by_title ON notes (owner_id, folder_id, pinned, title COLLATE NOCASE) WHERE trash_id IS NULL;
CREATE INDEX notes_by_owner ON notes (owner_id, pinned, updated_at) WHERE trash_id IS NULL;
CREATE INDEX notes_by_folder ON notes (folder_id) WHERE trash_id IS NOT NULL;
CREATE INDEX notes_by_trash ON notes (trash_id) WHERE trash_id IS NOT NULL;
CREATE TABLE note_tags (
    owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, tag_key TEXT NOT NULL,
    note_id INTEGER NOT NULL, PRIMARY KEY (owner_id, tag_key, note_id)) STRICT, WITHOUT ROWID;
CREATE TABLE waiting_words (note_id INTEGER PRIMARY KEY) STRICT;
CREATE TABLE snapshots (
    id INTEGER PRIMARY KEY AUTOINCREMENT, note_id INTEGER NOT NULL REFERENCES notes ON DELETE CASCADE, seq INTEGER NOT NULL,
    label TEXT, title TEXT NOT NULL, message TEXT, author TEXT NOT NULL, word_count INTEGER NOT NULL, automatic INTEGER NOT NULL,
    created_at TEXT NOT NULL, content TEXT NOT NULL, UNIQUE (note_id, seq)) STRICT;
CREATE TABLE todo_lists (
    owner_id INTEGER PRIMARY KEY REFERENCES users ON DELETE CASCADE, open_count INTEGER NOT NULL DEFAULT 0,
    completed_count INTEGER NOT NULL DEFAULT 0, revision INTEGER NOT NULL DEFAULT 0, zone TEXT) STRICT;
CREATE TABLE todos (
    id INTEGER PRIMARY KEY AUTOINCREMENT, owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, title TEXT NOT NULL,
    description TEXT, completed INTEGER NOT NULL DEFAULT 0, completed_at TEXT, priority INTEGER NOT NULL, due_date TEXT,
    deadline TEXT NOT NULL, steps TEXT NOT NULL, last_step INTEGER NOT NULL, recurrence TEXT, wall TEXT, next_id INTEGER,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL, trash_id INTEGER REFERENCES trash, words TEXT NOT NULL) STRICT;
CREATE INDEX todos_by_deadline ON todos (owner_id, completed, deadline, priority DESC, id) WHERE trash_id IS NULL;
CREATE INDEX todos_by_trash ON todos (trash_id) WHERE trash_id IS NOT NULL;
CREATE TABLE word_owners (owner_id INTEGER PRIMARY KEY REFERENCES users ON DELETE CASCADE) STRICT;
CREATE TABLE word_index (id INTEGER PRIMARY KEY CHECK (id = 1), format INTEGER NOT NULL, stale_to INTEGER NOT NULL) STRICT;
CREATE VIRTUAL TABLE note_grams USING fts5 (content, content='', columnsize=0, detail=none, tokenize='trigram case_sensitive 0');
CREATE TABLE waiting_grams (note_id INTEGER PRIMARY KEY, large INTEGER NOT NULL, indexed TEXT) STRICT;
CREATE INDEX waiting_grams_due ON waiting_grams (note_id) WHERE large = 0 OR indexed IS NOT NULL;
CREATE TABLE replacements (
    id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, created_at TEXT NOT NULL) STRICT;
CREATE INDEX replacements_by_user ON replacements (user_id);
CREATE TABLE replaced_notes (
    replacement_id INTEGER NOT NULL REFERENCES replacements ON DELETE CASCADE, note_id INTEGER NOT NULL REFERENCES notes ON DELETE CASCADE,
    version INTEGER NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (replacement_id, note_id)) STRICT, WITHOUT ROWID;
CREATE INDEX replaced_notes_by_note ON replaced_notes (note_id);
CREATE TABLE embedding_models (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, dimension INTEGER NOT NULL,
    complete INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL, UNIQUE (name, dimension)) STRICT;
CREATE TABLE note_passages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, note_id INTEGER NOT NULL REFERENCES notes ON DELETE CASCADE,
    model_id INTEGER NOT NULL REFERENCES embedding_models, version INTEGER NOT NULL, title TEXT NOT NULL,
    spans BLOB NOT NULL, vectors BLOB NOT NULL, UNIQUE (note_id, model_id)) STRICT;
CREATE TABLE unread_links (id INTEGER PRIMARY KEY CHECK (id = 1), read INTEGER NOT NULL, last INTEGER NOT NULL) STRICT;
CREATE VIRTUAL TABLE name_index USING fts5 (tokens, content='', detail=none, columnsize=0, prefix='7 8 9', tokenize='ascii');
CREATE TABLE name_words (
    owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, number INTEGER NOT NULL, letters INTEGER NOT NULL, word TEXT NOT NULL,
    PRIMARY KEY (owner_id, number)) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX name_words_by_word ON name_words (owner_id, word);
CREATE TABLE name_letters (
    owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, block INTEGER NOT NULL, bits BLOB NOT NULL,
    PRIMARY KEY (owner_id, block)) STRICT, WITHOUT ROWID;
CREATE TABLE tag_names (
    id INTEGER PRIMARY KEY, owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, tag_key TEXT NOT NULL, name TEXT NOT NULL,
    UNIQUE (owner_id, tag_key)) STRICT;
CREATE INDEX tag_names_by_owner ON tag_names (owner_id);
CREATE TABLE name_progress (kind TEXT PRIMARY KEY, number INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX todos_by_update ON todos (owner_id, updated_at) WHERE trash_id IS NULL;
CREATE TABLE briefings (
    id INTEGER PRIMARY KEY AUTOINCREMENT, owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, time_duration TEXT NOT NULL,
    status_summary TEXT NOT NULL, todo_summary TEXT NOT NULL, calendar_summary TEXT NOT NULL, notes_summary TEXT NOT NULL,
    email_summary TEXT NOT NULL, suggestions TEXT NOT NULL, tokens INTEGER NOT NULL, generated_at TEXT NOT NULL) STRICT;
CREATE INDEX briefings_by_time ON briefings (owner_id, generated_at);
CREATE TABLE tool_namespaces (
    user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, credential TEXT NOT NULL, namespace TEXT NOT NULL,
    enabled INTEGER NOT NULL, PRIMARY KEY (user_id, credential, namespace)) STRICT, WITHOUT ROWID;
CREATE TABLE conversations (
    id INTEGER PRIMARY KEY AUTOINCREMENT, type TEXT NOT NULL CHECK (type IN ('direct', 'shared_agent', 'group')),
    owner_id INTEGER REFERENCES users ON DELETE CASCADE, title TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, agent_id INTEGER REFERENCES managed_agents ON DELETE SET NULL) STRICT;
CREATE INDEX conversations_by_owner ON conversations (owner_id);
CREATE TABLE conversation_members (
    conversation_id INTEGER NOT NULL REFERENCES conversations ON DELETE CASCADE, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    read_id INTEGER NOT NULL DEFAULT 0, hidden INTEGER NOT NULL DEFAULT 0, active_at TEXT NOT NULL, since_id INTEGER NOT NULL DEFAULT 0, place INTEGER NOT NULL DEFAULT 0, joined_at TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (conversation_id, user_id)) STRICT, WITHOUT ROWID;
CREATE INDEX conversation_members_by_user ON conversation_members (user_id, hidden, active_at);
CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, conversation_id INTEGER NOT NULL REFERENCES conversations ON DELETE CASCADE,
    role TEXT NOT NULL CHECK (role IN ('user', 'assistant')), sender_type TEXT NOT NULL CHECK (sender_type IN ('human', 'agent')),
    sender_id INTEGER REFERENCES users ON DELETE SET NULL, sender_label TEXT NOT NULL, content TEXT NOT NULL,
    client_message_id TEXT, created_at TEXT NOT NULL, agent_id INTEGER REFERENCES managed_agents ON DELETE SET NULL) STRICT;
CREATE INDEX messages_by_conversation ON messages (conversation_id);
CREATE INDEX messages_by_sender ON messages (sender_id) WHERE sender_id IS NOT NULL;
CREATE VIRTUAL TABLE message_words USING fts5 (
    content, content='', tokenize="porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'");
CREATE TABLE turns (
    id INTEGER PRIMARY KEY AUTOINCREMENT, conversation_id INTEGER NOT NULL REFERENCES conversations ON DELETE CASCADE,
    user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, credential INTEGER, message_id INTEGER NOT NULL, model TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('running', 'completed', 'failed', 'interrupted')), prompt_tokens INTEGER NOT NULL DEFAULT 0,
    completion_tokens INTEGER NOT NULL DEFAULT 0, history BLOB, error TEXT, started_at TEXT NOT NULL, ended_at TEXT, taint TEXT NOT NULL DEFAULT '') STRICT;
CREATE INDEX turns_by_conversation ON turns (conversation_id);
CREATE INDEX turns_by_user ON turns (user_id, started_at);
CREATE INDEX turns_running ON turns (status) WHERE status = 'running';
CREATE TABLE turn_calls (
    id INTEGER PRIMARY KEY AUTOINCREMENT, turn_id INTEGER NOT NULL REFERENCES turns ON DELETE CASCADE, tool TEXT NOT NULL,
    call_id TEXT NOT NULL, arguments TEXT NOT NULL, outcome TEXT NOT NULL, called_at TEXT NOT NULL) STRICT;
CREATE INDEX turn_calls_by_turn ON turn_calls (turn_id);
CREATE TABLE models (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL COLLATE NOCASE UNIQUE, provider TEXT NOT NULL, url TEXT NOT NULL,
    model TEXT NOT NULL, key_from TEXT NOT NULL, tools TEXT NOT NULL CHECK (tools IN ('auto', 'all', 'few', 'none')),
    thinking INTEGER NOT NULL, context INTEGER, found TEXT, checked_at TEXT, created_at TEXT NOT NULL) STRICT;
CREATE TABLE model_default (one INTEGER PRIMARY KEY CHECK (one = 1), name TEXT NOT NULL) STRICT;
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
CREATE TRIGGER audit_refuses_update BEFORE UPDATE ON audit
    BEGIN SELECT RAISE(ABORT, 'the audit is only ever added to'); END;
CREATE TRIGGER audit_refuses_delete BEFORE DELETE ON audit
    BEGIN SELECT RAISE(ABORT, 'the audit is only ever added to'); END;
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
CREATE TABLE memory_writes (
    id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('daily', 'long_term', 'relationship')), by TEXT NOT NULL, at TEXT NOT NULL) STRICT;
CREATE INDEX memory_writes_by_time ON memory_writes (user_id, by, at);
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
CREATE TABLE caps (
    id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    subject TEXT NOT NULL CHECK (subject IN ('account', 'device', 'credential', 'agent', 'heartbeat')), subject_id TEXT NOT NULL DEFAULT '',
    metric TEXT NOT NULL CHECK (metric IN ('tokens', 'devices')), period TEXT NOT NULL CHECK (period IN ('day', 'month')),
    most INTEGER NOT NULL CHECK (most >= 0), warn_percent INTEGER NOT NULL DEFAULT 80, created_at TEXT NOT NULL,
    UNIQUE (user_id, subject, subject_id, metric, period)) STRICT;
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
CREATE TABLE contact_requests (
    id INTEGER PRIMARY KEY AUTOINCREMENT, from_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    to_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, type TEXT NOT NULL CHECK (type IN ('agent', 'friend')), note TEXT,
    status TEXT NOT NULL CHECK (status IN ('pending', 'accepted', 'rejected', 'cancelled', 'expired')), created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL, decided_at TEXT) STRICT;
CREATE UNIQUE INDEX contact_requests_pending ON contact_requests (from_id, to_id, type) WHERE status = 'pending';
CREATE INDEX contact_requests_incoming ON contact_requests (to_id) WHERE status = 'pending';
CREATE INDEX contact_requests_by_sender ON contact_requests (from_id);
CREATE INDEX contact_requests_by_recipient ON contact_requests (to_id);
CREATE TABLE contact_grants (
    id INTEGER PRIMARY KEY AUTOINCREMENT, owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    holder_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, permissions TEXT NOT NULL, note_id INTEGER,
    revision INTEGER NOT NULL DEFAULT 1, expires_at TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, link_id INTEGER,
    UNIQUE (owner_id, holder_id)) STRICT;
CREATE INDEX contact_grants_by_holder ON contact_grants (holder_id);
CREATE UNIQUE INDEX messages_by_client ON messages (conversation_id, sender_id, client_message_id) WHERE client_message_id IS NOT NULL;
CREATE TABLE threads (
    kind TEXT NOT NULL CHECK (kind IN ('direct', 'shared_agent', 'own_agent')),
    user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, other_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    conversation_id INTEGER NOT NULL UNIQUE REFERENCES conversations ON DELETE CASCADE,
    PRIMARY KEY (kind, user_id, other_id)) STRICT, WITHOUT ROWID;
CREATE INDEX threads_by_user ON threads (user_id);
CREATE INDEX threads_by_other ON threads (other_id);
CREATE TABLE waiting_messages (
    message_id INTEGER PRIMARY KEY REFERENCES messages ON DELETE CASCADE, owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    asker_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, reason TEXT NOT NULL CHECK (reason IN ('budget_spent', 'paused')),
    next_at TEXT NOT NULL, turn_id INTEGER) STRICT;
CREATE INDEX waiting_messages_due ON waiting_messages (next_at, message_id) WHERE turn_id IS NULL;
CREATE INDEX waiting_messages_claimed ON waiting_messages (turn_id) WHERE turn_id IS NOT NULL;
CREATE INDEX waiting_messages_by_owner ON waiting_messages (owner_id, asker_id);
CREATE INDEX waiting_messages_by_asker ON waiting_messages (asker_id);
CREATE TABLE unremembered_messages (message_id INTEGER PRIMARY KEY REFERENCES messages ON DELETE CASCADE) STRICT;
CREATE TABLE share_links (
    id INTEGER PRIMARY KEY AUTOINCREMENT, owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, token TEXT NOT NULL UNIQUE,
    label TEXT NOT NULL, target TEXT NOT NULL CHECK (target IN ('agent', 'note')),
    answered_by TEXT NOT NULL CHECK (answered_by IN ('agent', 'local')), require_sign_in INTEGER NOT NULL CHECK (require_sign_in IN (0, 1)),
    note_id INTEGER, terms TEXT NOT NULL, policy_note_id INTEGER, created_at TEXT NOT NULL, expires_at TEXT, revoked_at TEXT, told_expiry TEXT) STRICT;
CREATE INDEX share_links_by_owner ON share_links (owner_id);
CREATE INDEX share_links_kept ON share_links (owner_id) WHERE revoked_at IS NULL;
CREATE TABLE guest_sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT, link_id INTEGER NOT NULL REFERENCES share_links ON DELETE CASCADE,
    owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, uuid TEXT NOT NULL UNIQUE, key_digest BLOB NOT NULL UNIQUE,
    conversation_id INTEGER NOT NULL UNIQUE REFERENCES conversations ON DELETE CASCADE,
    guest_id INTEGER REFERENCES users ON DELETE SET NULL, guest_name TEXT, fingerprint TEXT NOT NULL, asked INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL, active_at TEXT NOT NULL) STRICT;
CREATE INDEX guest_sessions_by_link ON guest_sessions (link_id, active_at);
CREATE INDEX guest_sessions_by_visitor ON guest_sessions (link_id, fingerprint, asked);
CREATE INDEX guest_sessions_by_beginning ON guest_sessions (link_id, created_at);
CREATE INDEX guest_sessions_by_owner ON guest_sessions (owner_id, active_at);
CREATE INDEX guest_sessions_by_guest ON guest_sessions (guest_id) WHERE guest_id IS NOT NULL;
CREATE TABLE guest_decisions (
    owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, client_event_id TEXT NOT NULL, decision TEXT NOT NULL,
    created_at TEXT NOT NULL, PRIMARY KEY (owner_id, client_event_id)) STRICT, WITHOUT ROWID;
CREATE TABLE web_sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, digest BLOB NOT NULL UNIQUE,
    key_digest BLOB, created_at TEXT NOT NULL, expires_at TEXT NOT NULL) STRICT;
CREATE INDEX web_sessions_by_user ON web_sessions (user_id, expires_at);
CREATE INDEX web_sessions_by_end ON web_sessions (expires_at);
CREATE TABLE sign_in_codes (
    digest BLOB PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, expires_at TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX sign_in_codes_by_user ON sign_in_codes (user_id);
CREATE TABLE teams (
    id INTEGER PRIMARY KEY AUTOINCREMENT, owner_id INTEGER NOT NULL UNIQUE REFERENCES users ON DELETE CASCADE, name TEXT NOT NULL,
    created_at TEXT NOT NULL) STRICT;
CREATE TABLE team_members (
    user_id INTEGER PRIMARY KEY REFERENCES users ON DELETE CASCADE, team_id INTEGER NOT NULL REFERENCES teams ON DELETE CASCADE,
    role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member')), joined_at TEXT NOT NULL) STRICT;
CREATE INDEX team_members_by_team ON team_members (team_id);
CREATE TABLE team_invites (
    id INTEGER PRIMARY KEY AUTOINCREMENT, team_id INTEGER NOT NULL REFERENCES teams ON DELETE CASCADE, digest BLOB NOT NULL UNIQUE,
    email TEXT, role TEXT NOT NULL CHECK (role IN ('admin', 'member')),
    status TEXT NOT NULL CHECK (status IN ('pending', 'accepted', 'revoked')),
    invited_by INTEGER REFERENCES users ON DELETE SET NULL, created_at TEXT NOT NULL, expires_at TEXT NOT NULL) STRICT;
CREATE INDEX team_invites_pending ON team_invites (team_id) WHERE status = 'pending';
CREATE INDEX team_invites_by_team ON team_invites (team_id);
CREATE INDEX team_invites_by_inviter ON team_invites (invited_by);
CREATE TABLE imported_items (
    user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, source TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('note', 'file', 'todo', 'conversation')), key TEXT NOT NULL, row_id INTEGER NOT NULL,
    digest BLOB NOT NULL, mark TEXT, rest INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (user_id, source, kind, key)) STRICT, WITHOUT ROWID;
CREATE INDEX imported_items_by_row ON imported_items (user_id, source, kind, row_id);
CREATE INDEX imported_items_unfinished ON imported_items (user_id, source) WHERE rest > 0;
CREATE TABLE transfers (
    id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('import', 'export')), name TEXT NOT NULL, status TEXT NOT NULL
    CHECK (status IN ('running', 'completed', 'failed', 'cancelled')), scopes TEXT NOT NULL, result TEXT, error TEXT,
    started_at TEXT NOT NULL, ended_at TEXT) STRICT;
CREATE INDEX transfers_by_user ON transfers (user_id, kind, id);
CREATE TABLE clock_steps (id INTEGER PRIMARY KEY AUTOINCREMENT, was TEXT NOT NULL, became TEXT NOT NULL) STRICT;
CREATE INDEX trash_by_user ON trash (by_user) WHERE by_user IS NOT NULL;
CREATE INDEX contact_grants_by_link ON contact_grants (link_id) WHERE link_id IS NOT NULL;
CREATE UNIQUE INDEX oauth_grants_by_code ON oauth_grants (code_digest) WHERE code_digest IS NOT NULL;
CREATE TABLE oauth_clients (
    id INTEGER PRIMARY KEY AUTOINCREMENT, client_id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, redirect_uris TEXT NOT NULL,
    method TEXT NOT NULL CHECK (method IN ('none', 'client_secret_basic', 'client_secret_post')), secret_digest BLOB,
    created_at TEXT NOT NULL, approved_at TEXT, fresh_until TEXT) STRICT;
CREATE INDEX oauth_clients_unapproved ON oauth_clients (created_at) WHERE approved_at IS NULL;
CREATE TABLE oauth_codes (
    request_digest BLOB PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, client_id TEXT NOT NULL,
    redirect_uri TEXT NOT NULL, scopes TEXT NOT NULL, challenge TEXT NOT NULL, nonce TEXT, signed_in_at TEXT NOT NULL,
    code_digest BLOB UNIQUE, answered_at TEXT NOT NULL, expires_at TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX oauth_codes_by_answer ON oauth_codes (answered_at);
CREATE INDEX oauth_codes_by_user ON oauth_codes (user_id);
CREATE TABLE oauth_tokens (
    digest BLOB PRIMARY KEY, grant_id INTEGER NOT NULL REFERENCES oauth_grants ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('access', 'refresh')), scopes TEXT NOT NULL, expires_at TEXT NOT NULL, used_at TEXT)
    STRICT, WITHOUT ROWID;
CREATE INDEX oauth_tokens_by_grant ON oauth_tokens (grant_id);
CREATE INDEX oauth_tokens_by_end ON oauth_tokens (expires_at);
CREATE TABLE mcp_servers (
    id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    name TEXT NOT NULL, name_key TEXT NOT NULL, namespace TEXT NOT NULL,
    transport TEXT NOT NULL CHECK (transport IN ('http', 'stdio')), url TEXT NOT NULL, config BLOB NOT NULL, login BLOB,
    generation INTEGER NOT NULL DEFAULT 0, listed INTEGER NOT NULL DEFAULT 0, trusted INTEGER NOT NULL DEFAULT 0,
    status TEXT NOT NULL CHECK (status IN ('connected', 'needs_reauth', 'disconnected', 'error')), last_error TEXT,
    created_at TEXT NOT NULL, last_connected_at TEXT, challenge TEXT, UNIQUE (user_id, name_key), UNIQUE (user_id, namespace)) STRICT;
CREATE TABLE mcp_tools (
    server_id INTEGER NOT NULL REFERENCES mcp_servers ON DELETE CASCADE, name TEXT NOT NULL, position INTEGER NOT NULL,
    definition TEXT, seen TEXT, PRIMARY KEY (server_id, name)) STRICT, WITHOUT ROWID;
CREATE TABLE device_tokens (
    id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, device_id TEXT NOT NULL,
    used_for TEXT NOT NULL, name TEXT NOT NULL, scopes TEXT NOT NULL, digest BLOB UNIQUE, created_at TEXT NOT NULL,
    last_used_at TEXT, revoked_at TEXT, UNIQUE (user_id, device_id, used_for)) STRICT;
CREATE TABLE device_codes (
    poll_digest BLOB PRIMARY KEY, code_digest BLOB NOT NULL UNIQUE, device_id TEXT NOT NULL, runtime TEXT NOT NULL,
    bridge_version TEXT NOT NULL, adapter_version TEXT NOT NULL, capabilities TEXT NOT NULL, label TEXT,
    status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'denied', 'consumed')),
    user_id INTEGER REFERENCES users ON DELETE CASCADE, created_at TEXT NOT NULL, expires_at TEXT NOT NULL)
    STRICT, WITHOUT ROWID;
CREATE INDEX device_codes_by_end ON device_codes (expires_at);
CREATE INDEX device_codes_by_user ON device_codes (user_id) WHERE user_id IS NOT NULL;
CREATE TABLE runtime_endpoints (
    endpoint_id TEXT PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, device_id TEXT NOT NULL,
    runtime TEXT NOT NULL CHECK (runtime IN ('claude-code', 'codex')), bridge_version TEXT NOT NULL,
    adapter_version TEXT NOT NULL, capabilities TEXT NOT NULL, created_at TEXT NOT NULL, last_seen_at TEXT NOT NULL,
    removed_at TEXT, UNIQUE (user_id, device_id, runtime)) STRICT, WITHOUT ROWID;
CREATE TABLE runtime_sessions (
    session_handle TEXT PRIMARY KEY, endpoint_id TEXT NOT NULL REFERENCES runtime_endpoints ON DELETE CASCADE,
    user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, label TEXT NOT NULL, workspace_boundary TEXT,
    state TEXT NOT NULL CHECK (state IN ('idle', 'busy', 'closed')), delivery_mode TEXT NOT NULL, capabilities TEXT NOT NULL,
    allow_inbound INTEGER NOT NULL CHECK (allow_inbound IN (0, 1)),
    allow_mid_turn_steer INTEGER NOT NULL CHECK (allow_mid_turn_steer IN (0, 1)), created_at TEXT NOT NULL,
    last_active_at TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX runtime_sessions_by_endpoint ON runtime_sessions (endpoint_id, state);
CREATE INDEX runtime_sessions_by_user ON runtime_sessions (user_id);
CREATE TABLE default_routes (
    user_id INTEGER PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    endpoint_id TEXT NOT NULL REFERENCES runtime_endpoints ON DELETE CASCADE,
    session_handle TEXT NOT NULL REFERENCES runtime_sessions ON DELETE CASCADE, updated_at TEXT NOT NULL) STRICT;
CREATE INDEX default_routes_by_endpoint ON default_routes (endpoint_id);
CREATE INDEX default_routes_by_session ON default_routes (session_handle);
CREATE TABLE runtime_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT, endpoint_id TEXT NOT NULL REFERENCES runtime_endpoints ON DELETE CASCADE,
    type TEXT NOT NULL, data TEXT NOT NULL, created_at TEXT NOT NULL, delivery_id TEXT, expires_at TEXT, sent_at TEXT,
    acked_at TEXT) STRICT;
CREATE INDEX runtime_events_by_endpoint ON runtime_events (endpoint_id, id);
CREATE INDEX runtime_events_by_age ON runtime_events (created_at);
CREATE INDEX runtime_events_open ON runtime_events (endpoint_id, id) WHERE delivery_id IS NOT NULL AND acked_at IS NULL;
CREATE INDEX runtime_events_by_delivery ON runtime_events (delivery_id) WHERE delivery_id IS NOT NULL;
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
CREATE INDEX runtime_messages_by_answered ON runtime_messages (reply_to) WHERE reply_to IS NOT NULL;
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
CREATE TABLE managed_agents (
    id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, uuid TEXT NOT NULL UNIQUE,
    handle TEXT NOT NULL, name TEXT NOT NULL, description TEXT NOT NULL, persona TEXT NOT NULL, model TEXT,
    namespaces TEXT NOT NULL, permissions TEXT NOT NULL,
    visibility TEXT NOT NULL CHECK (visibility IN ('private', 'contacts', 'anyone')), reply_tokens INTEGER,
    status TEXT NOT NULL CHECK (status IN ('active', 'paused', 'deleted')), created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    last_active_at TEXT, deleted_at TEXT, wake_minutes INTEGER, wake_task TEXT, next_wake_at TEXT) STRICT;
CREATE INDEX managed_agents_by_user ON managed_agents (user_id);
CREATE UNIQUE INDEX managed_agents_by_handle ON managed_agents (handle) WHERE status <> 'deleted';
CREATE INDEX managed_agents_freed ON managed_agents (handle) WHERE status = 'deleted';
CREATE INDEX managed_agents_due ON managed_agents (next_wake_at) WHERE next_wake_at IS NOT NULL;
CREATE TABLE freed_names (name TEXT PRIMARY KEY, freed_at TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX keys_by_agent ON keys (agent_id) WHERE agent_id IS NOT NULL;
CREATE INDEX conversations_by_agent ON conversations (agent_id) WHERE agent_id IS NOT NULL;
CREATE INDEX messages_by_agent ON messages (agent_id, created_at) WHERE agent_id IS NOT NULL;
CREATE TABLE agent_threads (
    agent_id INTEGER NOT NULL REFERENCES managed_agents ON DELETE CASCADE,
    user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, from_agent INTEGER NOT NULL DEFAULT 0,
    conversation_id INTEGER NOT NULL UNIQUE REFERENCES conversations ON DELETE CASCADE,
    PRIMARY KEY (agent_id, user_id, from_agent)) STRICT, WITHOUT ROWID;
CREATE INDEX agent_threads_by_user ON agent_threads (user_id);
CREATE TABLE webhooks (
    id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    url TEXT NOT NULL, description TEXT NOT NULL, events TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('active', 'paused', 'disabled')),
    disabled_reason TEXT CHECK (disabled_reason IN ('gone', 'failing')),
    failures INTEGER NOT NULL DEFAULT 0, failing_since TEXT, last_success_at TEXT, last_failure_at TEXT,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL) STRICT;
CREATE INDEX webhooks_by_user ON webhooks (user_id);
CREATE TABLE webhook_secrets (
    id INTEGER PRIMARY KEY AUTOINCREMENT, webhook_id INTEGER NOT NULL REFERENCES webhooks ON DELETE CASCADE,
    secret BLOB NOT NULL, ends_at TEXT) STRICT;
CREATE INDEX webhook_secrets_by_webhook ON webhook_secrets (webhook_id);
CREATE TABLE webhook_deliveries (
    id INTEGER PRIMARY KEY AUTOINCREMENT, webhook_id INTEGER NOT NULL REFERENCES webhooks ON DELETE CASCADE,
    event_id TEXT NOT NULL, type TEXT NOT NULL, body TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'succeeded', 'failed', 'cancelled')),
    attempts TEXT NOT NULL DEFAULT '[]', tries INTEGER NOT NULL DEFAULT 0, next_attempt_at TEXT,
    created_at TEXT NOT NULL) STRICT;
CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id);
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (webhook_id, next_attempt_at) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (created_at);
CREATE INDEX share_links_ending ON share_links (expires_at) WHERE revoked_at IS NULL AND expires_at IS NOT told_expiry;
CREATE TABLE raw_devices (
    id INTEGER PRIMARY KEY AUTOINCREMENT, owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    device_id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, public_key BLOB NOT NULL, signing_key BLOB NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'active', 'revoked')), created_at TEXT NOT NULL,
    last_seen_at TEXT, revoked_at TEXT) STRICT;
CREATE INDEX raw_devices_by_owner ON raw_devices (owner_id, id);
CREATE TABLE raw_enrolments (
    enrolment_id TEXT PRIMARY KEY, poll_digest BLOB NOT NULL UNIQUE, name TEXT NOT NULL, public_key BLOB NOT NULL,
    signing_key BLOB NOT NULL, status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'denied', 'consumed')),
    decided_by INTEGER REFERENCES users ON DELETE CASCADE, device INTEGER REFERENCES raw_devices ON DELETE SET NULL,
    created_at TEXT NOT NULL, expires_at TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX raw_enrolments_by_end ON raw_enrolments (expires_at);
CREATE INDEX raw_enrolments_by_user ON raw_enrolments (decided_by) WHERE decided_by IS NOT NULL;
CREATE INDEX raw_enrolments_by_device ON raw_enrolments (device) WHERE device IS NOT NULL;
CREATE TABLE raw_key_sets (
    owner_id INTEGER PRIMARY KEY REFERENCES users ON DELETE CASCADE, generation INTEGER NOT NULL,
    account_key_id TEXT NOT NULL, recovery_salt TEXT, recovery_key BLOB, recovery_at TEXT) STRICT;
CREATE TABLE raw_previous_keys (
    owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, position INTEGER NOT NULL,
    account_key_id TEXT NOT NULL, wrapped_key BLOB NOT NULL, PRIMARY KEY (owner_id, position),
    UNIQUE (owner_id, account_key_id)) STRICT, WITHOUT ROWID;
CREATE TABLE raw_key_wraps (
    device INTEGER PRIMARY KEY REFERENCES raw_devices ON DELETE CASCADE,
    owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, enc BLOB NOT NULL, ciphertext BLOB NOT NULL,
    created_at TEXT NOT NULL) STRICT;
CREATE INDEX raw_key_wraps_by_owner ON raw_key_wraps (owner_id);
CREATE TABLE raw_records (
    id INTEGER PRIMARY KEY AUTOINCREMENT, owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    record_id TEXT NOT NULL COLLATE NOCASE, state TEXT NOT NULL CHECK (state IN ('arriving', 'kept', 'deleted')),
    device_id TEXT NOT NULL, session_ref TEXT NOT NULL, sequence INTEGER NOT NULL, created_at TEXT NOT NULL,
    nonce BLOB NOT NULL, account_key_id TEXT NOT NULL, wrapped_key BLOB NOT NULL, signature BLOB NOT NULL,
    size INTEGER NOT NULL, sha256 TEXT NOT NULL, received_at TEXT NOT NULL) STRICT;
CREATE UNIQUE INDEX raw_records_by_name ON raw_records (owner_id, record_id);
CREATE INDEX raw_records_held ON raw_records (owner_id, size) WHERE state <> 'deleted';
CREATE INDEX raw_records_kept ON raw_records (owner_id, id) WHERE state = 'kept';
CREATE INDEX raw_records_by_session ON raw_records (owner_id, session_ref, id) WHERE state = 'kept';
CREATE INDEX raw_records_by_device ON raw_records (owner_id, device_id, id) WHERE state = 'kept';
CREATE INDEX raw_records_arriving ON raw_records (received_at) WHERE state = 'arriving';
CREATE TABLE raw_record_parts (
    record INTEGER NOT NULL REFERENCES raw_records ON DELETE CASCADE, number INTEGER NOT NULL, bytes BLOB NOT NULL,
    PRIMARY KEY (record, number)) STRICT;
CREATE TABLE note_links (
    note_id INTEGER NOT NULL, kind TEXT NOT NULL CHECK (kind IN ('wiki', 'note', 'tag', 'alias')), target TEXT NOT NULL, path TEXT NOT NULL,
    owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, PRIMARY KEY (note_id, kind, target, path)) STRICT, WITHOUT ROWID;
CREATE INDEX note_links_by_target ON note_links (owner_id, kind, target, note_id);
