"""Judged collections: documents, queries and judgements, in files of BEIR, TREC or MS MARCO.

A collection is a folder with the documents (`corpus.jsonl`: `_id`, `title`, `text`), the queries
(`queries.jsonl`: `_id`, `text`) and the judgements (`qrels/test.tsv`: query, document, grade).
Documents and queries may also be lines with tabs, judgements TREC's four columns without a head,
and each file may be packed with gzip. `metadata.tags` of a document become the tags of its note;
`kind` and `language` in the `metadata` of a query are reported on their own. Where a folder has
no documents they are those of the folder above, so that other queries can be asked of them.
"""

import gzip
import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

DOCUMENTS = ("corpus", "documents", "docs", "collection")
QUERIES = ("queries", "topics")
QRELS = ("qrels/test", "qrels/dev", "qrels/train", "qrels", "qrels.test", "test", "qrels.dev")
ENDINGS = ("", ".jsonl", ".tsv", ".txt", ".qrels")
KEYS = ("_id", "id", "doc_id", "docid", "query_id", "qid")
TEXTS = ("text", "contents", "content", "body", "query")


class Unreadable(Exception):
    """A folder that holds no collection; the message says what is missing."""


@dataclass(frozen=True)
class Document:
    """One text of a collection; many collections have no titles."""

    key: str
    title: str
    text: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Query:
    """One search of a collection, with the traits by which it is reported."""

    key: str
    text: str
    traits: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Collection:
    """All documents, the queries that were judged, and per query the grade of each judged
    document.
    """

    name: str
    documents: list[Document]
    queries: list[Query]
    grades: dict[str, dict[str, int]]


def read(folder: Path) -> Collection:
    """Read a collection; queries of which no document is said to be relevant are left out, as
    nobody can answer them.
    """
    grades = _grades(_file(folder, QRELS))
    answerable = {key for key, judged in grades.items() if max(judged.values()) > 0}
    documents = [_document(row) for row in _rows(_documents_file(folder))]
    queries = [
        query for row in _rows(_file(folder, QUERIES)) if (query := _query(row)).key in answerable
    ]
    if not documents or not queries:
        raise Unreadable(
            f"{folder} holds {len(documents)} documents and {len(queries)} judged queries"
        )
    return Collection(folder.resolve().name, documents, queries, grades)


def _documents_file(folder: Path) -> Path:
    try:
        return _file(folder, DOCUMENTS)
    except Unreadable:
        return _file(folder.resolve().parent, DOCUMENTS)


def _file(folder: Path, names: tuple[str, ...]) -> Path:
    for name in names:
        for ending in ENDINGS:
            for packing in ("", ".gz"):
                if (path := folder / f"{name}{ending}{packing}").is_file():
                    return path
    raise Unreadable(
        f"{folder} holds no file called {', '.join(names)}, with one of the endings "
        f"{', '.join(ENDINGS[1:])}"
    )


def _lines(path: Path) -> Iterator[str]:
    with (
        gzip.open(path, "rt", encoding="utf-8")
        if path.suffix == ".gz"
        else path.open(encoding="utf-8") as file
    ):
        yield from (line.rstrip("\r\n") for line in file if line.strip())


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    """Return each line as a JSON object.

    Of a line with tabs the first column is the id and the last the text.
    """
    for line in _lines(path):
        if line.startswith("{"):
            yield json.loads(line)
        else:
            key, *between, text = line.split("\t")
            yield {"_id": key, "title": " ".join(between), "text": text}


def _first(row: dict[str, Any], names: tuple[str, ...]) -> str:
    return next((str(row[name]) for name in names if row.get(name) is not None), "")


def _metadata(row: dict[str, Any]) -> dict[str, Any]:
    told = row.get("metadata")
    return told if isinstance(told, dict) else {}


def _document(row: dict[str, Any]) -> Document:
    tags = _metadata(row).get("tags")
    return Document(
        _first(row, KEYS),
        str(row.get("title") or ""),
        _first(row, TEXTS),
        tuple(map(str, tags)) if isinstance(tags, list) else (),
    )


def _query(row: dict[str, Any]) -> Query:
    traits = {
        name: value
        for name, value in _metadata(row).items()
        if name in ("kind", "language") and isinstance(value, str)
    }
    return Query(_first(row, KEYS), _first(row, TEXTS), traits)


def _grades(path: Path) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for number, line in enumerate(_lines(path)):
        query, *_, document, grade = line.split("\t") if "\t" in line else line.split()
        try:
            found[query][document] = int(float(grade))
        except ValueError:
            if number:
                raise Unreadable(f"{path}, line {number + 1}: {grade!r} is no grade") from None
    return {query: judged for query, judged in found.items() if judged}
