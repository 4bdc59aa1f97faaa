"""What a pattern requires: no match may ever be lost by asking an index for it first."""

import random
import re
import sqlite3

import msgspec
import pytest

from app.errors import Invalid
from app.workspace.search.grep import literals, re2_programs, regex_patterns

LETTERS = "abcksKSäÄéßẞſ\u212aıİσςΣдДоО字かน٣ _-.\\%\"'1"
ATOMS = [
    ".",
    r"\w",
    r"\x61",
    r"\\",
    r"\d",
    r"\s",
    r"\S",
    r"\W",
    r"\b",
    r"\B",
    "^",
    "$",
    r"\pL",
    r"[a-k]",
    r"[^a]",
    r"[^\W\d]",
    r"[\w-]",
    "[ab]",
    "[Kk]",
    "[ſs]",
    r"\x{212A}",
    r"\Qa.b\E",
    r"\.",
    "[[:alpha:]]",
    "[]a]",
    r"[\s,]",
]
SYNTAX = [
    *"()[]{}|*+?^$.-,:\\ab1é&~",
    *(
        "(?",
        "(?i",
        "(?P<n>",
        "(?<m>",
        "[^",
        "[[:",
        ":]",
        r"\Q",
        r"\E",
        r"\p",
        r"\x{",
        r"\0",
        r"\12",
    ),
    *(
        r"\C",
        r"\pL",
        r"\p{^Lu}",
        r"\x4",
        "{2",
        "{2,",
        "[]",
        "(?-s",
        "(?ims-U:",
        "(?:",
        r"\A",
        r"\z",
    ),
]
QUANTIFIERS = ["", "", "", "", "*", "+", "?", "+?", "{2}", "{1,3}", "{0,2}", "{2,}", "{3}"]


def some_pattern(chance: random.Random, depth: int = 3) -> str:
    parts = []
    for _ in range(chance.randint(1, 4)):
        kind = chance.random()
        if kind < 0.6 or depth == 0:
            part = "".join(escaped(chance.choice(LETTERS)) for _ in range(chance.randint(1, 5)))
        elif kind < 0.78:
            part = chance.choice(ATOMS) + chance.choice(QUANTIFIERS)
        elif kind < 0.96:
            branches = "|".join(
                some_pattern(chance, depth - 1) for _ in range(chance.randint(1, 3))
            )
            part = (
                chance.choice(["(", "(?:", "(?i:", "(?-i:", "(?P<g>"])
                + branches
                + ")"
                + chance.choice(QUANTIFIERS)
            )
        else:
            part = chance.choice(["(?i)", "(?-i)", "(?s)", "|"])
        parts.append(part)
    return "".join(parts)


def escaped(character: str) -> str:
    return "\\" + character if character in '\\.%"-' else character


def some_text(chance: random.Random) -> str:
    return "".join(
        chance.choice(LETTERS + "\n\r") if chance.random() < 0.6 else chance.choice("abck")
        for _ in range(chance.randint(0, 40))
    )


class Shelf:
    """Texts in a trigram index like that of notes."""

    def __init__(self, texts: list[str]) -> None:
        self.texts = texts
        self.connection = sqlite3.connect(":memory:")
        self.connection.execute(
            "CREATE VIRTUAL TABLE grams USING fts5 (content, content='', columnsize=0, "
            "detail=none, tokenize='trigram case_sensitive 0')"
        )
        self.connection.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, content TEXT)")
        for number, text in enumerate(texts):
            self.connection.execute(
                "INSERT INTO grams (rowid, content) VALUES (?, ?)", (number, text)
            )
            self.connection.execute("INSERT INTO notes VALUES (?, ?)", (number, text))

    def found(self, match: str) -> set[int]:
        return {
            row[0]
            for row in self.connection.execute(
                "SELECT rowid FROM grams WHERE grams MATCH ?", (match,)
            )
        }

    def like(self, text: str) -> set[int]:
        wanted = "%" + "".join("\\" + each if each in "\\%_" else each for each in text) + "%"
        return {
            row[0]
            for row in self.connection.execute(
                "SELECT id FROM notes WHERE content LIKE ? ESCAPE '\\'", (wanted,)
            )
        }

    def matching(self, program: re2_programs.Program) -> set[int]:
        return {
            number
            for number, text in enumerate(self.texts)
            if any(
                re2_programs.find_hits(
                    program, re2_programs.join_texts([text.encode()]), re2_programs.TimeBudget(60.0)
                )
            )
        }

    def close(self) -> None:
        self.connection.close()


def lost(shelf: Shelf, pattern: str, mode: re2_programs.Mode, *, case_sensitive: bool) -> set[int]:
    """Give the texts that match and that what the pattern requires would have left out."""
    program = re2_programs.compile_program(pattern, mode, case_sensitive=case_sensitive)
    kept = set(range(len(shelf.texts)))
    if program.needs.match is not None:
        kept &= shelf.found(program.needs.match)
    for like in program.needs.likes:
        kept &= shelf.like(like)
    return shelf.matching(program) - kept


@pytest.mark.parametrize("seed", range(6))
def test_no_match_of_any_pattern_is_lost(seed: int) -> None:
    chance = random.Random(seed)
    shelf = Shelf([some_text(chance) for _ in range(150)])
    asked = 0
    for _ in range(60):
        pattern = some_pattern(chance)
        try:
            assert lost(shelf, pattern, "regex", case_sensitive=chance.random() < 0.4) == set(), (
                pattern
            )
        except Invalid:
            continue
        asked += (
            re2_programs.compile_program(pattern, "regex", case_sensitive=True).needs.match
            is not None
        )
    assert asked > 5
    shelf.close()


@pytest.mark.parametrize("seed", range(3))
def test_what_a_text_shows_is_found_however_it_is_escaped(seed: int) -> None:
    chance = random.Random(seed)
    shown = [some_text(chance).replace("\r", "") for _ in range(100)]
    shelf = Shelf(
        [
            "".join("\\" * (each in "_-.\\%\"'" and chance.random() < 0.7) + each for each in text)
            for text in shown
        ]
    )
    for number, text in enumerate(shown):
        line = chance.choice(text.split("\n"))
        start = chance.randint(0, len(line))
        part = line[start : start + chance.randint(1, 9)]
        for pattern, mode in ((part, "literal"), (re.escape(part), "regex")) if part else ():
            program = re2_programs.compile_program(pattern, mode, case_sensitive=True)
            assert number in shelf.matching(program), part
            assert lost(shelf, pattern, mode, case_sensitive=chance.random() < 0.5) == set(), part
    shelf.close()


@pytest.mark.parametrize("seed", range(2))
def test_no_match_of_any_part_of_a_text_is_lost(seed: int) -> None:
    chance = random.Random(seed)
    shelf = Shelf([some_text(chance) for _ in range(100)])
    for text in shelf.texts:
        line = chance.choice(text.replace("\r", "\n").split("\n"))
        start = chance.randint(0, len(line))
        part = line[start : start + chance.randint(1, 12)]
        for given in {part, part.upper(), part.lower(), part.swapcase()} - {""}:
            for case_sensitive in (True, False):
                assert lost(shelf, given, "literal", case_sensitive=case_sensitive) == set(), given
    shelf.close()


def test_every_letter_that_is_asked_for_without_case_is_found_in_all_its_forms() -> None:
    paired = re.compile(f"[A-Za-z{literals.PAIRED}]")
    letters = [letter for letter in map(chr, range(0x500)) if paired.match(letter)]
    forms = [
        letter * 3
        for letter in [*letters, "\u017f", "\u212a", *"".join(literals.OLD_FORMS.values())]
    ]
    shelf = Shelf(forms)
    missing = [form for form in forms if lost(shelf, form, "literal", case_sensitive=False)]
    shelf.close()
    assert missing == []


@pytest.mark.parametrize(
    ("pattern", "match"),
    [
        ("ab", None),
        ("abc", '"abc"'),
        ("abcd", '"abc" AND "bcd"'),
        ("ABC", '"abc"'),
        ("a.c", None),
        ("abc.*xyz", '"abc" AND "xyz"'),
        ("abc|xyz", '(("abc") OR ("xyz"))'),
        ("abc|x", None),
        ("ab(c|d)", '("abc" OR "abd")'),
        ("ab[cd]", '("abc" OR "abd")'),
        ("ab[^c]de", None),
        ("(abc)?", None),
        ("(abc)+", '"abc"'),
        ("(abc){2}", '"abc" AND "bca" AND "cab"'),
        ("(abc)*xyz", '"xyz"'),
        (r"\babc\b", '"abc"'),
        ('a"b', r"""("a""b" OR "a\""")"""),
        ("-{3}ab", '("---" OR "--\\" OR "-\\-") AND ("--a" OR "-\\-") AND "-ab"'),
        (r"\Qa.b\E", r'("a.b" OR "a\.")'),
        (r"\x61bc", '"abc"'),
        ("sab", '"sab"'),
        ("äöü", '"äöü"'),
        ("ıab", None),
        ("ßab", None),
        ("日本語", '"日本語"'),
        (
            r"pre(ible|ion) x",
            '"pre" AND (("rei" AND "eib" AND "ibl" AND "ble" AND "le " AND "e x") OR '
            '("rei" AND "eio" AND "ion" AND "on " AND "n x"))',
        ),
        ("|".join(["abcdef"] * 100 + ["x"]), None),
        ("(?i)abc", '"abc"'),
        ("", None),
    ],
)
def test_a_pattern_requires_the_runs_of_three_that_each_match_holds(
    pattern: str, match: str | None
) -> None:
    assert re2_programs.compile_program(pattern, "regex", case_sensitive=False).needs.match == match


@pytest.mark.parametrize(
    ("pattern", "fold", "likes"),
    [
        ("walrus", True, ("walru",)),
        ("walrus", False, ("walrus",)),
        ("über", True, ("ber",)),
        ("über", False, ("über",)),
        ("s", True, ()),
        ("日本", True, ("日本",)),
        ("ab1-cd", True, ("ab1", "-cd")),
    ],
)
def test_like_is_asked_for_what_it_compares_as_the_pattern_does(
    pattern: str, fold: bool, likes: tuple[str, ...]
) -> None:
    assert (
        literals.required_literals(regex_patterns.literal_tree(pattern, fold=fold)).likes == likes
    )


def test_a_very_long_pattern_asks_for_few_of_its_runs() -> None:
    needs = re2_programs.compile_program("abcdefghij" * 100, "literal", case_sensitive=False).needs
    assert needs.match is not None
    assert needs.match.count('"') <= 2 * 2 * literals.MOST_GRAMS


@pytest.mark.parametrize("seed", range(2))
def test_every_pattern_that_re2_knows_can_be_read(seed: int) -> None:
    chance = random.Random(seed)
    known = 0
    for _ in range(1500):
        pattern = "".join(chance.choice(SYNTAX) for _ in range(chance.randint(1, 7)))
        try:
            re2_programs.compile_program(pattern, "regex", case_sensitive=True)
            known += 1
        except Invalid:
            continue
    assert known > 100


WORDS_ATOMS = [
    r"\b",
    r"\B",
    r"\w",
    r"\W",
    r"\d",
    r"\s",
    r"\S",
    r"[\w-]",
    r"[^\W\d]",
    r"[^\s]",
    r"[\Wa]",
    ".",
    "^",
    "$",
    "(?:a|ä)",
    "[a-k]",
    "é",
    "1",
    " ",
]


@pytest.mark.parametrize("seed", range(4))
def test_words_digits_and_spaces_are_those_of_unicode(seed: int) -> None:
    """The standard library's engine takes them so too; on short texts it is not slow."""
    chance = random.Random(seed)
    for _ in range(150):
        pattern = "".join(
            chance.choice(WORDS_ATOMS) + (chance.choice(["", "", "?", "*", "+"]))
            for _ in range(chance.randint(1, 4))
        )
        try:
            expected = re.compile(pattern)
            program = re2_programs.compile_program(pattern, "regex", case_sensitive=True)
        except (Invalid, re.error):
            continue
        for _ in range(10):
            line = "".join(
                chance.choice("aäk é-1٣_日\u00a0🦊ж") for _ in range(chance.randint(1, 8))
            )
            wanted = expected.search(line)
            found = [
                hit
                for place in re2_programs.find_hits(
                    program, re2_programs.join_texts([line.encode()]), re2_programs.TimeBudget(60.0)
                )
                if place
                for hit in place[1:]
            ]
            assert [(hit.first, hit.last) for hit in found] == (
                [] if wanted is None else [wanted.span()]
            ), (pattern, line)


def test_a_line_of_ascii_is_not_judged_again_though_its_neighbours_are_not() -> None:
    """Judging it by the large program took four fifths of such a search."""
    program = re2_programs.compile_program(r"\w{5,20}\s\d+", "regex", case_sensitive=True)
    assert program.exact.programsize > re2_programs.SMALL_PROGRAM

    class Untouched:
        programsize = program.exact.programsize

    texts = re2_programs.join_texts(["Café\nwalrus 12\n".encode()])
    found = re2_programs.find_hits(
        msgspec.structs.replace(program, exact=Untouched()), texts, re2_programs.TimeBudget(60.0)
    )
    assert [(hit.line, hit.first, hit.last) for place in found if place for hit in place[1:]] == [
        (2, 0, 9)
    ]
