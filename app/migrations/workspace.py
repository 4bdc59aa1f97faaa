"""The steps that made accounts, the workspace, search, links and names."""

from typing import TYPE_CHECKING

from app.migrations.statements import run

if TYPE_CHECKING:
    from sqlite_utils import Database


def m001_accounts(db: "Database") -> None:
    """Make users, their keys and contacts, OAuth grants, and the replies kept for retries."""
    run(
        db,
        """
        CREATE TABLE users (
            id INTEGER PRIMARY KEY AUTOINCREMENT, uuid TEXT NOT NULL UNIQUE, username TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
            settings TEXT NOT NULL DEFAULT '{}', created_at TEXT NOT NULL) STRICT;
        CREATE TABLE keys (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, name TEXT NOT NULL,
            digest BLOB NOT NULL UNIQUE, prefix TEXT NOT NULL, last4 TEXT NOT NULL, scopes TEXT NOT NULL,
            created_at TEXT NOT NULL, last_used_at TEXT, expires_at TEXT, revoked_at TEXT,
            old_digest BLOB UNIQUE, old_expires_at TEXT) STRICT;
        CREATE INDEX keys_by_user ON keys (user_id);
        CREATE TABLE contacts (
            user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, contact_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            connected_at TEXT NOT NULL, PRIMARY KEY (user_id, contact_id)) STRICT, WITHOUT ROWID;
        CREATE INDEX contacts_by_contact ON contacts (contact_id);
        CREATE TABLE oauth_grants (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, client_id TEXT NOT NULL,
            client_name TEXT NOT NULL, scopes TEXT NOT NULL, created_at TEXT NOT NULL, last_used_at TEXT, revoked_at TEXT) STRICT;
        CREATE INDEX oauth_grants_by_user ON oauth_grants (user_id);
        CREATE TABLE idempotent_replies (
            user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, operation TEXT NOT NULL, key TEXT NOT NULL, fingerprint TEXT NOT NULL,
            status INTEGER, body BLOB, expires_at TEXT NOT NULL, PRIMARY KEY (user_id, operation, key)) STRICT, WITHOUT ROWID;
        CREATE INDEX idempotent_replies_by_expiry ON idempotent_replies (expires_at);
        """,
    )


def m002_workspace(db: "Database") -> None:
    """Make workspaces, folders and their shares, notes with their search index, snapshots, todos
    and the trash.
    """
    run(
        db,
        """
        CREATE TABLE workspaces (
            owner_id INTEGER PRIMARY KEY REFERENCES users ON DELETE CASCADE, note_count INTEGER NOT NULL DEFAULT 0,
            root_count INTEGER NOT NULL DEFAULT 0, total_bytes INTEGER NOT NULL DEFAULT 0, changed_at TEXT NOT NULL) STRICT;
        CREATE TABLE trash (
            id INTEGER PRIMARY KEY AUTOINCREMENT, owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            kind TEXT NOT NULL CHECK (kind IN ('note', 'todo', 'folder')), item_id INTEGER NOT NULL, title TEXT NOT NULL, path TEXT NOT NULL,
            trashed_at TEXT NOT NULL, trashed_by TEXT NOT NULL, UNIQUE (kind, item_id)) STRICT;
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
        CREATE VIRTUAL TABLE note_words USING fts5 (
            title, tags, content, content='notes', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2');
        INSERT INTO note_words (note_words, rank) VALUES ('automerge', 0);
        INSERT INTO note_words (note_words, rank) VALUES ('crisismerge', 64);
        INSERT INTO note_words (note_words, rank) VALUES ('rank', 'bm25(4.0, 3.0, 1.0)');
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
        """,
    )


def m003_words(db: "Database") -> None:
    """Give each owner a word index of their own, made in the background from all notes that are
    there; see workspace/index/word_index.py.
    """
    run(
        db,
        """
        DROP TABLE note_words;
        DELETE FROM waiting_words;
        CREATE TABLE word_owners (owner_id INTEGER PRIMARY KEY REFERENCES users ON DELETE CASCADE) STRICT;
        CREATE TABLE word_index (id INTEGER PRIMARY KEY CHECK (id = 1), format INTEGER NOT NULL, stale_to INTEGER NOT NULL) STRICT;
        INSERT INTO word_index SELECT 1, 1, ifnull(max(id), 0) FROM notes;
        """,
    )


def m004_grams(db: "Database") -> None:
    """Make the trigram index of notes, into which the notes that are there already come in the
    background, and the record of replacements.
    """
    run(
        db,
        """
        CREATE VIRTUAL TABLE note_grams USING fts5 (content, content='', columnsize=0, detail=none, tokenize='trigram case_sensitive 0');
        INSERT INTO note_grams (note_grams, rank) VALUES ('automerge', 0);
        INSERT INTO note_grams (note_grams, rank) VALUES ('crisismerge', 1000);
        CREATE TABLE waiting_grams (note_id INTEGER PRIMARY KEY, large INTEGER NOT NULL, indexed TEXT) STRICT;
        CREATE INDEX waiting_grams_due ON waiting_grams (note_id) WHERE large = 0 OR indexed IS NOT NULL;
        INSERT INTO waiting_grams (note_id, large) SELECT id, size > 131072 FROM notes;
        CREATE TABLE replacements (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, created_at TEXT NOT NULL) STRICT;
        CREATE INDEX replacements_by_user ON replacements (user_id);
        CREATE TABLE replaced_notes (
            replacement_id INTEGER NOT NULL REFERENCES replacements ON DELETE CASCADE, note_id INTEGER NOT NULL REFERENCES notes ON DELETE CASCADE,
            version INTEGER NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (replacement_id, note_id)) STRICT, WITHOUT ROWID;
        CREATE INDEX replaced_notes_by_note ON replaced_notes (note_id);
        """,
    )


def m005_vectors(db: "Database") -> None:
    """Make the vectors of notes' passages, and the models they come from."""
    run(
        db,
        """
        CREATE TABLE embedding_models (
            id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, dimension INTEGER NOT NULL,
            complete INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL, UNIQUE (name, dimension)) STRICT;
        CREATE TABLE note_passages (
            id INTEGER PRIMARY KEY AUTOINCREMENT, note_id INTEGER NOT NULL REFERENCES notes ON DELETE CASCADE,
            model_id INTEGER NOT NULL REFERENCES embedding_models, version INTEGER NOT NULL, title TEXT NOT NULL,
            spans BLOB NOT NULL, vectors BLOB NOT NULL, UNIQUE (note_id, model_id)) STRICT;
        """,
    )


def m006_links(db: "Database") -> None:
    """Make the links of notes; those of the notes that are there already are read in the
    background.
    """
    run(
        db,
        """
        CREATE TABLE note_links (
            note_id INTEGER NOT NULL, kind TEXT NOT NULL CHECK (kind IN ('wiki', 'note', 'tag')), target TEXT NOT NULL, path TEXT NOT NULL,
            owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, PRIMARY KEY (note_id, kind, target, path)) STRICT, WITHOUT ROWID;
        CREATE INDEX note_links_by_target ON note_links (owner_id, kind, target, note_id);
        CREATE TABLE unread_links (id INTEGER PRIMARY KEY CHECK (id = 1), read INTEGER NOT NULL, last INTEGER NOT NULL) STRICT;
        INSERT INTO unread_links (id, read, last) SELECT 1, 0, max(id) FROM notes HAVING count(*) > 0;
        """,
    )


def m007_names(db: "Database") -> None:
    """Make the index of the names of notes, folders, todos and tags."""
    run(
        db,
        """
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
        INSERT INTO name_progress (kind, number) VALUES ('format', 0), ('note', 0), ('folder', 0), ('todo', 0);
        CREATE INDEX todos_by_update ON todos (owner_id, updated_at) WHERE trash_id IS NULL;
        """,
    )


def m024_links_again(db: "Database") -> None:
    """Have the links and tags of all notes read anew, since anchors in definitions are no tags
    and indented code holds neither.
    """
    run(
        db,
        """
        DELETE FROM note_links;
        DELETE FROM unread_links;
        INSERT INTO unread_links (id, read, last) SELECT 1, 0, max(id) FROM notes HAVING count(*) > 0;
        """,
    )


def m028_clock_steps(db: "Database") -> None:
    """Keep when the wall clock was set to another time, by which what was stored meanwhile can
    be dated truly.
    """
    run(
        db,
        """
        CREATE TABLE clock_steps (id INTEGER PRIMARY KEY AUTOINCREMENT, was TEXT NOT NULL, became TEXT NOT NULL) STRICT
        """,
    )


def m041_aliases(db: "Database") -> None:
    """Let the links hold the aliases of notes, too; the texts are read anew in the background."""
    run(
        db,
        """
        DROP TABLE note_links;
        CREATE TABLE note_links (
            note_id INTEGER NOT NULL, kind TEXT NOT NULL CHECK (kind IN ('wiki', 'note', 'tag', 'alias')), target TEXT NOT NULL, path TEXT NOT NULL,
            owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, PRIMARY KEY (note_id, kind, target, path)) STRICT, WITHOUT ROWID;
        CREATE INDEX note_links_by_target ON note_links (owner_id, kind, target, note_id);
        DELETE FROM unread_links;
        INSERT INTO unread_links (id, read, last) SELECT 1, 0, max(id) FROM notes HAVING count(*) > 0;
        """,
    )
