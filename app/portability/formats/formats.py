"""The formats that can be imported.

Each recognised by a look at the file or folder, its reader loaded only then.
"""

import importlib
from pathlib import Path

from app.errors import Invalid
from app.portability.content.source_items import Source
from app.portability.formats import unsupported

READERS: dict[str, str] = {
    "hearth": "app.portability.formats.hearth_tree",
    "joplin-jex": "app.portability.formats.joplin.joplin_jex",
    "joplin-raw": "app.portability.formats.joplin.joplin_raw",
    "google-keep": "app.portability.formats.keep",
    "memos": "app.portability.formats.memos",
    "todoist-csv": "app.portability.formats.todoist",
    "todo.txt": "app.portability.formats.todo_txt",
    "ics": "app.portability.formats.ics.ics",
    "obsidian": "app.portability.formats.obsidian",
    "markdown": "app.portability.formats.markdown_folder",
}
"""Format -> module with `recognise(path) -> bool` (a cheap look that never raises) and
`read(path) -> Source`; tried in this order.
"""
LAST = "markdown"
"""Tried after all others, wherever it stands.

Markdown files lie in the folders of many programs.
"""


def open_import(path: Path, format: str | None = None) -> Source:
    """Open what is to be imported, by its format or by what it looks like.

    Invalid if nothing knows it.
    """
    if format is not None and format not in READERS:
        raise Invalid(f"The format must be one of {', '.join(READERS)}.", field="format")
    for name in [format] if format else sorted(READERS, key=LAST.__eq__):
        if not format and name == LAST and (why_not := unsupported.refusal(path)):
            raise Invalid(why_not, field="path")
        reader = importlib.import_module(READERS[name])
        if format or reader.recognise(path):
            source: Source = reader.read(path)
            return source
    raise Invalid(
        f"{path.name} is in none of the formats that can be imported: {', '.join(READERS)}.",
        field="path",
    )
