"""The vectors of episodes, stored and made as those of notes."""

from collections.abc import Sequence

from app.core.database.tx import Tx
from app.workspace.folders.folder_rows import IN_LIST, id_list
from app.workspace.search.vectors.vector_table import CURRENT, VectorTable

TABLE = VectorTable(
    table="episode_passages",
    key="episode_id",
    texts="episodes",
    owner="user_id",
    content="text",
    insert="INSERT INTO episode_passages",
    delete="DELETE FROM episode_passages",
)


def spans(tx: Tx, model_id: int, ids: Sequence[int]) -> dict[int, bytes | None]:
    """Return the packed spans of the passages of some episodes.

    None where the vectors are not of the present text.
    """
    rows = tx.all(
        f"""SELECT t.id, CASE WHEN {CURRENT} THEN p.spans END FROM episodes t
            LEFT JOIN episode_passages p ON p.episode_id = t.id AND p.model_id = :model
              WHERE t.id IN ({IN_LIST})""",
        ids=id_list(list(ids)),
        model=model_id,
    )
    return {row[0]: row[1] for row in rows}
