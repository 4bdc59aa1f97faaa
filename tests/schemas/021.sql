PRAGMA auto_vacuum=INCREMENTAL;
BEGIN;
CREATE TABLE "_sqlite_migrations" (
   "id" INTEGER PRIMARY KEY,
   "migration_set" TEXT,
   "name" TEXT,
   "applied_at" TEXT
);
INSERT INTO "_sqlite_migrations" ("id", "migration_set", "name", "applied_at") VALUES (1, 'hearth', 'm001_accounts', '2026-11-21 17:38:43.661435+00:00');
INSERT INTO "_sqlite_migrations" ("id", "migration_set", "name", "applied_at") VALUES (2, 'hearth', 'm002_workspace', '2026-11-21 17:38:43.666666+00:00');
INSERT INTO "_sqlite_migrations" ("id", "migration_set", "name", "applied_at") VALUES (3, 'hearth', 'm003_words', '2026-11-21 17:38:43.681210+00:00');
INSERT INTO "_sqlite_migrations" ("id", "migration_set", "name", "applied_at") VALUES (4, 'hearth', 'm004_grams', '2026-11-21 17:38:43.693468+00:00');
INSERT INTO "_sqlite_migrations" ("id", "migration_set", "name", "applied_at") VALUES (5, 'hearth', 'm005_vectors', '2026-11-21 17:38:43.694534+00:00');
INSERT INTO "_sqlite_migrations" ("id", "migration_set", "name", "applied_at") VALUES (6, 'hearth', 'm006_links', '2026-11-21 17:38:43.696661+00:00');
INSERT INTO "_sqlite_migrations" ("id", "migration_set", "name", "applied_at") VALUES (7, 'hearth', 'm007_names', '2026-11-21 17:38:43.703144+00:00');
INSERT INTO "_sqlite_migrations" ("id", "migration_set", "name", "applied_at") VALUES (8, 'hearth', 'm008_briefings', '2026-11-21 17:38:43.712708+00:00');
INSERT INTO "_sqlite_migrations" ("id", "migration_set", "name", "applied_at") VALUES (9, 'hearth', 'm009_tools', '2026-11-21 17:38:43.715611+00:00');
INSERT INTO "_sqlite_migrations" ("id", "migration_set", "name", "applied_at") VALUES (10, 'hearth', 'm010_conversations', '2026-11-21 17:38:43.721966+00:00');
INSERT INTO "_sqlite_migrations" ("id", "migration_set", "name", "applied_at") VALUES (11, 'hearth', 'm011_models', '2026-11-21 17:38:43.723096+00:00');
INSERT INTO "_sqlite_migrations" ("id", "migration_set", "name", "applied_at") VALUES (12, 'hearth', 'm012_escalations', '2026-11-21 17:38:43.725766+00:00');
INSERT INTO "_sqlite_migrations" ("id", "migration_set", "name", "applied_at") VALUES (13, 'hearth', 'm013_episodes', '2026-11-21 17:38:43.733368+00:00');
INSERT INTO "_sqlite_migrations" ("id", "migration_set", "name", "applied_at") VALUES (14, 'hearth', 'm014_attachments', '2026-11-21 17:38:43.734819+00:00');
INSERT INTO "_sqlite_migrations" ("id", "migration_set", "name", "applied_at") VALUES (15, 'hearth', 'm015_integrations', '2026-11-21 17:38:43.735948+00:00');
INSERT INTO "_sqlite_migrations" ("id", "migration_set", "name", "applied_at") VALUES (16, 'hearth', 'm016_metering', '2026-11-21 17:38:43.745370+00:00');
INSERT INTO "_sqlite_migrations" ("id", "migration_set", "name", "applied_at") VALUES (17, 'hearth', 'm017_heartbeat', '2026-11-21 17:38:43.749528+00:00');
INSERT INTO "_sqlite_migrations" ("id", "migration_set", "name", "applied_at") VALUES (18, 'hearth', 'm018_contacts', '2026-11-21 17:38:43.757611+00:00');
INSERT INTO "_sqlite_migrations" ("id", "migration_set", "name", "applied_at") VALUES (19, 'hearth', 'm019_messages', '2026-11-21 17:38:43.771813+00:00');
INSERT INTO "_sqlite_migrations" ("id", "migration_set", "name", "applied_at") VALUES (20, 'hearth', 'm021_sessions', '2026-11-21 17:38:43.781741+00:00');
INSERT INTO "_sqlite_migrations" ("id", "migration_set", "name", "applied_at") VALUES (21, 'hearth', 'm020_shares', '2026-11-21 18:37:15.986133+00:00');
CREATE TABLE users (
            id INTEGER PRIMARY KEY AUTOINCREMENT, uuid TEXT NOT NULL UNIQUE, username TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
            settings TEXT NOT NULL DEFAULT '{}', created_at TEXT NOT NULL) STRICT;
INSERT INTO "users" ("id", "uuid", "username", "name", "settings", "created_at") VALUES (1, 'af2842c9-2ad4-44de-8990-35fd03830866', 'ann', 'ann', '{"agent_name":null,"email":null,"timezone":"Europe/Berlin","locale":"en","replan_per_day":5,"default_model":null,"inbox_from":"anyone","escalation_ttl_hours":72,"trash_days":30,"snapshot_keep":500}', '2026-11-21T17:38:43.808Z');
INSERT INTO "users" ("id", "uuid", "username", "name", "settings", "created_at") VALUES (2, '4bdf0364-ef36-437b-a84a-4100c3e86ed5', 'ben', 'ben', '{}', '2026-11-21T17:38:43.811Z');
CREATE TABLE keys (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, name TEXT NOT NULL,
            digest BLOB NOT NULL UNIQUE, prefix TEXT NOT NULL, last4 TEXT NOT NULL, scopes TEXT NOT NULL,
            created_at TEXT NOT NULL, last_used_at TEXT, expires_at TEXT, revoked_at TEXT,
            old_digest BLOB UNIQUE, old_expires_at TEXT) STRICT;
INSERT INTO "keys" ("id", "user_id", "name", "digest", "prefix", "last4", "scopes", "created_at", "last_used_at", "expires_at", "revoked_at", "old_digest", "old_expires_at") VALUES (1, 1, 'laptop', X'43EC7DB8BB06DBD5C95F293AE247A4948B831AB354068B63899AACBA7A158CA1', 'hearth_sk_', 'r33V', '["*"]', '2026-11-21T17:38:43.818Z', '2026-11-21T17:38:43.822Z', NULL, NULL, NULL, NULL);
INSERT INTO "keys" ("id", "user_id", "name", "digest", "prefix", "last4", "scopes", "created_at", "last_used_at", "expires_at", "revoked_at", "old_digest", "old_expires_at") VALUES (2, 2, 'laptop', X'62370B5A4D74DBFB097C0C75A978F117A01BE3DC3CDECE4F039D8B64842FF9D8', 'hearth_sk_', 'GqZ3', '["*"]', '2026-11-21T17:38:43.820Z', '2026-11-21T17:38:43.830Z', NULL, NULL, NULL, NULL);
CREATE TABLE contacts (
            user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, contact_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            connected_at TEXT NOT NULL, friend INTEGER NOT NULL DEFAULT 1 CHECK (friend IN (0, 1)), PRIMARY KEY (user_id, contact_id)) STRICT, WITHOUT ROWID;
CREATE TABLE oauth_grants (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, client_id TEXT NOT NULL,
            client_name TEXT NOT NULL, scopes TEXT NOT NULL, created_at TEXT NOT NULL, last_used_at TEXT, revoked_at TEXT) STRICT;
CREATE TABLE idempotent_replies (
            user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, operation TEXT NOT NULL, key TEXT NOT NULL, fingerprint TEXT NOT NULL,
            status INTEGER, body BLOB, expires_at TEXT NOT NULL, PRIMARY KEY (user_id, operation, key)) STRICT, WITHOUT ROWID;
CREATE TABLE workspaces (
            owner_id INTEGER PRIMARY KEY REFERENCES users ON DELETE CASCADE, note_count INTEGER NOT NULL DEFAULT 0,
            root_count INTEGER NOT NULL DEFAULT 0, total_bytes INTEGER NOT NULL DEFAULT 0, changed_at TEXT NOT NULL) STRICT;
INSERT INTO "workspaces" ("owner_id", "note_count", "root_count", "total_bytes", "changed_at") VALUES (1, 4, 0, 122, '2026-11-21T17:38:43.882Z');
INSERT INTO "workspaces" ("owner_id", "note_count", "root_count", "total_bytes", "changed_at") VALUES (2, 1, 1, 13, '2026-11-21T17:38:43.904Z');
CREATE TABLE trash (
            id INTEGER PRIMARY KEY AUTOINCREMENT, owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            kind TEXT NOT NULL CHECK (kind IN ('note', 'todo', 'folder')), item_id INTEGER NOT NULL, title TEXT NOT NULL, path TEXT NOT NULL,
            trashed_at TEXT NOT NULL, trashed_by TEXT NOT NULL, UNIQUE (kind, item_id)) STRICT;
INSERT INTO "trash" ("id", "owner_id", "kind", "item_id", "title", "path", "trashed_at", "trashed_by") VALUES (1, 1, 'note', 5, 'Gone', '', '2026-11-21T17:38:43.882Z', '{"kind":"key","id":"1","name":"laptop"}');
CREATE TABLE folders (
            id INTEGER PRIMARY KEY AUTOINCREMENT, owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            parent_id INTEGER REFERENCES folders, name TEXT NOT NULL, name_key TEXT NOT NULL, icon TEXT,
            note_count INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL, trash_id INTEGER REFERENCES trash) STRICT;
INSERT INTO "folders" ("id", "owner_id", "parent_id", "name", "name_key", "icon", "note_count", "created_at", "trash_id") VALUES (1, 1, NULL, 'General', 'general', NULL, 0, '2026-11-21T17:38:43.822Z', NULL);
INSERT INTO "folders" ("id", "owner_id", "parent_id", "name", "name_key", "icon", "note_count", "created_at", "trash_id") VALUES (2, 2, NULL, 'General', 'general', NULL, 0, '2026-11-21T17:38:43.831Z', NULL);
INSERT INTO "folders" ("id", "owner_id", "parent_id", "name", "name_key", "icon", "note_count", "created_at", "trash_id") VALUES (3, 1, NULL, 'Garden', 'garden', NULL, 2, '2026-11-21T17:38:43.833Z', NULL);
INSERT INTO "folders" ("id", "owner_id", "parent_id", "name", "name_key", "icon", "note_count", "created_at", "trash_id") VALUES (4, 1, 3, 'Spring', 'spring', NULL, 1, '2026-11-21T17:38:43.833Z', NULL);
INSERT INTO "folders" ("id", "owner_id", "parent_id", "name", "name_key", "icon", "note_count", "created_at", "trash_id") VALUES (5, 1, NULL, '日本', '日本', NULL, 1, '2026-11-21T17:38:43.833Z', NULL);
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
INSERT INTO "notes" ("id", "owner_id", "folder_id", "title", "tags", "pinned", "word_count", "size", "revision", "version", "snapshot_seq", "snapshot_count", "created_at", "updated_at", "trash_id", "content") VALUES (1, 1, 4, 'Tomatoes.md', '[]', 0, 7, 46, 2, 2, 2, 2, '2026-11-21T17:38:43.833Z', '2026-11-21T17:38:43.875Z', NULL, '# Tomatoes

Sow in April. See [[Frost dates]].');
INSERT INTO "notes" ("id", "owner_id", "folder_id", "title", "tags", "pinned", "word_count", "size", "revision", "version", "snapshot_seq", "snapshot_count", "created_at", "updated_at", "trash_id", "content") VALUES (2, 1, 3, 'Tools.md', '[]', 0, 7, 31, 1, 1, 0, 0, '2026-11-21T17:38:43.833Z', '2026-11-21T17:38:43.833Z', NULL, 'The rake is in the shed. #tools');
INSERT INTO "notes" ("id", "owner_id", "folder_id", "title", "tags", "pinned", "word_count", "size", "revision", "version", "snapshot_seq", "snapshot_count", "created_at", "updated_at", "trash_id", "content") VALUES (3, 1, 5, '京都.md', '[]', 0, 7, 26, 1, 1, 0, 0, '2026-11-21T17:38:43.833Z', '2026-11-21T17:38:43.833Z', NULL, '東京都と京都 🦊 é');
INSERT INTO "notes" ("id", "owner_id", "folder_id", "title", "tags", "pinned", "word_count", "size", "revision", "version", "snapshot_seq", "snapshot_count", "created_at", "updated_at", "trash_id", "content") VALUES (4, 1, 3, 'Frost dates', '["weather"]', 0, 4, 19, 1, 1, 0, 0, '2026-11-21T17:38:43.859Z', '2026-11-21T17:38:43.859Z', NULL, 'Last frost: 12 May.');
INSERT INTO "notes" ("id", "owner_id", "folder_id", "title", "tags", "pinned", "word_count", "size", "revision", "version", "snapshot_seq", "snapshot_count", "created_at", "updated_at", "trash_id", "content") VALUES (5, 1, NULL, 'Gone', '[]', 0, 3, 12, 1, 1, 0, 0, '2026-11-21T17:38:43.865Z', '2026-11-21T17:38:43.865Z', 1, 'in the trash');
INSERT INTO "notes" ("id", "owner_id", "folder_id", "title", "tags", "pinned", "word_count", "size", "revision", "version", "snapshot_seq", "snapshot_count", "created_at", "updated_at", "trash_id", "content") VALUES (6, 2, NULL, 'Of Ben', '[]', 0, 3, 13, 1, 1, 0, 0, '2026-11-21T17:38:43.904Z', '2026-11-21T17:38:43.904Z', NULL, 'his own words');
CREATE TABLE note_tags (
            owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, tag_key TEXT NOT NULL,
            note_id INTEGER NOT NULL, PRIMARY KEY (owner_id, tag_key, note_id)) STRICT, WITHOUT ROWID;
INSERT INTO "note_tags" ("owner_id", "tag_key", "note_id") VALUES (1, 'weather', 4);
CREATE TABLE waiting_words (note_id INTEGER PRIMARY KEY) STRICT;
CREATE TABLE snapshots (
            id INTEGER PRIMARY KEY AUTOINCREMENT, note_id INTEGER NOT NULL REFERENCES notes ON DELETE CASCADE, seq INTEGER NOT NULL,
            label TEXT, title TEXT NOT NULL, message TEXT, author TEXT NOT NULL, word_count INTEGER NOT NULL, automatic INTEGER NOT NULL,
            created_at TEXT NOT NULL, content TEXT NOT NULL, UNIQUE (note_id, seq)) STRICT;
INSERT INTO "snapshots" ("id", "note_id", "seq", "label", "title", "message", "author", "word_count", "automatic", "created_at", "content") VALUES (1, 1, 1, 'before', 'Tomatoes.md', NULL, '{"kind":"key","id":"1","name":"laptop"}', 10, 0, '2026-11-21T17:38:43.870Z', '# Tomatoes

Sow indoors in *March*. See [[Frost dates]].

- Black Krim');
INSERT INTO "snapshots" ("id", "note_id", "seq", "label", "title", "message", "author", "word_count", "automatic", "created_at", "content") VALUES (2, 1, 2, 'auto: before edit', 'Tomatoes.md', NULL, '{"kind":"key","id":"1","name":"laptop"}', 10, 1, '2026-11-21T17:38:43.875Z', '# Tomatoes

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
INSERT INTO "todos" ("id", "owner_id", "title", "description", "completed", "completed_at", "priority", "due_date", "deadline", "steps", "last_step", "recurrence", "wall", "next_id", "created_at", "updated_at", "trash_id", "words") VALUES (1, 1, 'Water the seedlings', NULL, 1, '2026-11-21T17:38:43.897Z', 4, '2026-11-21', '2026-11-21T23:59:59.999Z', '[{"id":1,"title":"Fill the can","completed":false}]', 1, '{"rule":"FREQ=DAILY;INTERVAL=2","from":"done"}', NULL, 2, '2026-11-21T17:38:43.886Z', '2026-11-21T17:38:43.897Z', NULL, 'water the seedlings

fill the can');
INSERT INTO "todos" ("id", "owner_id", "title", "description", "completed", "completed_at", "priority", "due_date", "deadline", "steps", "last_step", "recurrence", "wall", "next_id", "created_at", "updated_at", "trash_id", "words") VALUES (2, 1, 'Water the seedlings', NULL, 0, NULL, 4, '2026-11-23', '2026-11-23T23:59:59.999Z', '[{"id":1,"title":"Fill the can","completed":false}]', 1, '{"rule":"FREQ=DAILY;INTERVAL=2","from":"done"}', NULL, NULL, '2026-11-21T17:38:43.897Z', '2026-11-21T17:38:43.897Z', NULL, 'water the seedlings

fill the can');
CREATE TABLE word_owners (owner_id INTEGER PRIMARY KEY REFERENCES users ON DELETE CASCADE) STRICT;
INSERT INTO "word_owners" ("owner_id") VALUES (1);
INSERT INTO "word_owners" ("owner_id") VALUES (2);
CREATE TABLE word_index (id INTEGER PRIMARY KEY CHECK (id = 1), format INTEGER NOT NULL, stale_to INTEGER NOT NULL) STRICT;
INSERT INTO "word_index" ("id", "format", "stale_to") VALUES (1, 1, 0);
CREATE TABLE 'note_grams_data'(id INTEGER PRIMARY KEY, block BLOB);
INSERT INTO "note_grams_data" ("id", "block") VALUES (1, X'0677');
INSERT INTO "note_grams_data" ("id", "block") VALUES (10, X'0000000202010000000001070101');
INSERT INTO "note_grams_data" ("id", "block") VALUES (962072674305, X'0000024504300A0A73010202736F01010320237402020231320402025B5B010202617001020264610102026672040202696E01010301730202026D610402026F7706020272610202027365010301680202027468020303016F01030172050202776F060205F09FA68A20030103232074010202746F0201032E20230203017301010331322004010332206D0401033A20310401035B5B6601020266720101035D5D2E010103616B65020202707201020273680503017404020274650103016F010202792E040103642E20020202617401010365205B01030169020301720203017302030174050202642E0202026520010202730A0103015D01010366726F0103010368652002030301640202026973060103696C2E0102026E2001010302027320020401036B65200201036C2E2001020261730401036D6174010301790401036E20610103017402030301770601036F65730102026C730202026D610102026F6C020202726406020273740103020277200103016E06010370726901010372616B020301730502026473060202696C0102026F7301030103730A0A01020220690203016F0602025D5D010202656501020268650202026F770102027420010303013A040103742064010301660402023A2004020265730102026865020302026F650103016D0103016F02020272610501037720690102026E200602026F72060109E381A8E4BAACE983BD030107E4BAACE983BD20030703E381A8030109E69DB1E4BAACE983BD030108E983BD20F09FA68A030406E381A8E4BAAC030107F09FA68A20C3A9030406050605050505050604050505050406040405080605060406060606050606050504050405060506040404040505050407070405060706060605060406050406050505050605040606040505060605040505050506040604050506050404050605050C0A060C0B09');
CREATE TABLE 'note_grams_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
INSERT INTO "note_grams_idx" ("segid", "term", "pgno") VALUES (7, X'', 2);
CREATE TABLE 'note_grams_config'(k PRIMARY KEY, v) WITHOUT ROWID;
INSERT INTO "note_grams_config" ("k", "v") VALUES ('automerge', 0);
INSERT INTO "note_grams_config" ("k", "v") VALUES ('crisismerge', 1000);
INSERT INTO "note_grams_config" ("k", "v") VALUES ('version', 4);
CREATE TABLE waiting_grams (note_id INTEGER PRIMARY KEY, large INTEGER NOT NULL, indexed TEXT) STRICT;
CREATE TABLE replacements (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, created_at TEXT NOT NULL) STRICT;
CREATE TABLE replaced_notes (
            replacement_id INTEGER NOT NULL REFERENCES replacements ON DELETE CASCADE, note_id INTEGER NOT NULL REFERENCES notes ON DELETE CASCADE,
            version INTEGER NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (replacement_id, note_id)) STRICT, WITHOUT ROWID;
CREATE TABLE embedding_models (
            id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, dimension INTEGER NOT NULL,
            complete INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL, UNIQUE (name, dimension)) STRICT;
CREATE TABLE note_passages (
            id INTEGER PRIMARY KEY AUTOINCREMENT, note_id INTEGER NOT NULL REFERENCES notes ON DELETE CASCADE,
            model_id INTEGER NOT NULL REFERENCES embedding_models, version INTEGER NOT NULL, title TEXT NOT NULL,
            spans BLOB NOT NULL, vectors BLOB NOT NULL, UNIQUE (note_id, model_id)) STRICT;
CREATE TABLE note_links (
            note_id INTEGER NOT NULL, kind TEXT NOT NULL CHECK (kind IN ('wiki', 'note', 'tag')), target TEXT NOT NULL, path TEXT NOT NULL,
            owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, PRIMARY KEY (note_id, kind, target, path)) STRICT, WITHOUT ROWID;
INSERT INTO "note_links" ("note_id", "kind", "target", "path", "owner_id") VALUES (2, 'tag', 'tools', '', 1);
INSERT INTO "note_links" ("note_id", "kind", "target", "path", "owner_id") VALUES (1, 'wiki', 'frost dates', '', 1);
CREATE TABLE unread_links (id INTEGER PRIMARY KEY CHECK (id = 1), read INTEGER NOT NULL, last INTEGER NOT NULL) STRICT;
CREATE TABLE 'name_index_data'(id INTEGER PRIMARY KEY, block BLOB);
INSERT INTO "name_index_data" ("id", "block") VALUES (1, X'0E2E');
INSERT INTO "name_index_data" ("id", "block") VALUES (10, X'0000000002010400000001050101');
INSERT INTO "name_index_data" ("id", "block") VALUES (687194767361, X'0000039E1030303030303164736565646C696E677306040703746865060407057761746572060406076667617264656E0D0806656E6572616C050706737072696E67110706E697A5E69CAC1508029CAC150603696664100702746D0404070377747306040704E4BAAC6D0C06066E646174657310070566726F7374100704676F6E651407026D640404040708746F6D61746F65730409036F6C73080706E4BAACE983BD0C0703E983BD0C0608747765617468657207060D7766726F7374C2B7646174657310070667617264656E0D0806656E6572616C0508036F6E65140706737072696E6711070C746F6D61746F6573C2B76D640409076F6C73C2B76D640807157761746572C2B7746865C2B7736565646C696E67730604080665617468657207070AE4BAACE983BDC2B76D640C0706E697A5E69CAC150509326667656E6572616C090603696F621806046E62656E1807026F661806087767656E6572616C0907076F66C2B762656E1800083130303030316473060407017406040701770604060266670508070173110703E697A51508029CAC150602696610070174040407017706040703E4BAAC0C06026E6410070166100701671407016D04040407017404040703E4BAAC0C0703E983BD0C060274770706027766100701670508070701731107017404040701770601030703E4BAAC0C0703E697A5150503326667090602696F1806026E621807016F18060277670907016F180009323030303031647365060407027468060407027761060406036667610D0801650507027370110706E697A5E69CAC150603696664100702746D04040702777406040704E4BAAC6D0C06036E64611007026672100702676F1407026D640404040702746F04040706E4BAACE983BD0C060374776507060377667210070267610D0801650508016F1407027370110702746F0404070277610604080165070706E4BAACE983BD0C0706E697A5E69CAC15050432666765090603696F621806036E62651807026F661806037767650907026F6618000A33303030303164736565060407037468650604070377617406040604666761720D0802656E05070373707211060469777473060406046E64617410070366726F100703676F6E140703746F6D0409016F080604747765610706047766726F1007036761720D0802656E0508026F6E140703737072110703746F6D0409016F080703776174060408026561070708E4BAACE983BDC2B70C0505326667656E0906046E62656E1806047767656E0907046F66C2B718041307090A0909090506060707090807070B0609060B10090906090F0A19090D090C0607050B0A0C050506040605050505060504040605060605050604050606060605050405040D0606060405090606060706050507060906060504040506060409090706060506050E0707070506080706060604070706050506060407050B080707');
CREATE TABLE 'name_index_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
INSERT INTO "name_index_idx" ("segid", "term", "pgno") VALUES (5, X'', 2);
CREATE TABLE 'name_index_config'(k PRIMARY KEY, v) WITHOUT ROWID;
INSERT INTO "name_index_config" ("k", "v") VALUES ('version', 4);
CREATE TABLE name_words (
            owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, number INTEGER NOT NULL, letters INTEGER NOT NULL, word TEXT NOT NULL,
            PRIMARY KEY (owner_id, number)) STRICT, WITHOUT ROWID;
INSERT INTO "name_words" ("owner_id", "number", "letters", "word") VALUES (1, 0, 806929, 'tomatoes');
INSERT INTO "name_words" ("owner_id", "number", "letters", "word") VALUES (1, 1, 804864, 'tools');
INSERT INTO "name_words" ("owner_id", "number", "letters", "word") VALUES (1, 2, 933920, 'frost');
INSERT INTO "name_words" ("owner_id", "number", "letters", "word") VALUES (1, 3, 786457, 'dates');
INSERT INTO "name_words" ("owner_id", "number", "letters", "word") VALUES (1, 4, 4849809, 'weather');
INSERT INTO "name_words" ("owner_id", "number", "letters", "word") VALUES (1, 5, 24656, 'gone');
INSERT INTO "name_words" ("owner_id", "number", "letters", "word") VALUES (1, 6, 141393, 'general');
INSERT INTO "name_words" ("owner_id", "number", "letters", "word") VALUES (1, 7, 139353, 'garden');
INSERT INTO "name_words" ("owner_id", "number", "letters", "word") VALUES (1, 8, 434496, 'spring');
INSERT INTO "name_words" ("owner_id", "number", "letters", "word") VALUES (1, 9, 4849681, 'water');
INSERT INTO "name_words" ("owner_id", "number", "letters", "word") VALUES (1, 10, 272728, 'seedlings');
INSERT INTO "name_words" ("owner_id", "number", "letters", "word") VALUES (2, 0, 141393, 'general');
CREATE TABLE name_letters (
            owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, block INTEGER NOT NULL, bits BLOB NOT NULL,
            PRIMARY KEY (owner_id, block)) STRICT, WITHOUT ROWID;
CREATE TABLE tag_names (
            id INTEGER PRIMARY KEY, owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, tag_key TEXT NOT NULL, name TEXT NOT NULL,
            UNIQUE (owner_id, tag_key)) STRICT;
INSERT INTO "tag_names" ("id", "owner_id", "tag_key", "name") VALUES (1, 1, 'weather', 'weather');
CREATE TABLE name_progress (kind TEXT PRIMARY KEY, number INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "name_progress" ("kind", "number") VALUES ('folder', 5);
INSERT INTO "name_progress" ("kind", "number") VALUES ('format', 10140);
INSERT INTO "name_progress" ("kind", "number") VALUES ('note', 6);
INSERT INTO "name_progress" ("kind", "number") VALUES ('todo', 2);
CREATE TABLE briefings (
            id INTEGER PRIMARY KEY AUTOINCREMENT, owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, time_duration TEXT NOT NULL,
            status_summary TEXT NOT NULL, todo_summary TEXT NOT NULL, calendar_summary TEXT NOT NULL, notes_summary TEXT NOT NULL,
            email_summary TEXT NOT NULL, suggestions TEXT NOT NULL, tokens INTEGER NOT NULL, generated_at TEXT NOT NULL) STRICT;
INSERT INTO "briefings" ("id", "owner_id", "time_duration", "status_summary", "todo_summary", "calendar_summary", "notes_summary", "email_summary", "suggestions", "tokens", "generated_at") VALUES (1, 1, 'last 24 hours', '<p data-lead="1">Nothing presses: no todo is due, no e-mail waits and no event is left today.</p>', '<p data-lead="1">1 comes in the next 3 days.</p><p><strong>Next 3 days</strong></p><ul><li data-id="2" data-title="Water the seedlings" data-due="2026-11-23" data-priority="0.8">Water the seedlings <em>due on Monday, priority 4/5</em></li></ul>', '<p data-lead="1">No event was given.</p>', '<p data-lead="1">4 notes have changed.</p><p><strong>Changed</strong></p><ul><li data-id="1" data-title="Tomatoes.md" data-hint="Tomatoes Sow in April. See [[Frost dates]].">Tomatoes.md <em>changed just now</em></li><li data-id="4" data-title="Frost dates" data-hint="Last frost: 12 May.">Frost dates <em>changed just now</em></li><li data-id="3" data-title="京都.md" data-hint="東京都と京都 🦊 é">京都.md <em>changed just now</em></li><li data-id="2" data-title="Tools.md" data-hint="The rake is in the shed. #tools">Tools.md <em>changed just now</em></li></ul>', '<p data-lead="1">No e-mail was given.</p>', '[]', 0, '2026-11-21T17:38:44.383Z');
CREATE TABLE tool_namespaces (
            user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, credential TEXT NOT NULL, namespace TEXT NOT NULL,
            enabled INTEGER NOT NULL, PRIMARY KEY (user_id, credential, namespace)) STRICT, WITHOUT ROWID;
CREATE TABLE conversations (
            id INTEGER PRIMARY KEY AUTOINCREMENT, type TEXT NOT NULL CHECK (type IN ('direct', 'shared_agent', 'group')),
            owner_id INTEGER REFERENCES users ON DELETE CASCADE, title TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL) STRICT;
INSERT INTO "conversations" ("id", "type", "owner_id", "title", "created_at", "updated_at") VALUES (1, 'direct', 1, 'When do I sow tomatoes?', '2026-11-21T17:38:43.911Z', '2026-11-21T17:38:44.373Z');
CREATE TABLE conversation_members (
            conversation_id INTEGER NOT NULL REFERENCES conversations ON DELETE CASCADE, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            read_id INTEGER NOT NULL DEFAULT 0, hidden INTEGER NOT NULL DEFAULT 0, active_at TEXT NOT NULL, since_id INTEGER NOT NULL DEFAULT 0, place INTEGER NOT NULL DEFAULT 0, joined_at TEXT NOT NULL DEFAULT '',
            PRIMARY KEY (conversation_id, user_id)) STRICT, WITHOUT ROWID;
INSERT INTO "conversation_members" ("conversation_id", "user_id", "read_id", "hidden", "active_at", "since_id", "place", "joined_at") VALUES (1, 1, 1, 0, '2026-11-21T17:38:44.373Z', 0, 1, '2026-11-21T17:38:43.911Z');
CREATE TABLE messages (
            id INTEGER PRIMARY KEY AUTOINCREMENT, conversation_id INTEGER NOT NULL REFERENCES conversations ON DELETE CASCADE,
            role TEXT NOT NULL CHECK (role IN ('user', 'assistant')), sender_type TEXT NOT NULL CHECK (sender_type IN ('human', 'agent')),
            sender_id INTEGER REFERENCES users ON DELETE SET NULL, sender_label TEXT NOT NULL, content TEXT NOT NULL,
            client_message_id TEXT, created_at TEXT NOT NULL) STRICT;
INSERT INTO "messages" ("id", "conversation_id", "role", "sender_type", "sender_id", "sender_label", "content", "client_message_id", "created_at") VALUES (1, 1, 'user', 'agent', 1, 'ann', 'When do I sow tomatoes?', NULL, '2026-11-21T17:38:43.911Z');
INSERT INTO "messages" ("id", "conversation_id", "role", "sender_type", "sender_id", "sender_label", "content", "client_message_id", "created_at") VALUES (2, 1, 'assistant', 'agent', NULL, 'Agent', '> Sow in April.

— [Tomatoes.md](hearth:note/1)', NULL, '2026-11-21T17:38:44.373Z');
CREATE TABLE 'message_words_data'(id INTEGER PRIMARY KEY, block BLOB);
INSERT INTO "message_words_data" ("id", "block") VALUES (1, X'020D');
INSERT INTO "message_words_data" ("id", "block") VALUES (10, X'000000000102020002010101020101');
INSERT INTO "message_words_data" ("id", "block") VALUES (137438953473, X'0000002D0330646F0102030101690102040103736F770102050106746F6D61746F01020601047768656E010202040706080B');
INSERT INTO "message_words_data" ("id", "block") VALUES (274877906945, X'000000490230310202090105617072696C02020401066865617274680202070102696E02020301026D6402020601046E6F74650202080103736F770202020106746F6D61746F02020504060A0B07070908');
CREATE TABLE 'message_words_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
INSERT INTO "message_words_idx" ("segid", "term", "pgno") VALUES (1, X'', 2);
INSERT INTO "message_words_idx" ("segid", "term", "pgno") VALUES (2, X'', 2);
CREATE TABLE 'message_words_docsize'(id INTEGER PRIMARY KEY, sz BLOB);
INSERT INTO "message_words_docsize" ("id", "sz") VALUES (1, X'05');
INSERT INTO "message_words_docsize" ("id", "sz") VALUES (2, X'08');
CREATE TABLE 'message_words_config'(k PRIMARY KEY, v) WITHOUT ROWID;
INSERT INTO "message_words_config" ("k", "v") VALUES ('version', 4);
CREATE TABLE turns (
            id INTEGER PRIMARY KEY AUTOINCREMENT, conversation_id INTEGER NOT NULL REFERENCES conversations ON DELETE CASCADE,
            user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, credential INTEGER, message_id INTEGER NOT NULL, model TEXT NOT NULL,
            status TEXT NOT NULL CHECK (status IN ('running', 'completed', 'failed', 'interrupted')), prompt_tokens INTEGER NOT NULL DEFAULT 0,
            completion_tokens INTEGER NOT NULL DEFAULT 0, history BLOB, error TEXT, started_at TEXT NOT NULL, ended_at TEXT, taint TEXT NOT NULL DEFAULT '') STRICT;
INSERT INTO "turns" ("id", "conversation_id", "user_id", "credential", "message_id", "model", "status", "prompt_tokens", "completion_tokens", "history", "error", "started_at", "ended_at", "taint") VALUES (1, 1, 1, 1, 1, 'offline', 'completed', 146, 13, X'5B7B227061727473223A5B7B22636F6E74656E74223A225768656E20646F204920736F7720746F6D61746F65733F222C2274696D657374616D70223A22323032362D31312D32315431373A33383A34332E3931373432312B30303A3030222C22706172745F6B696E64223A22757365722D70726F6D7074227D5D2C2274696D657374616D70223A22323032362D31312D32315431373A33383A34332E3931373432312B30303A3030222C226B696E64223A2272657175657374227D2C7B227061727473223A5B7B22746F6F6C5F6E616D65223A227365617263685F6E6F746573222C2261726773223A227B5C2271756572795C223A205C22736F7720746F6D61746F65735C222C205C226C696D69745C223A20387D222C22746F6F6C5F63616C6C5F6964223A226F66665F315F30222C22706172745F6B696E64223A22746F6F6C2D63616C6C227D5D2C227573616765223A7B22696E7075745F746F6B656E73223A362C226F75747075745F746F6B656E73223A307D2C226D6F64656C5F6E616D65223A226F66666C696E65222C2270726F76696465725F6E616D65223A226F66666C696E65222C2274696D657374616D70223A22323032362D31312D32315431373A33383A34332E3931373432312B30303A3030222C226B696E64223A22726573706F6E7365227D2C7B227061727473223A5B7B22746F6F6C5F6E616D65223A227365617263685F6E6F746573222C22636F6E74656E74223A7B22726573756C7473223A5B7B226964223A312C227469746C65223A22546F6D61746F65732E6D64222C22736E6970706574223A222320546F6D61746F65735C6E5C6E536F7720696E20417072696C2E20536565205B5B46726F73742064617465735D5D2E222C226D61726B73223A5B5B322C31305D2C5B31322C31355D5D2C22666F6C6465724964223A342C2273636F7265223A312E3234353539382C22757064617465644174223A22323032362D31312D32315431373A33383A34332E3837355A227D5D2C22726573756C74223A7B22726573756C7473223A5B7B226964223A312C227469746C65223A22546F6D61746F65732E6D64222C22736E6970706574223A222320546F6D61746F65735C6E5C6E536F7720696E20417072696C2E20536565205B5B46726F73742064617465735D5D2E222C22636F6E74656E74223A222320546F6D61746F65735C6E5C6E536F7720696E20417072696C2E20536565205B5B46726F73742064617465735D5D2E227D5D7D2C226D6F6465223A22776F726473222C226E6F74696365223A22576F72647320616C6F6E652072616E6B65643A204E6F206D6F64656C20697320696E7374616C6C65642C20736F206F6E6C7920776F726473206172652073656172636865643A2060686561727468206D6F64656C7320616464602066657463686573206F6E652E227D2C22746F6F6C5F63616C6C5F6964223A226F66665F315F30222C2274696D657374616D70223A22323032362D31312D32315431373A33383A34332E3931373432312B30303A3030222C226F7574636F6D65223A2273756363657373222C22706172745F6B696E64223A22746F6F6C2D72657475726E227D5D2C2274696D657374616D70223A22323032362D31312D32315431373A33383A34332E3931373432312B30303A3030222C226B696E64223A2272657175657374227D2C7B227061727473223A5B7B22636F6E74656E74223A223E20536F7720696E20417072696C2E5C6E5C6EE28094205B546F6D61746F65732E6D645D286865617274683A6E6F74652F3129222C22706172745F6B696E64223A2274657874227D5D2C227573616765223A7B22696E7075745F746F6B656E73223A3134302C226F75747075745F746F6B656E73223A31337D2C226D6F64656C5F6E616D65223A226F66666C696E65222C2270726F76696465725F6E616D65223A226F66666C696E65222C2274696D657374616D70223A22323032362D31312D32315431373A33383A34332E3931373432312B30303A3030222C226B696E64223A22726573706F6E7365227D5D', NULL, '2026-11-21T17:38:43.911Z', '2026-11-21T17:38:44.373Z', '');
CREATE TABLE turn_calls (
            id INTEGER PRIMARY KEY AUTOINCREMENT, turn_id INTEGER NOT NULL REFERENCES turns ON DELETE CASCADE, tool TEXT NOT NULL,
            call_id TEXT NOT NULL, arguments TEXT NOT NULL, outcome TEXT NOT NULL, called_at TEXT NOT NULL) STRICT;
INSERT INTO "turn_calls" ("id", "turn_id", "tool", "call_id", "arguments", "outcome", "called_at") VALUES (1, 1, 'search_notes', 'off_1_0', '{"query": "sow tomatoes", "limit": 8}', 'done', '2026-11-21T17:38:44.373Z');
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
CREATE TABLE precedents (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            conversation_id INTEGER REFERENCES conversations ON DELETE CASCADE, tool TEXT NOT NULL, tool_sha256 TEXT, origin TEXT NOT NULL,
            origin_kind TEXT NOT NULL, scope TEXT NOT NULL CHECK (scope IN ('session', 'tool')), session TEXT NOT NULL, taint TEXT NOT NULL,
            created_at TEXT NOT NULL, expires_at TEXT, uses INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE audit (
            id INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, user_id INTEGER NOT NULL, actor TEXT NOT NULL, origin TEXT NOT NULL,
            event TEXT NOT NULL, tool TEXT NOT NULL, arguments_sha256 TEXT NOT NULL, outcome TEXT NOT NULL, escalation_id INTEGER,
            taint TEXT NOT NULL, hash BLOB NOT NULL) STRICT;
INSERT INTO "audit" ("id", "at", "user_id", "actor", "origin", "event", "tool", "arguments_sha256", "outcome", "escalation_id", "taint", "hash") VALUES (1, '2026-11-21T17:38:44.373Z', 1, 'key 1', 'chat', 'call', 'search_notes', '92361e6b03aae3daf89d04f606be08316bd79ec22cea9455794507302d1aecdb', 'done', NULL, '', X'AFF7B8BF3AB4FCEB8B7A7A5671B60107EB253FFA16C33AFD4727FD3223ECB34D');
CREATE TABLE agent_stops (id INTEGER PRIMARY KEY CHECK (id = 1), stopped_at TEXT NOT NULL, reason TEXT NOT NULL) STRICT;
CREATE TABLE episodes (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            kind TEXT NOT NULL CHECK (kind IN ('conversation', 'briefing', 'heartbeat')), key TEXT NOT NULL,
            conversation_id INTEGER REFERENCES conversations ON DELETE CASCADE, path TEXT NOT NULL, title TEXT NOT NULL, at TEXT NOT NULL,
            version INTEGER NOT NULL DEFAULT 1, text TEXT NOT NULL, UNIQUE (user_id, kind, key)) STRICT;
INSERT INTO "episodes" ("id", "user_id", "kind", "key", "conversation_id", "path", "title", "at", "version", "text") VALUES (1, 1, 'conversation', 'message 1', 1, 'conversations/1', 'When do I sow tomatoes?', '2026-11-21T17:38:43.911Z', 1, 'When do I sow tomatoes?

> Sow in April.

— [Tomatoes.md](hearth:note/1)');
INSERT INTO "episodes" ("id", "user_id", "kind", "key", "conversation_id", "path", "title", "at", "version", "text") VALUES (2, 1, 'briefing', '1', NULL, 'briefings/1', 'Briefing of 2026-11-21', '2026-11-21T17:38:44.383Z', 1, 'Nothing presses: no todo is due, no e-mail waits and no event is left today.
1 comes in the next 3 days.
Next 3 days
Water the seedlings due on Monday, priority 4/5
No event was given.
4 notes have changed.
Changed
Tomatoes.md changed just now
Frost dates changed just now
京都.md changed just now
Tools.md changed just now
No e-mail was given.');
CREATE TABLE episode_passages (
            id INTEGER PRIMARY KEY AUTOINCREMENT, episode_id INTEGER NOT NULL REFERENCES episodes ON DELETE CASCADE,
            model_id INTEGER NOT NULL REFERENCES embedding_models, version INTEGER NOT NULL, title TEXT NOT NULL,
            spans BLOB NOT NULL, vectors BLOB NOT NULL, UNIQUE (episode_id, model_id)) STRICT;
CREATE TABLE episode_owners (owner_id INTEGER PRIMARY KEY) STRICT;
INSERT INTO "episode_owners" ("owner_id") VALUES (1);
CREATE TABLE past_episodes (kind TEXT PRIMARY KEY, below INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE memory_writes (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            kind TEXT NOT NULL CHECK (kind IN ('daily', 'long_term', 'relationship')), by TEXT NOT NULL, at TEXT NOT NULL) STRICT;
CREATE TABLE attachments (
            id INTEGER PRIMARY KEY AUTOINCREMENT, owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, name TEXT NOT NULL,
            media_type TEXT NOT NULL, charset TEXT, size INTEGER NOT NULL, sha256 TEXT NOT NULL, complete INTEGER NOT NULL DEFAULT 0,
            created_at TEXT NOT NULL) STRICT;
INSERT INTO "attachments" ("id", "owner_id", "name", "media_type", "charset", "size", "sha256", "complete", "created_at") VALUES (1, 1, 'a.txt', 'text/plain', NULL, 18, '93c094a8b11979acb1dd1acf09d74f4a7a1a15df1182aeacb15dacd6ea87a664', 1, '2026-11-21T17:38:44.445Z');
CREATE TABLE attachment_parts (
            attachment_id INTEGER NOT NULL REFERENCES attachments ON DELETE CASCADE, number INTEGER NOT NULL, bytes BLOB NOT NULL,
            PRIMARY KEY (attachment_id, number)) STRICT;
INSERT INTO "attachment_parts" ("attachment_id", "number", "bytes") VALUES (1, 0, X'7468652074657874206F6620612066696C65');
CREATE TABLE attachment_texts (
            attachment_id INTEGER PRIMARY KEY REFERENCES attachments ON DELETE CASCADE, content TEXT NOT NULL, is_cut INTEGER NOT NULL,
            trouble TEXT) STRICT;
CREATE TABLE message_attachments (
            message_id INTEGER NOT NULL REFERENCES messages ON DELETE CASCADE, place INTEGER NOT NULL,
            attachment_id INTEGER REFERENCES attachments ON DELETE SET NULL, name TEXT NOT NULL, media_type TEXT NOT NULL,
            PRIMARY KEY (message_id, place)) STRICT, WITHOUT ROWID;
CREATE TABLE integrations (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            kind TEXT NOT NULL CHECK (kind IN ('ics', 'oauth')), name TEXT NOT NULL, name_key TEXT NOT NULL, url TEXT, source BLOB,
            status TEXT NOT NULL CHECK (status IN ('connected', 'needs_reauth', 'disconnected', 'error')), last_error TEXT, etag TEXT,
            generation INTEGER NOT NULL DEFAULT 0, failures INTEGER NOT NULL DEFAULT 0, due_at TEXT, connected_at TEXT,
            created_at TEXT NOT NULL) STRICT;
CREATE TABLE calendar_events (
            id INTEGER PRIMARY KEY, integration_id INTEGER NOT NULL REFERENCES integrations ON DELETE CASCADE, generation INTEGER NOT NULL,
            starts TEXT NOT NULL, ends TEXT NOT NULL, title TEXT NOT NULL, place TEXT NOT NULL, words TEXT NOT NULL) STRICT;
CREATE TABLE caps (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            subject TEXT NOT NULL CHECK (subject IN ('account', 'device', 'credential', 'agent', 'heartbeat')), subject_id TEXT NOT NULL DEFAULT '',
            metric TEXT NOT NULL CHECK (metric IN ('tokens', 'devices')), period TEXT NOT NULL CHECK (period IN ('day', 'month')),
            most INTEGER NOT NULL CHECK (most >= 0), warn_percent INTEGER NOT NULL DEFAULT 80, created_at TEXT NOT NULL,
            UNIQUE (user_id, subject, subject_id, metric, period)) STRICT;
INSERT INTO "caps" ("id", "user_id", "subject", "subject_id", "metric", "period", "most", "warn_percent", "created_at") VALUES (1, 1, 'heartbeat', '', 'tokens', 'day', 50000, 80, '2026-11-21T17:38:43.808Z');
INSERT INTO "caps" ("id", "user_id", "subject", "subject_id", "metric", "period", "most", "warn_percent", "created_at") VALUES (2, 2, 'heartbeat', '', 'tokens', 'day', 50000, 80, '2026-11-21T17:38:43.811Z');
CREATE TABLE cap_warnings (
            cap_id INTEGER NOT NULL REFERENCES caps ON DELETE CASCADE, subject_id TEXT NOT NULL, period TEXT NOT NULL,
            PRIMARY KEY (cap_id, subject_id)) STRICT, WITHOUT ROWID;
CREATE TABLE token_uses (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, feature TEXT NOT NULL,
            credential TEXT NOT NULL, device TEXT, agent TEXT, model TEXT NOT NULL, prompt INTEGER NOT NULL, completion INTEGER NOT NULL,
            day TEXT NOT NULL, month TEXT NOT NULL, at TEXT NOT NULL, settled_at TEXT) STRICT;
INSERT INTO "token_uses" ("id", "user_id", "feature", "credential", "device", "agent", "model", "prompt", "completion", "day", "month", "at", "settled_at") VALUES (1, 1, 'chat', 'key:1', 'key:1', NULL, 'offline', 146, 13, '2026-11-21', '2026-11', '2026-11-21T17:38:44.373Z', '2026-11-21T17:38:44.373Z');
CREATE TABLE token_counts (
            user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, subject TEXT NOT NULL, day TEXT NOT NULL, month TEXT NOT NULL,
            subject_id TEXT NOT NULL, prompt INTEGER NOT NULL, completion INTEGER NOT NULL, reserved INTEGER NOT NULL,
            PRIMARY KEY (user_id, subject, day, month, subject_id)) STRICT, WITHOUT ROWID;
INSERT INTO "token_counts" ("user_id", "subject", "day", "month", "subject_id", "prompt", "completion", "reserved") VALUES (1, 'account', '', '2026-11', '', 146, 13, 0);
INSERT INTO "token_counts" ("user_id", "subject", "day", "month", "subject_id", "prompt", "completion", "reserved") VALUES (1, 'account', '2026-11-21', '2026-11', '', 146, 13, 0);
INSERT INTO "token_counts" ("user_id", "subject", "day", "month", "subject_id", "prompt", "completion", "reserved") VALUES (1, 'credential', '', '2026-11', 'key:1', 146, 13, 0);
INSERT INTO "token_counts" ("user_id", "subject", "day", "month", "subject_id", "prompt", "completion", "reserved") VALUES (1, 'credential', '2026-11-21', '2026-11', 'key:1', 146, 13, 0);
INSERT INTO "token_counts" ("user_id", "subject", "day", "month", "subject_id", "prompt", "completion", "reserved") VALUES (1, 'device', '', '2026-11', 'key:1', 146, 13, 0);
INSERT INTO "token_counts" ("user_id", "subject", "day", "month", "subject_id", "prompt", "completion", "reserved") VALUES (1, 'device', '2026-11-21', '2026-11', 'key:1', 146, 13, 0);
INSERT INTO "token_counts" ("user_id", "subject", "day", "month", "subject_id", "prompt", "completion", "reserved") VALUES (1, 'feature', '', '2026-11', 'chat', 146, 13, 0);
INSERT INTO "token_counts" ("user_id", "subject", "day", "month", "subject_id", "prompt", "completion", "reserved") VALUES (1, 'feature', '2026-11-21', '2026-11', 'chat', 146, 13, 0);
CREATE TABLE active_devices (
            user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, month TEXT NOT NULL, device_id TEXT NOT NULL,
            first_seen_at TEXT NOT NULL, last_seen_at TEXT NOT NULL, PRIMARY KEY (user_id, month, device_id)) STRICT, WITHOUT ROWID;
INSERT INTO "active_devices" ("user_id", "month", "device_id", "first_seen_at", "last_seen_at") VALUES (1, '2026-11', 'key:1', '2026-11-21T17:38:43.822Z', '2026-11-21T17:38:43.822Z');
INSERT INTO "active_devices" ("user_id", "month", "device_id", "first_seen_at", "last_seen_at") VALUES (2, '2026-11', 'key:2', '2026-11-21T17:38:43.830Z', '2026-11-21T17:38:43.830Z');
CREATE TABLE heartbeats (
            user_id INTEGER PRIMARY KEY REFERENCES users ON DELETE CASCADE, policy TEXT CHECK (policy IN ('MESSAGES', 'ACTIONS')), policy_at TEXT,
            enabled INTEGER NOT NULL DEFAULT 0, every_minutes INTEGER NOT NULL DEFAULT 30, active_start TEXT, active_end TEXT,
            weekdays TEXT NOT NULL DEFAULT '1234567', timezone TEXT, next_run_at TEXT, planned_at TEXT, previous_due_at TEXT,
            woken INTEGER NOT NULL DEFAULT 0, failures INTEGER NOT NULL DEFAULT 0,
            conversation_id INTEGER REFERENCES conversations ON DELETE SET NULL) STRICT;
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
CREATE TABLE heartbeat_actions (
            id INTEGER PRIMARY KEY AUTOINCREMENT, run_id INTEGER NOT NULL REFERENCES heartbeat_runs ON DELETE CASCADE,
            user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, type TEXT NOT NULL, status TEXT NOT NULL
                CHECK (status IN ('proposed', 'awaiting_approval', 'executed', 'failed', 'undone')),
            title TEXT NOT NULL, payload TEXT NOT NULL, result TEXT, target_kind TEXT, target_id INTEGER, changes TEXT NOT NULL DEFAULT '[]',
            item INTEGER, content_key TEXT, escalation_id INTEGER, created_at TEXT NOT NULL, executed_at TEXT) STRICT;
CREATE TABLE contact_requests (
            id INTEGER PRIMARY KEY AUTOINCREMENT, from_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            to_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, type TEXT NOT NULL CHECK (type IN ('agent', 'friend')), note TEXT,
            status TEXT NOT NULL CHECK (status IN ('pending', 'accepted', 'rejected', 'cancelled', 'expired')), created_at TEXT NOT NULL,
            expires_at TEXT NOT NULL, decided_at TEXT) STRICT;
CREATE TABLE contact_grants (
            id INTEGER PRIMARY KEY AUTOINCREMENT, owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            holder_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, permissions TEXT NOT NULL, note_id INTEGER,
            revision INTEGER NOT NULL DEFAULT 1, expires_at TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
            UNIQUE (owner_id, holder_id)) STRICT;
CREATE TABLE threads (
            kind TEXT NOT NULL CHECK (kind IN ('direct', 'shared_agent', 'own_agent')),
            user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, other_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            conversation_id INTEGER NOT NULL UNIQUE REFERENCES conversations ON DELETE CASCADE,
            PRIMARY KEY (kind, user_id, other_id)) STRICT, WITHOUT ROWID;
CREATE TABLE waiting_messages (
            message_id INTEGER PRIMARY KEY REFERENCES messages ON DELETE CASCADE, owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            asker_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, reason TEXT NOT NULL CHECK (reason IN ('budget_spent', 'paused')),
            next_at TEXT NOT NULL, turn_id INTEGER) STRICT;
CREATE TABLE unremembered_messages (message_id INTEGER PRIMARY KEY REFERENCES messages ON DELETE CASCADE) STRICT;
CREATE TABLE web_sessions (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, digest BLOB NOT NULL UNIQUE,
            key_digest BLOB, created_at TEXT NOT NULL, expires_at TEXT NOT NULL) STRICT;
CREATE TABLE sign_in_codes (
            digest BLOB PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, expires_at TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE teams (
            id INTEGER PRIMARY KEY AUTOINCREMENT, owner_id INTEGER NOT NULL UNIQUE REFERENCES users ON DELETE CASCADE, name TEXT NOT NULL,
            created_at TEXT NOT NULL) STRICT;
CREATE TABLE team_members (
            user_id INTEGER PRIMARY KEY REFERENCES users ON DELETE CASCADE, team_id INTEGER NOT NULL REFERENCES teams ON DELETE CASCADE,
            role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member')), joined_at TEXT NOT NULL) STRICT;
CREATE TABLE team_invites (
            id INTEGER PRIMARY KEY AUTOINCREMENT, team_id INTEGER NOT NULL REFERENCES teams ON DELETE CASCADE, digest BLOB NOT NULL UNIQUE,
            email TEXT, role TEXT NOT NULL CHECK (role IN ('admin', 'member')),
            status TEXT NOT NULL CHECK (status IN ('pending', 'accepted', 'revoked')),
            invited_by INTEGER REFERENCES users ON DELETE SET NULL, created_at TEXT NOT NULL, expires_at TEXT NOT NULL) STRICT;
CREATE TABLE 'note_words_1_data'(id INTEGER PRIMARY KEY, block BLOB);
INSERT INTO "note_words_1_data" ("id", "block") VALUES (1, X'051C0A0101');
INSERT INTO "note_words_1_data" ("id", "block") VALUES (10, X'000000030101000001010101');
INSERT INTO "note_words_1_data" ("id", "block") VALUES (137438953473, X'00000117033031320402040105617072696C0102040104646174650102070306010103010165030209010566726F73740102060308030101020104676F6E6505060101020102696E01020301020503020202017302020401046C61737404020201036D6169040205020164010601010301060101030106010104010472616B650202030103736565010205020368656402020702026F7701020201037468650204020603020302056F6D61746F010C01010201020203026F6C02080801010202047261736805020401077765617468657204060103020106E381A8E4BAAC0302050106E4BAACE983BD030A03050101020106E69DB1E4BAAC0302020103E983BD0308070101030403E381A80302040104F3B0A68A03020804070A0E06100B0D06090812090808070C0F0A090E0B0F0B0B08');
CREATE TABLE 'note_words_1_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
INSERT INTO "note_words_1_idx" ("segid", "term", "pgno") VALUES (1, X'', 2);
CREATE TABLE 'note_words_1_docsize'(id INTEGER PRIMARY KEY, sz BLOB);
INSERT INTO "note_words_1_docsize" ("id", "sz") VALUES (1, X'06020100');
INSERT INTO "note_words_1_docsize" ("id", "sz") VALUES (2, X'07020000');
INSERT INTO "note_words_1_docsize" ("id", "sz") VALUES (3, X'08030000');
INSERT INTO "note_words_1_docsize" ("id", "sz") VALUES (4, X'04020001');
INSERT INTO "note_words_1_docsize" ("id", "sz") VALUES (5, X'03010000');
CREATE TABLE 'note_words_1_config'(k PRIMARY KEY, v) WITHOUT ROWID;
INSERT INTO "note_words_1_config" ("k", "v") VALUES ('automerge', 0);
INSERT INTO "note_words_1_config" ("k", "v") VALUES ('crisismerge', 64);
INSERT INTO "note_words_1_config" ("k", "v") VALUES ('rank', 'bm25(1.0, 3.0, 2.0, 3.0)');
INSERT INTO "note_words_1_config" ("k", "v") VALUES ('version', 4);
CREATE TABLE 'note_words_2_data'(id INTEGER PRIMARY KEY, block BLOB);
INSERT INTO "note_words_2_data" ("id", "block") VALUES (1, X'0103020000');
INSERT INTO "note_words_2_data" ("id", "block") VALUES (10, X'000000030101000001010101');
INSERT INTO "note_words_2_data" ("id", "block") VALUES (137438953473, X'0000002E043062656E06060101030102686906020201026F6606060101020202776E0602030104776F7264060204040A070907');
CREATE TABLE 'note_words_2_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
INSERT INTO "note_words_2_idx" ("segid", "term", "pgno") VALUES (1, X'', 2);
CREATE TABLE 'note_words_2_docsize'(id INTEGER PRIMARY KEY, sz BLOB);
INSERT INTO "note_words_2_docsize" ("id", "sz") VALUES (6, X'03020000');
CREATE TABLE 'note_words_2_config'(k PRIMARY KEY, v) WITHOUT ROWID;
INSERT INTO "note_words_2_config" ("k", "v") VALUES ('automerge', 0);
INSERT INTO "note_words_2_config" ("k", "v") VALUES ('crisismerge', 64);
INSERT INTO "note_words_2_config" ("k", "v") VALUES ('rank', 'bm25(1.0, 3.0, 2.0, 3.0)');
INSERT INTO "note_words_2_config" ("k", "v") VALUES ('version', 4);
CREATE TABLE 'episode_words_1_data'(id INTEGER PRIMARY KEY, block BLOB);
INSERT INTO "episode_words_1_data" ("id", "block") VALUES (1, X'020A53');
INSERT INTO "episode_words_1_data" ("id", "block") VALUES (10, X'000000010102020002010101020101');
INSERT INTO "episode_words_1_data" ("id", "block") VALUES (137438953473, X'0000007B023031010601010E0105617072696C01060101090102646F0108030101030106686561727468010601010C01016901080401010402016E010601010801026D64010601010B01046E6F7465010601010D0103736F77010A05010105040106746F6D61746F010A060101060601047768656E01080201010204080C0A0D0908090B0C0F');
INSERT INTO "episode_words_1_data" ("id", "block") VALUES (274877906945, X'000001DC023031020601011202013102020501043230323602020402013102020601013302080101170501013402080101230801013502060101240103616E64020601010C0105627269656602020201056368616E67021001012C030507080702036F6D65020601011301036461690208010118050302746502060101340202756502080101071A01016502080101093D020476656E74020801010E1A010566726F737402060101330105676976656E020801012821010468617665020601012B0102696E020601011402017302080101060B01046A757374020C01013107080701046C656674020601011001046D61696C020801010A3D020164020A01012F0D0702056F6E646169020601012101046E65787402080101160502016F020E01010406071A2003027465020601012A0401680206010102030177020C01013207080701026F6602020302016E02060101200105707265737302060101030306696F7269746902060101220105736565646C020601011E010374686502080101150A02046F646169020601011104016F020601010503046D61746F020601012E03026F6C020601013E0102776102080101272103026974020601010B0303746572020601011C0106E4BAACE983BD02060101380103E983BD020601013904080609060909080A0A110A0B090A090C0C0D0B09090E0B0C0A0C0C0C09080B07080C0D0C0B0B080B090A090A0D');
CREATE TABLE 'episode_words_1_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
INSERT INTO "episode_words_1_idx" ("segid", "term", "pgno") VALUES (1, X'', 2);
INSERT INTO "episode_words_1_idx" ("segid", "term", "pgno") VALUES (2, X'', 2);
CREATE TABLE 'episode_words_1_docsize'(id INTEGER PRIMARY KEY, sz BLOB);
INSERT INTO "episode_words_1_docsize" ("id", "sz") VALUES (1, X'050D');
INSERT INTO "episode_words_1_docsize" ("id", "sz") VALUES (2, X'0546');
CREATE TABLE 'episode_words_1_config'(k PRIMARY KEY, v) WITHOUT ROWID;
INSERT INTO "episode_words_1_config" ("k", "v") VALUES ('rank', 'bm25(2.0, 1.0)');
INSERT INTO "episode_words_1_config" ("k", "v") VALUES ('version', 4);
CREATE TABLE share_links (
            id INTEGER PRIMARY KEY AUTOINCREMENT, owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, token TEXT NOT NULL UNIQUE,
            label TEXT NOT NULL, target TEXT NOT NULL CHECK (target IN ('agent', 'note')),
            answered_by TEXT NOT NULL CHECK (answered_by IN ('agent', 'local')), require_sign_in INTEGER NOT NULL CHECK (require_sign_in IN (0, 1)),
            note_id INTEGER, terms TEXT NOT NULL, policy_note_id INTEGER, created_at TEXT NOT NULL, expires_at TEXT, revoked_at TEXT) STRICT;
CREATE TABLE guest_sessions (
            id INTEGER PRIMARY KEY AUTOINCREMENT, link_id INTEGER NOT NULL REFERENCES share_links ON DELETE CASCADE,
            owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, uuid TEXT NOT NULL UNIQUE, key_digest BLOB NOT NULL UNIQUE,
            conversation_id INTEGER NOT NULL UNIQUE REFERENCES conversations ON DELETE CASCADE,
            guest_id INTEGER REFERENCES users ON DELETE SET NULL, guest_name TEXT, fingerprint TEXT NOT NULL, asked INTEGER NOT NULL DEFAULT 0,
            created_at TEXT NOT NULL, active_at TEXT NOT NULL) STRICT;
CREATE TABLE guest_decisions (
            owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, client_event_id TEXT NOT NULL, decision TEXT NOT NULL,
            created_at TEXT NOT NULL, PRIMARY KEY (owner_id, client_event_id)) STRICT, WITHOUT ROWID;
DELETE FROM sqlite_sequence;
INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('caps', 2);
INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('users', 2);
INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('keys', 2);
INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('folders', 5);
INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('notes', 6);
INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('snapshots', 2);
INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('trash', 1);
INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('todos', 2);
INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('conversations', 1);
INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('messages', 2);
INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('turns', 1);
INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('token_uses', 1);
INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('turn_calls', 1);
INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('episodes', 2);
INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('audit', 1);
INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('briefings', 1);
INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('attachments', 1);
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
CREATE INDEX waiting_grams_due ON waiting_grams (note_id) WHERE large = 0 OR indexed IS NOT NULL;
CREATE INDEX replacements_by_user ON replacements (user_id);
CREATE INDEX replaced_notes_by_note ON replaced_notes (note_id);
CREATE INDEX note_links_by_target ON note_links (owner_id, kind, target, note_id);
CREATE UNIQUE INDEX name_words_by_word ON name_words (owner_id, word);
CREATE INDEX tag_names_by_owner ON tag_names (owner_id);
CREATE INDEX todos_by_update ON todos (owner_id, updated_at) WHERE trash_id IS NULL;
CREATE INDEX briefings_by_time ON briefings (owner_id, generated_at);
CREATE INDEX conversations_by_owner ON conversations (owner_id);
CREATE INDEX conversation_members_by_user ON conversation_members (user_id, hidden, active_at);
CREATE INDEX messages_by_conversation ON messages (conversation_id);
CREATE INDEX messages_by_sender ON messages (sender_id) WHERE sender_id IS NOT NULL;
CREATE INDEX turns_by_conversation ON turns (conversation_id);
CREATE INDEX turns_by_user ON turns (user_id, started_at);
CREATE INDEX turns_running ON turns (status) WHERE status = 'running';
CREATE INDEX turn_calls_by_turn ON turn_calls (turn_id);
CREATE INDEX escalations_by_user ON escalations (user_id, status, id);
CREATE INDEX escalations_by_id ON escalations (user_id, id);
CREATE INDEX escalations_due ON escalations (expires_at) WHERE status = 'pending';
CREATE INDEX escalations_begun ON escalations (status) WHERE status = 'continued';
CREATE UNIQUE INDEX precedents_by_call ON precedents (user_id, tool, origin, scope, session, taint);
CREATE INDEX precedents_by_conversation ON precedents (conversation_id) WHERE conversation_id IS NOT NULL;
CREATE INDEX audit_by_user ON audit (user_id, id);
CREATE TRIGGER audit_refuses_update BEFORE UPDATE ON audit
                BEGIN SELECT RAISE(ABORT, 'the audit is only ever added to'); END;
CREATE TRIGGER audit_refuses_delete BEFORE DELETE ON audit
                BEGIN SELECT RAISE(ABORT, 'the audit is only ever added to'); END;
CREATE INDEX episodes_by_time ON episodes (user_id, at);
CREATE INDEX episodes_by_conversation ON episodes (conversation_id) WHERE conversation_id IS NOT NULL;
CREATE INDEX memory_writes_by_time ON memory_writes (user_id, by, at);
CREATE INDEX attachments_by_owner ON attachments (owner_id, complete, id, size);
CREATE INDEX attachments_incomplete ON attachments (created_at) WHERE complete = 0;
CREATE INDEX message_attachments_by_attachment ON message_attachments (attachment_id) WHERE attachment_id IS NOT NULL;
CREATE UNIQUE INDEX integrations_by_name ON integrations (user_id, name_key);
CREATE INDEX integrations_due ON integrations (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX calendar_events_by_end ON calendar_events (integration_id, generation, ends);
CREATE INDEX token_uses_by_time ON token_uses (user_id, at);
CREATE INDEX token_uses_open ON token_uses (at) WHERE settled_at IS NULL;
CREATE INDEX heartbeats_due ON heartbeats (next_run_at) WHERE enabled = 1;
CREATE INDEX heartbeats_by_conversation ON heartbeats (conversation_id) WHERE conversation_id IS NOT NULL;
CREATE INDEX heartbeat_runs_by_user ON heartbeat_runs (user_id, started_at);
CREATE UNIQUE INDEX heartbeat_runs_running ON heartbeat_runs (user_id) WHERE status = 'running';
CREATE INDEX heartbeat_actions_by_run ON heartbeat_actions (run_id);
CREATE INDEX heartbeat_actions_by_user ON heartbeat_actions (user_id, created_at);
CREATE INDEX heartbeat_actions_by_key ON heartbeat_actions (user_id, content_key, created_at) WHERE content_key IS NOT NULL;
CREATE INDEX heartbeat_actions_by_target ON heartbeat_actions (user_id, target_kind, target_id) WHERE target_id IS NOT NULL;
CREATE UNIQUE INDEX contact_requests_pending ON contact_requests (from_id, to_id, type) WHERE status = 'pending';
CREATE INDEX contact_requests_incoming ON contact_requests (to_id) WHERE status = 'pending';
CREATE INDEX contact_requests_by_sender ON contact_requests (from_id);
CREATE INDEX contact_requests_by_recipient ON contact_requests (to_id);
CREATE INDEX contact_grants_by_holder ON contact_grants (holder_id);
CREATE UNIQUE INDEX messages_by_client ON messages (conversation_id, sender_id, client_message_id) WHERE client_message_id IS NOT NULL;
CREATE INDEX threads_by_user ON threads (user_id);
CREATE INDEX threads_by_other ON threads (other_id);
CREATE INDEX waiting_messages_due ON waiting_messages (next_at, message_id) WHERE turn_id IS NULL;
CREATE INDEX waiting_messages_claimed ON waiting_messages (turn_id) WHERE turn_id IS NOT NULL;
CREATE INDEX waiting_messages_by_owner ON waiting_messages (owner_id, asker_id);
CREATE INDEX waiting_messages_by_asker ON waiting_messages (asker_id);
CREATE INDEX web_sessions_by_user ON web_sessions (user_id, expires_at);
CREATE INDEX web_sessions_by_end ON web_sessions (expires_at);
CREATE INDEX sign_in_codes_by_user ON sign_in_codes (user_id);
CREATE INDEX team_members_by_team ON team_members (team_id);
CREATE INDEX team_invites_pending ON team_invites (team_id) WHERE status = 'pending';
CREATE INDEX team_invites_by_team ON team_invites (team_id);
CREATE INDEX team_invites_by_inviter ON team_invites (invited_by);
CREATE INDEX share_links_by_owner ON share_links (owner_id);
CREATE INDEX share_links_kept ON share_links (owner_id) WHERE revoked_at IS NULL;
CREATE INDEX guest_sessions_by_link ON guest_sessions (link_id, active_at);
CREATE INDEX guest_sessions_by_visitor ON guest_sessions (link_id, fingerprint, asked);
CREATE INDEX guest_sessions_by_beginning ON guest_sessions (link_id, created_at);
CREATE INDEX guest_sessions_by_owner ON guest_sessions (owner_id, active_at);
CREATE INDEX guest_sessions_by_guest ON guest_sessions (guest_id) WHERE guest_id IS NOT NULL;
PRAGMA writable_schema=ON;
INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES ('table', 'note_grams', 'note_grams', 0, 'CREATE VIRTUAL TABLE note_grams USING fts5 (content, content='''', columnsize=0, detail=none, tokenize=''trigram case_sensitive 0'')');
INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES ('table', 'name_index', 'name_index', 0, 'CREATE VIRTUAL TABLE name_index USING fts5 (tokens, content='''', detail=none, columnsize=0, prefix=''7 8 9'', tokenize=''ascii'')');
INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES ('table', 'message_words', 'message_words', 0, 'CREATE VIRTUAL TABLE message_words USING fts5 (
            content, content='''', tokenize="porter unicode61 remove_diacritics 2 categories ''L* N* Co Mn Mc''")');
INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES ('table', 'note_words_1', 'note_words_1', 0, 'CREATE VIRTUAL TABLE note_words_1 USING fts5 (content, title, headings, tags, content='''', tokenize="porter unicode61 remove_diacritics 2 categories ''L* N* Co Mn Mc''")');
INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES ('table', 'note_words_2', 'note_words_2', 0, 'CREATE VIRTUAL TABLE note_words_2 USING fts5 (content, title, headings, tags, content='''', tokenize="porter unicode61 remove_diacritics 2 categories ''L* N* Co Mn Mc''")');
INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES ('table', 'episode_words_1', 'episode_words_1', 0, 'CREATE VIRTUAL TABLE episode_words_1 USING fts5 (title, content, content='''', tokenize="porter unicode61 remove_diacritics 2 categories ''L* N* Co Mn Mc''")');
PRAGMA writable_schema=OFF;
COMMIT;
