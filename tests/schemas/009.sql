PRAGMA auto_vacuum=INCREMENTAL;
BEGIN;
CREATE TABLE "_sqlite_migrations" (
   "id" INTEGER PRIMARY KEY,
   "migration_set" TEXT,
   "name" TEXT,
   "applied_at" TEXT
);
INSERT INTO "_sqlite_migrations" ("id", "migration_set", "name", "applied_at") VALUES (1, 'hearth', 'm001_accounts', '2026-11-21 17:39:23.769841+00:00');
INSERT INTO "_sqlite_migrations" ("id", "migration_set", "name", "applied_at") VALUES (2, 'hearth', 'm002_workspace', '2026-11-21 17:39:23.818949+00:00');
INSERT INTO "_sqlite_migrations" ("id", "migration_set", "name", "applied_at") VALUES (3, 'hearth', 'm003_words', '2026-11-21 17:39:23.835100+00:00');
INSERT INTO "_sqlite_migrations" ("id", "migration_set", "name", "applied_at") VALUES (4, 'hearth', 'm004_grams', '2026-11-21 17:39:23.856604+00:00');
INSERT INTO "_sqlite_migrations" ("id", "migration_set", "name", "applied_at") VALUES (5, 'hearth', 'm005_vectors', '2026-11-21 17:39:23.884740+00:00');
INSERT INTO "_sqlite_migrations" ("id", "migration_set", "name", "applied_at") VALUES (6, 'hearth', 'm006_links', '2026-11-21 17:39:23.898338+00:00');
INSERT INTO "_sqlite_migrations" ("id", "migration_set", "name", "applied_at") VALUES (7, 'hearth', 'm007_names', '2026-11-21 17:39:23.907489+00:00');
INSERT INTO "_sqlite_migrations" ("id", "migration_set", "name", "applied_at") VALUES (8, 'hearth', 'm008_briefings', '2026-11-21 17:39:23.932718+00:00');
INSERT INTO "_sqlite_migrations" ("id", "migration_set", "name", "applied_at") VALUES (9, 'hearth', 'm009_tools', '2026-11-21 17:39:23.946429+00:00');
CREATE TABLE users (
            id INTEGER PRIMARY KEY AUTOINCREMENT, uuid TEXT NOT NULL UNIQUE, username TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
            settings TEXT NOT NULL DEFAULT '{}', created_at TEXT NOT NULL) STRICT;
INSERT INTO "users" ("id", "uuid", "username", "name", "settings", "created_at") VALUES (1, '31fafeff-4e9c-4441-82bd-9af8a51d153d', 'ann', 'ann', '{"agent_name":null,"email":null,"timezone":"Europe/Berlin","locale":"en","replan_per_day":5,"default_model":null,"inbox_from":"anyone","escalation_ttl_hours":72,"trash_days":30,"snapshot_keep":500}', '2026-11-21T17:39:24.010Z');
INSERT INTO "users" ("id", "uuid", "username", "name", "settings", "created_at") VALUES (2, '93e7e806-6e68-4c62-8c90-3b20c36cecb2', 'ben', 'ben', '{}', '2026-11-21T17:39:24.029Z');
CREATE TABLE keys (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, name TEXT NOT NULL,
            digest BLOB NOT NULL UNIQUE, prefix TEXT NOT NULL, last4 TEXT NOT NULL, scopes TEXT NOT NULL,
            created_at TEXT NOT NULL, last_used_at TEXT, expires_at TEXT, revoked_at TEXT,
            old_digest BLOB UNIQUE, old_expires_at TEXT) STRICT;
INSERT INTO "keys" ("id", "user_id", "name", "digest", "prefix", "last4", "scopes", "created_at", "last_used_at", "expires_at", "revoked_at", "old_digest", "old_expires_at") VALUES (1, 1, 'laptop', X'C4D0ED5414E151561B09819DCC59C30DE6B4EC6FCB2346366DE8E02C281A1C4E', 'hearth_sk_', 'PZjO', '["*"]', '2026-11-21T17:39:24.036Z', '2026-11-21T17:39:24.053Z', NULL, NULL, NULL, NULL);
INSERT INTO "keys" ("id", "user_id", "name", "digest", "prefix", "last4", "scopes", "created_at", "last_used_at", "expires_at", "revoked_at", "old_digest", "old_expires_at") VALUES (2, 2, 'laptop', X'6D7B8A15973AFDFF2A1EA2E2FC7993A28C12D36CCC5E02ADB3BF0C9045F0E7C6', 'hearth_sk_', '3AZd', '["*"]', '2026-11-21T17:39:24.046Z', '2026-11-21T17:39:24.073Z', NULL, NULL, NULL, NULL);
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
INSERT INTO "workspaces" ("owner_id", "note_count", "root_count", "total_bytes", "changed_at") VALUES (1, 4, 0, 122, '2026-11-21T17:39:24.158Z');
INSERT INTO "workspaces" ("owner_id", "note_count", "root_count", "total_bytes", "changed_at") VALUES (2, 1, 1, 13, '2026-11-21T17:39:24.202Z');
CREATE TABLE trash (
            id INTEGER PRIMARY KEY AUTOINCREMENT, owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            kind TEXT NOT NULL CHECK (kind IN ('note', 'todo', 'folder')), item_id INTEGER NOT NULL, title TEXT NOT NULL, path TEXT NOT NULL,
            trashed_at TEXT NOT NULL, trashed_by TEXT NOT NULL, UNIQUE (kind, item_id)) STRICT;
INSERT INTO "trash" ("id", "owner_id", "kind", "item_id", "title", "path", "trashed_at", "trashed_by") VALUES (1, 1, 'note', 5, 'Gone', '', '2026-11-21T17:39:24.158Z', '{"kind":"key","id":"1","name":"laptop"}');
CREATE TABLE folders (
            id INTEGER PRIMARY KEY AUTOINCREMENT, owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            parent_id INTEGER REFERENCES folders, name TEXT NOT NULL, name_key TEXT NOT NULL, icon TEXT,
            note_count INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL, trash_id INTEGER REFERENCES trash) STRICT;
INSERT INTO "folders" ("id", "owner_id", "parent_id", "name", "name_key", "icon", "note_count", "created_at", "trash_id") VALUES (1, 1, NULL, 'General', 'general', NULL, 0, '2026-11-21T17:39:24.054Z', NULL);
INSERT INTO "folders" ("id", "owner_id", "parent_id", "name", "name_key", "icon", "note_count", "created_at", "trash_id") VALUES (2, 2, NULL, 'General', 'general', NULL, 0, '2026-11-21T17:39:24.074Z', NULL);
INSERT INTO "folders" ("id", "owner_id", "parent_id", "name", "name_key", "icon", "note_count", "created_at", "trash_id") VALUES (3, 1, NULL, 'Garden', 'garden', NULL, 2, '2026-11-21T17:39:24.075Z', NULL);
INSERT INTO "folders" ("id", "owner_id", "parent_id", "name", "name_key", "icon", "note_count", "created_at", "trash_id") VALUES (4, 1, 3, 'Spring', 'spring', NULL, 1, '2026-11-21T17:39:24.075Z', NULL);
INSERT INTO "folders" ("id", "owner_id", "parent_id", "name", "name_key", "icon", "note_count", "created_at", "trash_id") VALUES (5, 1, NULL, '日本', '日本', NULL, 1, '2026-11-21T17:39:24.075Z', NULL);
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
INSERT INTO "notes" ("id", "owner_id", "folder_id", "title", "tags", "pinned", "word_count", "size", "revision", "version", "snapshot_seq", "snapshot_count", "created_at", "updated_at", "trash_id", "content") VALUES (1, 1, 4, 'Tomatoes.md', '[]', 0, 7, 46, 2, 2, 2, 2, '2026-11-21T17:39:24.075Z', '2026-11-21T17:39:24.156Z', NULL, '# Tomatoes

Sow in April. See [[Frost dates]].');
INSERT INTO "notes" ("id", "owner_id", "folder_id", "title", "tags", "pinned", "word_count", "size", "revision", "version", "snapshot_seq", "snapshot_count", "created_at", "updated_at", "trash_id", "content") VALUES (2, 1, 3, 'Tools.md', '[]', 0, 7, 31, 1, 1, 0, 0, '2026-11-21T17:39:24.075Z', '2026-11-21T17:39:24.075Z', NULL, 'The rake is in the shed. #tools');
INSERT INTO "notes" ("id", "owner_id", "folder_id", "title", "tags", "pinned", "word_count", "size", "revision", "version", "snapshot_seq", "snapshot_count", "created_at", "updated_at", "trash_id", "content") VALUES (3, 1, 5, '京都.md', '[]', 0, 7, 26, 1, 1, 0, 0, '2026-11-21T17:39:24.075Z', '2026-11-21T17:39:24.075Z', NULL, '東京都と京都 🦊 é');
INSERT INTO "notes" ("id", "owner_id", "folder_id", "title", "tags", "pinned", "word_count", "size", "revision", "version", "snapshot_seq", "snapshot_count", "created_at", "updated_at", "trash_id", "content") VALUES (4, 1, 3, 'Frost dates', '["weather"]', 0, 4, 19, 1, 1, 0, 0, '2026-11-21T17:39:24.129Z', '2026-11-21T17:39:24.129Z', NULL, 'Last frost: 12 May.');
INSERT INTO "notes" ("id", "owner_id", "folder_id", "title", "tags", "pinned", "word_count", "size", "revision", "version", "snapshot_seq", "snapshot_count", "created_at", "updated_at", "trash_id", "content") VALUES (5, 1, NULL, 'Gone', '[]', 0, 3, 12, 1, 1, 0, 0, '2026-11-21T17:39:24.144Z', '2026-11-21T17:39:24.144Z', 1, 'in the trash');
INSERT INTO "notes" ("id", "owner_id", "folder_id", "title", "tags", "pinned", "word_count", "size", "revision", "version", "snapshot_seq", "snapshot_count", "created_at", "updated_at", "trash_id", "content") VALUES (6, 2, NULL, 'Of Ben', '[]', 0, 3, 13, 1, 1, 0, 0, '2026-11-21T17:39:24.202Z', '2026-11-21T17:39:24.202Z', NULL, 'his own words');
CREATE TABLE note_tags (
            owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, tag_key TEXT NOT NULL,
            note_id INTEGER NOT NULL, PRIMARY KEY (owner_id, tag_key, note_id)) STRICT, WITHOUT ROWID;
INSERT INTO "note_tags" ("owner_id", "tag_key", "note_id") VALUES (1, 'weather', 4);
CREATE TABLE waiting_words (note_id INTEGER PRIMARY KEY) STRICT;
CREATE TABLE snapshots (
            id INTEGER PRIMARY KEY AUTOINCREMENT, note_id INTEGER NOT NULL REFERENCES notes ON DELETE CASCADE, seq INTEGER NOT NULL,
            label TEXT, title TEXT NOT NULL, message TEXT, author TEXT NOT NULL, word_count INTEGER NOT NULL, automatic INTEGER NOT NULL,
            created_at TEXT NOT NULL, content TEXT NOT NULL, UNIQUE (note_id, seq)) STRICT;
INSERT INTO "snapshots" ("id", "note_id", "seq", "label", "title", "message", "author", "word_count", "automatic", "created_at", "content") VALUES (1, 1, 1, 'before', 'Tomatoes.md', NULL, '{"kind":"key","id":"1","name":"laptop"}', 10, 0, '2026-11-21T17:39:24.145Z', '# Tomatoes

Sow indoors in *March*. See [[Frost dates]].

- Black Krim');
INSERT INTO "snapshots" ("id", "note_id", "seq", "label", "title", "message", "author", "word_count", "automatic", "created_at", "content") VALUES (2, 1, 2, 'auto: before edit', 'Tomatoes.md', NULL, '{"kind":"key","id":"1","name":"laptop"}', 10, 1, '2026-11-21T17:39:24.156Z', '# Tomatoes

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
INSERT INTO "todos" ("id", "owner_id", "title", "description", "completed", "completed_at", "priority", "due_date", "deadline", "steps", "last_step", "recurrence", "wall", "next_id", "created_at", "updated_at", "trash_id", "words") VALUES (1, 1, 'Water the seedlings', NULL, 1, '2026-11-21T17:39:24.192Z', 4, '2026-11-21', '2026-11-21T23:59:59.999Z', '[{"id":1,"title":"Fill the can","completed":false}]', 1, '{"rule":"FREQ=DAILY;INTERVAL=2","from":"done"}', NULL, 2, '2026-11-21T17:39:24.165Z', '2026-11-21T17:39:24.192Z', NULL, 'water the seedlings

fill the can');
INSERT INTO "todos" ("id", "owner_id", "title", "description", "completed", "completed_at", "priority", "due_date", "deadline", "steps", "last_step", "recurrence", "wall", "next_id", "created_at", "updated_at", "trash_id", "words") VALUES (2, 1, 'Water the seedlings', NULL, 0, NULL, 4, '2026-11-23', '2026-11-23T23:59:59.999Z', '[{"id":1,"title":"Fill the can","completed":false}]', 1, '{"rule":"FREQ=DAILY;INTERVAL=2","from":"done"}', NULL, NULL, '2026-11-21T17:39:24.192Z', '2026-11-21T17:39:24.192Z', NULL, 'water the seedlings

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
INSERT INTO "briefings" ("id", "owner_id", "time_duration", "status_summary", "todo_summary", "calendar_summary", "notes_summary", "email_summary", "suggestions", "tokens", "generated_at") VALUES (1, 1, 'last 24 hours', '<p data-lead="1">Nothing presses: no todo is due, no e-mail waits and no event is left today.</p>', '<p data-lead="1">1 comes in the next 3 days.</p><p><strong>Next 3 days</strong></p><ul><li data-id="2" data-title="Water the seedlings" data-due="2026-11-23" data-priority="0.8">Water the seedlings <em>due on Monday, priority 4/5</em></li></ul>', '<p data-lead="1">No event was given.</p>', '<p data-lead="1">4 notes have changed.</p><p><strong>Changed</strong></p><ul><li data-id="1" data-title="Tomatoes.md" data-hint="Tomatoes Sow in April. See [[Frost dates]].">Tomatoes.md <em>changed just now</em></li><li data-id="4" data-title="Frost dates" data-hint="Last frost: 12 May.">Frost dates <em>changed just now</em></li><li data-id="3" data-title="京都.md" data-hint="東京都と京都 🦊 é">京都.md <em>changed just now</em></li><li data-id="2" data-title="Tools.md" data-hint="The rake is in the shed. #tools">Tools.md <em>changed just now</em></li></ul>', '<p data-lead="1">No e-mail was given.</p>', '[]', 0, '2026-11-21T17:39:24.242Z');
CREATE TABLE tool_namespaces (
            user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, credential TEXT NOT NULL, namespace TEXT NOT NULL,
            enabled INTEGER NOT NULL, PRIMARY KEY (user_id, credential, namespace)) STRICT, WITHOUT ROWID;
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
DELETE FROM sqlite_sequence;
INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('users', 2);
INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('keys', 2);
INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('folders', 5);
INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('notes', 6);
INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('snapshots', 2);
INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('trash', 1);
INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('todos', 2);
INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('briefings', 1);
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
PRAGMA writable_schema=ON;
INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES ('table', 'note_grams', 'note_grams', 0, 'CREATE VIRTUAL TABLE note_grams USING fts5 (content, content='''', columnsize=0, detail=none, tokenize=''trigram case_sensitive 0'')');
INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES ('table', 'name_index', 'name_index', 0, 'CREATE VIRTUAL TABLE name_index USING fts5 (tokens, content='''', detail=none, columnsize=0, prefix=''7 8 9'', tokenize=''ascii'')');
INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES ('table', 'note_words_1', 'note_words_1', 0, 'CREATE VIRTUAL TABLE note_words_1 USING fts5 (content, title, headings, tags, content='''', tokenize="porter unicode61 remove_diacritics 2 categories ''L* N* Co Mn Mc''")');
INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES ('table', 'note_words_2', 'note_words_2', 0, 'CREATE VIRTUAL TABLE note_words_2 USING fts5 (content, title, headings, tags, content='''', tokenize="porter unicode61 remove_diacritics 2 categories ''L* N* Co Mn Mc''")');
PRAGMA writable_schema=OFF;
COMMIT;
