"""How text is spelled in the word index, and found again.

The rules here are those by which FTS5 itself stems and folds.
"""

import sqlite3
import unicodedata
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.workspace.index.spellings import (
    OPEN_TODO,
    TOKENIZER,
    find_words,
    fts_phrase,
    text_for_index,
    word_key,
    word_parts,
    word_pattern,
)
from app.workspace.index.stems import stem
from app.workspace.index.word_index import IndexedText, fts_columns
from app.workspace.search.ranking.snippets import make_snippet

LISTED = (
    "ational tional enci anci izer logi bli alli entli eli ousli ization ation "
    "ator alism iveness fulness ousness aliti iviti biliti icate ative "
    "alize iciti ical ful ness al ance ence er ic able ible ant ement ment ent ion "
    "ou ism ate iti ous ive ize s es ies sses ed eed ing y e ll"
)
ENDINGS = LISTED.split()
SHAPES = st.builds(
    lambda begun, ends: begun + "".join(ends),
    st.text("abceioulstzwxy", min_size=1, max_size=6),
    st.lists(st.sampled_from(ENDINGS)),
)


class Index:
    """An index of one text with the tokenizer of the word index."""

    def __init__(self) -> None:
        self.connection = sqlite3.connect(":memory:")
        self.connection.execute(
            f'CREATE VIRTUAL TABLE one USING fts5 (text, tokenize="{TOKENIZER}")'
        )
        self.connection.execute("CREATE VIRTUAL TABLE tokens USING fts5vocab (one, instance)")

    def hold(self, text: str) -> None:
        self.connection.execute("DELETE FROM one")
        self.connection.execute("INSERT INTO one VALUES (?)", (text_for_index(text),))

    def tokens(self, text: str) -> list[str]:
        self.hold(text)
        return [
            row[0] for row in self.connection.execute("SELECT term FROM tokens ORDER BY offset")
        ]

    def finds(self, phrase: str) -> bool:
        return (
            self.connection.execute("SELECT 1 FROM one WHERE one MATCH ?", (phrase,)).fetchone()
            is not None
        )


@pytest.fixture(scope="module")
def index() -> Iterator[Index]:
    made = Index()
    yield made
    made.connection.close()


@given(st.lists(SHAPES, min_size=1, max_size=30))
def test_stems_are_those_of_the_index(index: Index, words: list[str]) -> None:
    assert [stem(word) for word in words] == index.tokens(" ".join(words))


@given(
    st.text(
        st.characters(min_codepoint=0x41, max_codepoint=0x24F, categories=["L"]),
        min_size=1,
        max_size=12,
    )
)
def test_latin_letters_are_folded_as_the_index_folds_them(index: Index, word: str) -> None:
    spelled = unicodedata.normalize("NFD", word)
    assert index.tokens(word) == index.tokens(spelled)
    if (
        unicodedata.normalize("NFKC", word) == unicodedata.normalize("NFC", word)
        and "ı" not in word
        and "İ" not in word
    ):
        assert set(word_key(word)) & set("àéîõüçñ") == set()


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("plain ASCII", "plain ASCII"),
        ("東京都", "東京 京都 都"),
        ("東", "東"),
        ("Python入門、三日", "Python 入門 門 、 三日 日"),
        ("서울에서 본 것", "서울 울에 에서 서 본 것"),
        ("กิน", "กิ ิน น"),
        ("か\u3099き", "がき き"),
        ("Straße Ærø", "Strasse AEro"),
        ("مُحَمَّد أحمد", "محمد احمد"),
        ("שָׁלוֹם", "שלום"),
        ("a🦊b", "a \U000f098a b"),
        ("👍🏽", "\U000f044d"),
    ],
)
def test_text_is_spelled_for_the_index(text: str, spelled: str) -> None:
    assert text_for_index(text).lower().split() == spelled.lower().split()


@pytest.mark.parametrize(
    ("text", "found", "missed"),
    [
        (
            "東京都に行く",
            ["東", "都", "東京", "京都", "東京都", "東京都に行く", "行く"],
            ["京東", "大阪", "東都", "西"],
        ),
        ("Python入門の本", ["python", "入門", "Python入門", "門", "入門の本"], ["入本"]),
        ("서울에서", ["서울", "에서", "울", "서울에서"], ["울서"]),
        ("ฉันกินข้าว", ["กินข้าว", "กิน", "ข้าว", "ฉัน"], ["ข้าวกิน"]),
        ("ひらがな と カタカナ", ["ひら", "がな", "カタカナ", "か\u3099な"], ["カナカ"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"], ["हिन"]),
        ("שלום עולם", ["שלום", "שָׁלוֹם"], ["שלוש"]),
        ("مُحَمَّد", ["محمد"], ["محمود"]),
        ("Straße im Dorf", ["straße", "strasse", "STRASSE", "dorf"], ["stras"]),
        ("Crème brûlée", ["creme", "brulee", "crème"], ["cream"]),
        ("Москва й", ["москва", "й", "и\u0306"], ["и"]),
        ("tomatoes 🍅 planted", ["🍅", "tomato", "planting"], ["🍎"]),
        ("𠮷野家 \U00030000", ["𠮷野", "吉"[:0] + "野家", "\U00030000"], ["吉野"]),
    ],
)
def test_words_of_every_script_are_found(
    index: Index, text: str, found: list[str], missed: list[str]
) -> None:
    index.hold(text)
    assert {word: index.finds(fts_phrase(word)) for word in found} == dict.fromkeys(found, True)
    assert {word: index.finds(fts_phrase(word)) for word in missed} == dict.fromkeys(missed, False)


@settings(deadline=None)
@given(
    st.text(
        st.one_of(
            st.characters(categories=["L", "Mn", "Mc", "N", "Z"], max_codepoint=0xDFFFF),
            st.characters(max_codepoint=0x7F),
        ),
        max_size=60,
    )
)
def test_every_word_of_a_text_finds_it_and_is_marked(index: Index, text: str) -> None:
    index.hold(text)
    for word in find_words(text):
        assert index.finds(fts_phrase(word)), word
        assert all(index.finds(fts_phrase(part)) for part in word_parts(word))
    words = find_words(text)
    if (
        words
        and words[0][0].isalnum()
        and unicodedata.is_normalized("NFC", text)
        and "\u0640" not in text
    ):
        assert make_snippet(text, [word_pattern(words[0])]).marks != []


def test_a_mark_that_is_not_indexed_is_no_part_that_could_be_found() -> None:
    assert word_parts("\u0591\u1075") == ["\u1075"]


def test_headings_are_apart_but_for_those_in_code() -> None:
    text = "# One\ntext\n## Two\n```sh\n# comment\n```\n#tag\n   - [ ] open"
    spelled = fts_columns(IndexedText("T", '["a"]', text))
    assert spelled["headings"] == "# One\n## Two"
    assert spelled["content"] == "text\n```sh\n# comment\n```\n#tag\n   - [ ] open"
    assert spelled["tags"] == f'["a"] {OPEN_TODO}'


@pytest.mark.parametrize(
    ("text", "is_open"),
    [
        ("- [ ] a", True),
        ("1. [ ] a", True),
        ("x\n  * [ ] a", True),
        ("- [x] a", False),
        ("a [ ] b", False),
        ("-[ ] a", False),
        ("[ ]", False),
    ],
)
def test_an_open_checkbox_is_seen(text: str, is_open: bool) -> None:
    assert (OPEN_TODO in fts_columns(IndexedText("T", "[]", text))["tags"]) is is_open
