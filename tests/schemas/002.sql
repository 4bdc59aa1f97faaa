PRAGMA auto_vacuum=INCREMENTAL;
BEGIN;
CREATE TABLE "_sqlite_migrations" (
   "id" INTEGER PRIMARY KEY,
   "migration_set" TEXT,
   "name" TEXT,
   "applied_at" TEXT
);
INSERT INTO "_sqlite_migrations" ("id", "migration_set", "name", "applied_at") VALUES (1, 'hearth', 'm001_accounts', '2026-11-21 17:39:16.333132+00:00');
INSERT INTO "_sqlite_migrations" ("id", "migration_set", "name", "applied_at") VALUES (2, 'hearth', 'm002_workspace', '2026-11-21 17:39:16.338909+00:00');
CREATE TABLE users (
            id INTEGER PRIMARY KEY AUTOINCREMENT, uuid TEXT NOT NULL UNIQUE, username TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
            settings TEXT NOT NULL DEFAULT '{}', created_at TEXT NOT NULL) STRICT;
INSERT INTO "users" ("id", "uuid", "username", "name", "settings", "created_at") VALUES (1, '553172a4-c0c4-4535-bb93-72c5568179f7', 'ann', 'ann', '{"agent_name":null,"email":null,"timezone":"Europe/Berlin","locale":"en","replan_per_day":5,"default_model":null,"inbox_from":"anyone","escalation_ttl_hours":72,"trash_days":30,"snapshot_keep":500}', '2026-11-21T17:39:16.352Z');
INSERT INTO "users" ("id", "uuid", "username", "name", "settings", "created_at") VALUES (2, '4ae882c5-b375-4de8-8fb5-082eb8cd83eb', 'ben', 'ben', '{}', '2026-11-21T17:39:16.354Z');
CREATE TABLE keys (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, name TEXT NOT NULL,
            digest BLOB NOT NULL UNIQUE, prefix TEXT NOT NULL, last4 TEXT NOT NULL, scopes TEXT NOT NULL,
            created_at TEXT NOT NULL, last_used_at TEXT, expires_at TEXT, revoked_at TEXT,
            old_digest BLOB UNIQUE, old_expires_at TEXT) STRICT;
INSERT INTO "keys" ("id", "user_id", "name", "digest", "prefix", "last4", "scopes", "created_at", "last_used_at", "expires_at", "revoked_at", "old_digest", "old_expires_at") VALUES (1, 1, 'laptop', X'D38C659D655F66EA5D15F4B94995D843AEAE2A6CF90601826A9E60D104531A62', 'hearth_sk_', '3cO2', '["*"]', '2026-11-21T17:39:16.360Z', '2026-11-21T17:39:16.363Z', NULL, NULL, NULL, NULL);
INSERT INTO "keys" ("id", "user_id", "name", "digest", "prefix", "last4", "scopes", "created_at", "last_used_at", "expires_at", "revoked_at", "old_digest", "old_expires_at") VALUES (2, 2, 'laptop', X'8AF6D4F50C407FB63C3467CF5392F90DD669A3826381CD3F54F228D58284D5BE', 'hearth_sk_', 'crFd', '["*"]', '2026-11-21T17:39:16.362Z', '2026-11-21T17:39:16.366Z', NULL, NULL, NULL, NULL);
CREATE TABLE contacts (
            user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, contact_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            connected_at TEXT NOT NULL, PRIMARY KEY (user_id, contact_id)) STRICT, WITHOUT ROWID;
CREATE TABLE oauth_grants (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, client_id TEXT NOT NULL,
            client_name TEXT NOT NULL, scopes TEXT NOT NULL, created_at TEXT NOT NULL, last_used_at TEXT, revoked_at TEXT) STRICT;
CREATE TABLE idempotent_replies (
            user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, operation TEXT NOT NULL, key TEXT NOT NULL, fingerprint TEXT NOT NULL,
            status INTEGER, body BLOB, expires_at TEXT NOT NULL, PRIMARY KEY (user_id, operation, key)) STRICT, WITHOUT ROWID;
CREATE TABLE workspaces (
            owner_id INTEGER PRIMARY KEY REFERENCES users ON DELETE CASCADE, note_count INTEGER NOT NULL DEFAULT 0,
            root_count INTEGER NOT NULL DEFAULT 0, total_bytes INTEGER NOT NULL DEFAULT 0, changed_at TEXT NOT NULL) STRICT;
INSERT INTO "workspaces" ("owner_id", "note_count", "root_count", "total_bytes", "changed_at") VALUES (1, 4, 0, 122, '2026-11-21T17:39:16.405Z');
INSERT INTO "workspaces" ("owner_id", "note_count", "root_count", "total_bytes", "changed_at") VALUES (2, 1, 1, 13, '2026-11-21T17:39:16.440Z');
CREATE TABLE trash (
            id INTEGER PRIMARY KEY AUTOINCREMENT, owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            kind TEXT NOT NULL CHECK (kind IN ('note', 'todo', 'folder')), item_id INTEGER NOT NULL, title TEXT NOT NULL, path TEXT NOT NULL,
            trashed_at TEXT NOT NULL, trashed_by TEXT NOT NULL, UNIQUE (kind, item_id)) STRICT;
INSERT INTO "trash" ("id", "owner_id", "kind", "item_id", "title", "path", "trashed_at", "trashed_by") VALUES (1, 1, 'note', 5, 'Gone', '', '2026-11-21T17:39:16.405Z', '{"kind":"key","id":"1","name":"laptop"}');
CREATE TABLE folders (
            id INTEGER PRIMARY KEY AUTOINCREMENT, owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            parent_id INTEGER REFERENCES folders, name TEXT NOT NULL, name_key TEXT NOT NULL, icon TEXT,
            note_count INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL, trash_id INTEGER REFERENCES trash) STRICT;
INSERT INTO "folders" ("id", "owner_id", "parent_id", "name", "name_key", "icon", "note_count", "created_at", "trash_id") VALUES (1, 1, NULL, 'General', 'general', NULL, 0, '2026-11-21T17:39:16.363Z', NULL);
INSERT INTO "folders" ("id", "owner_id", "parent_id", "name", "name_key", "icon", "note_count", "created_at", "trash_id") VALUES (2, 2, NULL, 'General', 'general', NULL, 0, '2026-11-21T17:39:16.366Z', NULL);
INSERT INTO "folders" ("id", "owner_id", "parent_id", "name", "name_key", "icon", "note_count", "created_at", "trash_id") VALUES (3, 1, NULL, 'Garden', 'garden', NULL, 2, '2026-11-21T17:39:16.374Z', NULL);
INSERT INTO "folders" ("id", "owner_id", "parent_id", "name", "name_key", "icon", "note_count", "created_at", "trash_id") VALUES (4, 1, 3, 'Spring', 'spring', NULL, 1, '2026-11-21T17:39:16.374Z', NULL);
INSERT INTO "folders" ("id", "owner_id", "parent_id", "name", "name_key", "icon", "note_count", "created_at", "trash_id") VALUES (5, 1, NULL, '日本', '日本', NULL, 1, '2026-11-21T17:39:16.374Z', NULL);
CREATE TABLE folder_shares (
            folder_id INTEGER NOT NULL REFERENCES folders ON DELETE CASCADE, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            role TEXT NOT NULL CHECK (role IN ('viewer', 'writer', 'editor', 'admin')), created_at TEXT NOT NULL,
            PRIMARY KEY (folder_id, user_id)) STRICT, WITHOUT ROWID;
CREATE TABLE notes (
            id INTEGER PRIMARY KEY AUTOINCREMENT, owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            folder_id INTEGER REFERENCES folders, title TEXT NOT NULL, tags TEXT NOT NULL, pinned INTEGER NOT NULL DEFAULT 0,
            word_count INTEGER NOT NULL, size INTEGER NOT NULL, revision INTEGER NOT NULL DEFAULT 1, version INTEGER NOT NULL DEFAULT 1,
            snapshot_seq INTEGER NOT NULL DEFAULT 0, snapshot_count INTEGER NOT NULL DEFAULT 0,
            created_at TEXT NOT NULL, updated_at TEXT NOT NULL, trash_id INTEGER REFERENCES trash, content TEXT NOT NULL) STRICT;
INSERT INTO "notes" ("id", "owner_id", "folder_id", "title", "tags", "pinned", "word_count", "size", "revision", "version", "snapshot_seq", "snapshot_count", "created_at", "updated_at", "trash_id", "content") VALUES (1, 1, 4, 'Tomatoes.md', '[]', 0, 7, 46, 2, 2, 2, 2, '2026-11-21T17:39:16.374Z', '2026-11-21T17:39:16.403Z', NULL, '# Tomatoes

Sow in April. See [[Frost dates]].');
INSERT INTO "notes" ("id", "owner_id", "folder_id", "title", "tags", "pinned", "word_count", "size", "revision", "version", "snapshot_seq", "snapshot_count", "created_at", "updated_at", "trash_id", "content") VALUES (2, 1, 3, 'Tools.md', '[]', 0, 7, 31, 1, 1, 0, 0, '2026-11-21T17:39:16.374Z', '2026-11-21T17:39:16.374Z', NULL, 'The rake is in the shed. #tools');
INSERT INTO "notes" ("id", "owner_id", "folder_id", "title", "tags", "pinned", "word_count", "size", "revision", "version", "snapshot_seq", "snapshot_count", "created_at", "updated_at", "trash_id", "content") VALUES (3, 1, 5, '京都.md', '[]', 0, 7, 26, 1, 1, 0, 0, '2026-11-21T17:39:16.374Z', '2026-11-21T17:39:16.374Z', NULL, '東京都と京都 🦊 é');
INSERT INTO "notes" ("id", "owner_id", "folder_id", "title", "tags", "pinned", "word_count", "size", "revision", "version", "snapshot_seq", "snapshot_count", "created_at", "updated_at", "trash_id", "content") VALUES (4, 1, 3, 'Frost dates', '["weather"]', 0, 4, 19, 1, 1, 0, 0, '2026-11-21T17:39:16.385Z', '2026-11-21T17:39:16.385Z', NULL, 'Last frost: 12 May.');
INSERT INTO "notes" ("id", "owner_id", "folder_id", "title", "tags", "pinned", "word_count", "size", "revision", "version", "snapshot_seq", "snapshot_count", "created_at", "updated_at", "trash_id", "content") VALUES (5, 1, NULL, 'Gone', '[]', 0, 3, 12, 1, 1, 0, 0, '2026-11-21T17:39:16.387Z', '2026-11-21T17:39:16.387Z', 1, 'in the trash');
INSERT INTO "notes" ("id", "owner_id", "folder_id", "title", "tags", "pinned", "word_count", "size", "revision", "version", "snapshot_seq", "snapshot_count", "created_at", "updated_at", "trash_id", "content") VALUES (6, 2, NULL, 'Of Ben', '[]', 0, 3, 13, 1, 1, 0, 0, '2026-11-21T17:39:16.440Z', '2026-11-21T17:39:16.440Z', NULL, 'his own words');
CREATE TABLE note_tags (
            owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, tag_key TEXT NOT NULL,
            note_id INTEGER NOT NULL, PRIMARY KEY (owner_id, tag_key, note_id)) STRICT, WITHOUT ROWID;
INSERT INTO "note_tags" ("owner_id", "tag_key", "note_id") VALUES (1, 'weather', 4);
CREATE TABLE 'note_words_data'(id INTEGER PRIMARY KEY, block BLOB);
INSERT INTO "note_words_data" ("id", "block") VALUES (1, X'060B011B');
INSERT INTO "note_words_data" ("id", "block") VALUES (10, X'000000030101000001010101');
INSERT INTO "note_words_data" ("id", "block") VALUES (137438953473, X'000001480330313204060102040105617072696C0106010205010362656E06020301046461746501060102080302030101650306010204010566726F737401060102070308020102030104676F6E650502020102686906060102020102696E010601020401060102050306010202020173020601020401046C617374040601020201036D6169040601020502016401020301020301020301026F660602020202776E0606010203010472616B650206010203010373656501060102060203686564020601020702026F7701060102030103746865020801020206030601020302056F6D61746F01080201020203026F6C0208020102080204726173680506010204010777656174686572040601010202036F726406060102040106E4BAACE983BD0302020112E69DB1E4BAACE983BDE381A8E4BAACE983BD03060102020104F09FA68A030601020304090C080E0812090913080B0A0C07090B0A0A09100D0A0B0E0A0B19');
CREATE TABLE 'note_words_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
INSERT INTO "note_words_idx" ("segid", "term", "pgno") VALUES (1, X'', 2);
CREATE TABLE 'note_words_docsize'(id INTEGER PRIMARY KEY, sz BLOB);
INSERT INTO "note_words_docsize" ("id", "sz") VALUES (1, X'020007');
INSERT INTO "note_words_docsize" ("id", "sz") VALUES (2, X'020007');
INSERT INTO "note_words_docsize" ("id", "sz") VALUES (3, X'020003');
INSERT INTO "note_words_docsize" ("id", "sz") VALUES (4, X'020104');
INSERT INTO "note_words_docsize" ("id", "sz") VALUES (5, X'010003');
INSERT INTO "note_words_docsize" ("id", "sz") VALUES (6, X'020003');
CREATE TABLE 'note_words_config'(k PRIMARY KEY, v) WITHOUT ROWID;
INSERT INTO "note_words_config" ("k", "v") VALUES ('automerge', 0);
INSERT INTO "note_words_config" ("k", "v") VALUES ('crisismerge', 64);
INSERT INTO "note_words_config" ("k", "v") VALUES ('rank', 'bm25(4.0, 3.0, 1.0)');
INSERT INTO "note_words_config" ("k", "v") VALUES ('version', 4);
CREATE TABLE waiting_words (note_id INTEGER PRIMARY KEY) STRICT;
CREATE TABLE snapshots (
            id INTEGER PRIMARY KEY AUTOINCREMENT, note_id INTEGER NOT NULL REFERENCES notes ON DELETE CASCADE, seq INTEGER NOT NULL,
            label TEXT, title TEXT NOT NULL, message TEXT, author TEXT NOT NULL, word_count INTEGER NOT NULL, automatic INTEGER NOT NULL,
            created_at TEXT NOT NULL, content TEXT NOT NULL, UNIQUE (note_id, seq)) STRICT;
INSERT INTO "snapshots" ("id", "note_id", "seq", "label", "title", "message", "author", "word_count", "automatic", "created_at", "content") VALUES (1, 1, 1, 'before', 'Tomatoes.md', NULL, '{"kind":"key","id":"1","name":"laptop"}', 10, 0, '2026-11-21T17:39:16.394Z', '# Tomatoes

Sow indoors in *March*. See [[Frost dates]].

- Black Krim');
INSERT INTO "snapshots" ("id", "note_id", "seq", "label", "title", "message", "author", "word_count", "automatic", "created_at", "content") VALUES (2, 1, 2, 'auto: before edit', 'Tomatoes.md', NULL, '{"kind":"key","id":"1","name":"laptop"}', 10, 1, '2026-11-21T17:39:16.403Z', '# Tomatoes

Sow indoors in *March*. See [[Frost dates]].

- Black Krim');
CREATE TABLE todo_lists (
            owner_id INTEGER PRIMARY KEY REFERENCES users ON DELETE CASCADE, open_count INTEGER NOT NULL DEFAULT 0,
            completed_count INTEGER NOT NULL DEFAULT 0, revision INTEGER NOT NULL DEFAULT 0, zone TEXT) STRICT;
INSERT INTO "todo_lists" ("owner_id", "open_count", "completed_count", "revision", "zone") VALUES (1, 1, 1, 3, 'UTC');
CREATE TABLE todos (
            id INTEGER PRIMARY KEY AUTOINCREMENT, owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, title TEXT NOT NULL,
            description TEXT, completed INTEGER NOT NULL DEFAULT 0, completed_at TEXT, priority INTEGER NOT NULL, due_date TEXT,
            deadline TEXT NOT NULL, steps TEXT NOT NULL, last_step INTEGER NOT NULL, recurrence TEXT, wall TEXT, next_id INTEGER,
            created_at TEXT NOT NULL, updated_at TEXT NOT NULL, trash_id INTEGER REFERENCES trash, words TEXT NOT NULL) STRICT;
INSERT INTO "todos" ("id", "owner_id", "title", "description", "completed", "completed_at", "priority", "due_date", "deadline", "steps", "last_step", "recurrence", "wall", "next_id", "created_at", "updated_at", "trash_id", "words") VALUES (1, 1, 'Water the seedlings', NULL, 1, '2026-11-21T17:39:16.425Z', 4, '2026-11-21', '2026-11-21T23:59:59.999Z', '[{"id":1,"title":"Fill the can","completed":false}]', 1, '{"rule":"FREQ=DAILY;INTERVAL=2","from":"done"}', NULL, 2, '2026-11-21T17:39:16.417Z', '2026-11-21T17:39:16.425Z', NULL, 'water the seedlings

fill the can');
INSERT INTO "todos" ("id", "owner_id", "title", "description", "completed", "completed_at", "priority", "due_date", "deadline", "steps", "last_step", "recurrence", "wall", "next_id", "created_at", "updated_at", "trash_id", "words") VALUES (2, 1, 'Water the seedlings', NULL, 0, NULL, 4, '2026-11-23', '2026-11-23T23:59:59.999Z', '[{"id":1,"title":"Fill the can","completed":false}]', 1, '{"rule":"FREQ=DAILY;INTERVAL=2","from":"done"}', NULL, NULL, '2026-11-21T17:39:16.425Z', '2026-11-21T17:39:16.425Z', NULL, 'water the seedlings

fill the can');
DELETE FROM sqlite_sequence;
INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('users', 2);
INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('keys', 2);
INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('folders', 5);
INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('notes', 6);
INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('snapshots', 2);
INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('trash', 1);
INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('todos', 2);
CREATE UNIQUE INDEX "idx__sqlite_migrations_migration_set_name"
    ON "_sqlite_migrations" ("migration_set", "name");
CREATE INDEX keys_by_user ON keys (user_id);
CREATE INDEX contacts_by_contact ON contacts (contact_id);
CREATE INDEX oauth_grants_by_user ON oauth_grants (user_id);
CREATE INDEX idempotent_replies_by_expiry ON idempotent_replies (expires_at);
CREATE INDEX trash_by_owner ON trash (owner_id, id);
CREATE UNIQUE INDEX folders_by_name ON folders (owner_id, ifnull(parent_id, 0), name_key) WHERE trash_id IS NULL;
CREATE INDEX folders_by_parent ON folders (parent_id);
CREATE INDEX folders_by_trash ON folders (trash_id) WHERE trash_id IS NOT NULL;
CREATE INDEX folder_shares_by_user ON folder_shares (user_id);
CREATE INDEX notes_by_update ON notes (owner_id, folder_id, pinned, updated_at) WHERE trash_id IS NULL;
CREATE INDEX notes_by_creation ON notes (owner_id, folder_id, pinned, created_at) WHERE trash_id IS NULL;
CREATE INDEX notes_by_title ON notes (owner_id, folder_id, pinned, title COLLATE NOCASE) WHERE trash_id IS NULL;
CREATE INDEX notes_by_owner ON notes (owner_id, pinned, updated_at) WHERE trash_id IS NULL;
CREATE INDEX notes_by_folder ON notes (folder_id) WHERE trash_id IS NOT NULL;
CREATE INDEX notes_by_trash ON notes (trash_id) WHERE trash_id IS NOT NULL;
CREATE INDEX todos_by_deadline ON todos (owner_id, completed, deadline, priority DESC, id) WHERE trash_id IS NULL;
CREATE INDEX todos_by_trash ON todos (trash_id) WHERE trash_id IS NOT NULL;
PRAGMA writable_schema=ON;
INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES ('table', 'note_words', 'note_words', 0, 'CREATE VIRTUAL TABLE note_words USING fts5 (
            title, tags, content, content=''notes'', content_rowid=''id'', tokenize=''porter unicode61 remove_diacritics 2'')');
PRAGMA writable_schema=OFF;
COMMIT;
