"""The counters of the database beside what they count."""

from app.core.database.tx import Tx

LIVE = "trash_id IS NULL"
_CHECKS = {
    "notes of user": f"""SELECT w.owner_id, w.note_count, ifnull(n.number, 0)
        FROM workspaces w
        LEFT JOIN (SELECT owner_id, count(*) AS number
            FROM notes WHERE {LIVE}
            GROUP BY owner_id) n USING (owner_id)""",
    "notes outside folders of user": f"""SELECT w.owner_id, w.root_count, ifnull(n.number, 0)
        FROM workspaces w
        LEFT JOIN (SELECT owner_id, count(*) AS number
            FROM notes WHERE {LIVE} AND folder_id IS NULL
            GROUP BY owner_id) n USING (owner_id)""",
    "bytes of user": f"""SELECT w.owner_id, w.total_bytes, ifnull(n.number, 0)
        FROM workspaces w
        LEFT JOIN (SELECT owner_id, sum(size) AS number
            FROM notes WHERE {LIVE}
            GROUP BY owner_id) n USING (owner_id)""",
    "notes in folder": f"""SELECT f.id, f.note_count, ifnull(n.number, 0) FROM folders f
        LEFT JOIN (SELECT folder_id, count(*) AS number
            FROM notes WHERE {LIVE}
            GROUP BY folder_id) n ON n.folder_id = f.id WHERE f.{LIVE}""",
    "snapshots of note": """SELECT n.id, n.snapshot_count, ifnull(s.number, 0) FROM notes n
        LEFT JOIN (SELECT note_id, count(*) AS number
            FROM snapshots
            GROUP BY note_id) s ON s.note_id = n.id""",
    "last snapshot number of note": """SELECT n.id, n.snapshot_seq, max(n.snapshot_seq, s.last)
        FROM notes n
        JOIN (SELECT note_id, max(seq) AS last
            FROM snapshots
            GROUP BY note_id) s ON s.note_id = n.id""",
    "open todos of user": f"""SELECT l.owner_id, l.open_count, ifnull(t.number, 0)
        FROM todo_lists l
        LEFT JOIN (SELECT owner_id, count(*) AS number
            FROM todos WHERE {LIVE} AND completed = 0
            GROUP BY owner_id) t USING (owner_id)""",
    "completed todos of user": f"""SELECT l.owner_id, l.completed_count, ifnull(t.number, 0)
        FROM todo_lists l
        LEFT JOIN (SELECT owner_id, count(*) AS number
            FROM todos WHERE {LIVE} AND completed = 1
            GROUP BY owner_id) t USING (owner_id)""",
}
"""What is counted, and a query for whose it is, what the counter says and what is there."""


def find_miscounted(tx: Tx) -> list[str]:
    """Return a clause for each counter that is wrong."""
    found = []
    for what, sql in _CHECKS.items():
        found += [
            f"{what} {whose}: {said} stored, {there} counted"
            for whose, said, there in tx.all(sql)
            if said != there
        ]
    return found
