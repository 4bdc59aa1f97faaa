"""What is generated from the code is what the code says."""

from pathlib import Path

import pytest

import docs


def test_each_generated_text_is_what_the_code_says() -> None:
    texts = docs.generated()
    assert len(texts) > len(docs.TABLES)
    stale = [path.name for path, text in texts.items() if path.read_text("utf-8") != text]
    assert stale == [], "run: python3 scripts/docs.py"


def test_a_table_goes_between_its_markers_and_touches_nothing_else() -> None:
    text = "before\n<!-- settings -->\nold\n<!-- /settings -->\nafter\n"
    assert (
        docs.between(text, "settings", "new")
        == "before\n<!-- settings -->\nnew\n<!-- /settings -->\nafter\n"
    )


@pytest.mark.parametrize(
    "text", ["", "<!-- settings -->", "<!-- /settings -->", "<!-- /settings --><!-- settings -->"]
)
def test_a_page_without_its_markers_is_told_which_are_missing(text: str) -> None:
    with pytest.raises(LookupError, match=r"settings.md needs the line <!-- settings -->"):
        docs.between(text, "settings", "new")


def test_the_schema_leaves_out_what_sqlite_keeps_for_itself() -> None:
    assert "CREATE TABLE users" in docs.schema()
    assert "sqlite_sequence" not in docs.schema()
    assert "note_words" not in docs.schema()
    assert "_sqlite_migrations" not in docs.schema()


def test_a_checked_file_that_is_stale_is_named_and_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    schema = tmp_path / "schema.sql"
    monkeypatch.setattr(docs, "ROOT", tmp_path)
    monkeypatch.setattr(docs, "SCHEMA", schema)
    monkeypatch.setattr(docs, "use_own_python", lambda: None)
    assert docs.main(["--check"]) == 1
    assert "schema.sql is not what the code says" in capsys.readouterr().out
    assert not schema.exists()
    assert docs.main([]) == 0
    assert schema.read_text("utf-8") == docs.schema()
    assert docs.main(["--check"]) == 0
