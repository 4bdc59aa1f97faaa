"""Running the statements of a step."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlite_utils import Database


def run(db: "Database", statements: str) -> None:
    """Run the statements one by one.

    `executescript` would commit the transaction that the step runs in.
    """
    for statement in statements.split(";"):
        if statement.strip():
            db.conn.execute(statement)
