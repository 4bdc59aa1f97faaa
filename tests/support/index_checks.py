"""Whether the search indexes are whole and say what the notes say."""

from app.core.database.tx import Tx
from app.workspace.index import trigram_index, word_index, word_index_check


def word_damage(tx: Tx) -> list[str]:
    """Return a sentence for each word index that differs from its notes; raise
    sqlite3.DatabaseError where one is torn. It needs a writing transaction.
    """
    for row in tx.all("SELECT owner_id FROM word_owners"):
        name = word_index.table_name(row["owner_id"])
        tx.run(f"INSERT INTO {name} ({name}) VALUES ('integrity-check')")
    return word_index_check.find_differences(tx)


def gram_damage(tx: Tx) -> list[int]:
    """Return the notes that the trigram index does not find; raise sqlite3.DatabaseError where it
    is torn. It needs a writing transaction.
    """
    tx.run("INSERT INTO note_grams (note_grams) VALUES ('integrity-check')")
    return trigram_index.find_unindexed(tx)
