"""The evaluation of the search.

Its measures, the collections it reads, and how well our own notes are found.
"""

import gzip
import json
import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from evaluate_search import main
from search_quality import asked, judged
from search_quality.measures import ndcg, recall

OWN = Path(__file__).parent.parent / "collection"
LOG3 = math.log2(3)

BEIR = {
    "corpus.jsonl": '{"_id": "d1", "title": "Bees", "text": "Honey in June."}\n{"_id": "d2", '
    '"title": "", "text": "Slugs eat salad.\\nAt night."}\n',
    "queries.jsonl": '{"_id": "q1", "text": "honey", "metadata": {"kind": "exact", "language": '
    '"en"}}\n{"_id": "q2", "text": "nobody judged this"}\n',
    "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\n",
}
TREC = {
    "documents.tsv": "d1\tBees\tHoney in June.\nd2\tSlugs eat salad.\n",
    "topics.tsv": "q1\thoney\n",
    "qrels.txt": "q1 0 d1 1\nq1 0 d2 -1\n",
}

Written = Callable[[dict[str, str]], Path]


@pytest.fixture
def written(tmp_path: Path) -> Written:
    """Give the folder of a collection made of these files; names that end in .gz are packed."""

    def write(files: dict[str, str]) -> Path:
        for name, text in files.items():
            path = tmp_path / "small" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(
                gzip.compress(text.encode()) if name.endswith(".gz") else text.encode()
            )
        return tmp_path / "small"

    return write


@pytest.mark.parametrize(
    ("found", "grades", "k", "expected"),
    [
        ("a", {"a": 1}, 10, 1),
        ("ba", {"a": 1}, 10, 1 / LOG3),
        ("xxxa", {"a": 1}, 10, 1 / math.log2(5)),
        ("xa", {"a": 1}, 1, 0),
        ("", {"a": 1}, 10, 0),
        ("ab", {"a": 2, "b": 1}, 10, 1),
        ("ba", {"a": 2, "b": 1}, 10, (1 + 2 / LOG3) / (2 + 1 / LOG3)),
        ("axb", {"a": 1, "b": 2, "c": 1}, 10, (1 + 2 / 2) / (2 + 1 / LOG3 + 1 / 2)),
        ("a", {"a": 1, "b": 1}, 1, 1),
        ("ca", {"a": 1, "c": -1}, 10, 1 / LOG3),
        ("c", {"c": 0}, 10, 0),
    ],
)
def test_ndcg_is_the_gain_of_the_ranking_by_that_of_the_best(
    found: str, grades: dict[str, int], k: int, expected: float
) -> None:
    assert ndcg(list(found), grades, k=k) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("found", "grades", "k", "expected"),
    [
        ("a", {"a": 2}, 10, 1),
        ("xay", {"a": 1, "b": 2}, 10, 1 / 2),
        ("xab", {"a": 1, "b": 2}, 2, 1 / 2),
        ("c", {"a": 1, "c": 0}, 10, 0),
        ("", {"a": 1}, 10, 0),
        ("c", {"c": -1}, 10, 0),
    ],
)
def test_recall_is_the_share_of_relevant_documents_that_were_found(
    found: str, grades: dict[str, int], k: int, expected: float
) -> None:
    assert recall(list(found), grades, k=k) == expected


@pytest.mark.parametrize(
    "files",
    [BEIR, TREC, {f"{name}.gz": text for name, text in BEIR.items()}],
    ids=["beir", "trec", "packed"],
)
def test_a_collection_is_read_from_the_usual_files(written: Written, files: dict[str, str]) -> None:
    collection = judged.read(written(files))
    assert [
        (document.key, document.title, document.text.split("\n")[0])
        for document in collection.documents
    ] == [("d1", "Bees", "Honey in June."), ("d2", "", "Slugs eat salad.")]
    assert [(query.key, query.text) for query in collection.queries] == [("q1", "honey")]
    assert collection.grades["q1"]["d1"] > 0 >= collection.grades["q1"]["d2"]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"corpus.jsonl": BEIR["corpus.jsonl"]}, "qrels/test"),
        (
            BEIR | {"qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\tgood\n"},
            "line 2: 'good' is no grade",
        ),
        (BEIR | {"qrels/test.tsv": "q1\td1\t0\n"}, "0 judged queries"),
    ],
)
def test_a_folder_without_a_collection_is_refused(
    written: Written, files: dict[str, str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(written(files))]) == 1
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("title", "text", "expected"),
    [
        ("Bees", "Honey.", "Bees"),
        ("Bees\tand\nwasps", "Honey.", "Bees and"),
        ("", "\n \nHoney in June.\nMore.", "Honey in June."),
        ("", "honey " * 30, ("honey " * 13).strip()),
        ("", "x" * 300, "x" * 80),
        ("", " ", "Untitled"),
    ],
)
def test_a_document_becomes_a_note_with_a_title(title: str, text: str, expected: str) -> None:
    assert asked.note(judged.Document("d1", title, text, ("garden",))) == {
        "title": expected,
        "content": text,
        "tags": ["garden"],
    }


def test_the_answers_are_reported_as_tables(
    written: Written, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(written(BEIR)), "--mode", "words", "--worst", "1"]) == 0
    out = capsys.readouterr().out
    assert "| small | words | 2 | 1 | 1.000 | 1.000 |" in out
    assert "| small | words | kind exact | 1 | 1.000 | 1.000 |" in out
    assert "- words, 1.00, `honey`: wanted d1; found d1" in out


def test_kept_notes_are_asked_again_and_only_by_their_own_collection(
    written: Written, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--mode", "words", "--json", "--data", str(tmp_path / "kept")]
    for _ in range(2):
        assert main([str(written(BEIR)), *options]) == 0
        assert json.loads(capsys.readouterr().out)[0]["answers"]["q1"]["found"] == ["d1"]
    assert (
        main([str(written({"corpus.jsonl": '{"_id": "other", "text": "Honey."}'})), *options]) == 1
    )
    assert "another collection" in capsys.readouterr().err


def test_a_document_that_is_its_own_query_is_no_answer(
    written: Written, capsys: pytest.CaptureFixture[str]
) -> None:
    files = BEIR | {
        "queries.jsonl": '{"_id": "d2", "text": "salad"}',
        "qrels/test.tsv": "d2\td1\t1\n",
    }
    assert main([str(written(files)), "--mode", "words", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["answers"] == {
        "d2": {"queries": 1, "ndcg": 0, "recall": 0, "found": []}
    }


def test_our_own_collection_is_whole() -> None:
    collection = judged.read(OWN)
    keys = {document.key for document in collection.documents}
    assert (
        len(keys),
        len(collection.documents),
        len({query.key for query in collection.queries}),
        len(collection.queries),
    ) == (200, 200, 60, 60)
    assert {query.key for query in collection.queries} == collection.grades.keys()
    assert all(
        judgements.keys() <= keys and set(judgements.values()) <= {1, 2}
        for judgements in collection.grades.values()
    )
    assert set(Counter(query.traits["language"] for query in collection.queries)) == {
        "en",
        "de",
        "es",
        "fr",
    }
    assert all(
        40 <= len(document.text.split()) <= 260 and document.title
        for document in collection.documents
    )


def test_our_own_notes_are_found_by_their_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(OWN), "--mode", "words", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)[0]
    assert (found["ndcg"] > 0.65, found["recall"] > 0.72, found["remarks"]) == (True, True, []), (
        found
    )
    for kind, least in {
        "exact": 0.95,
        "inflected": 0.95,
        "two-topic": 0.95,
        "name": 0.93,
        "question": 0.88,
    }.items():
        assert found["traits"][f"kind {kind}"]["ndcg"] > least, kind


def test_our_own_notes_are_found_by_their_meaning(
    tmp_path: Path, model_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(english_paraphrases(tmp_path / "part")), "--mode", "hybrid", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)[0]
    assert (
        found["queries"] > 10,
        found["ndcg"] > 0.82,
        found["recall"] > 0.9,
        found["remarks"],
    ) == (True, True, True, []), found


def english_paraphrases(folder: Path) -> Path:
    """Give a part of our collection.

    What is meant by the English paraphrases, and every eighth of the other notes.
    """
    collection = judged.read(OWN)
    queries = [
        query
        for query in collection.queries
        if query.traits == {"kind": "paraphrase", "language": "en"}
    ]
    wanted = {key for query in queries for key in collection.grades[query.key]}
    documents = [
        one
        for number, one in enumerate(collection.documents)
        if one.key in wanted or number % 8 == 0
    ]
    rows = "".join(
        f"{query.key}\t{key}\t{grade}\n"
        for query in queries
        for key, grade in collection.grades[query.key].items()
    )
    (folder / "qrels").mkdir(parents=True)
    (folder / "qrels" / "test.tsv").write_text(rows, "utf-8")
    for name, objects in {
        "corpus": [{"_id": one.key, "title": one.title, "text": one.text} for one in documents],
        "queries": [{"_id": query.key, "text": query.text} for query in queries],
    }.items():
        (folder / f"{name}.jsonl").write_text(
            "".join(f"{json.dumps(one)}\n" for one in objects), "utf-8"
        )
    return folder
