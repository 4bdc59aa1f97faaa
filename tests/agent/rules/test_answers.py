"""Answers from the notes: which passage is quoted, when nothing is, sentences with their places,
and summaries.
"""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.agent.rules.dialogue import slots
from app.agent.rules.passages import (
    answer_passages,
    asked_parts,
    extracts,
    nearest_texts,
    note_searches,
    questions,
)
from app.agent.rules.passages.answer_passages import Text
from app.agent.rules.passages.sentences import LONGEST, MOST, READ, are_alike, split_sentences, stem
from evaluation import qa as evaluation
from tests.conftest import Client


def quoted(question: str, *contents: str, title: str = "A note") -> list[str]:
    notes = [Text(number, title, content, whole=True) for number, content in enumerate(contents, 1)]
    return [
        answer_passages.as_quote(one).text
        for one in answer_passages.best_passages(questions.read_question(question), notes)
    ]


@pytest.mark.parametrize(
    ("half", "least"), [("a", 29), ("b", 27), ("fresh a", 43), ("fresh b", 40)]
)
def test_the_questions_of_the_collection_are_answered_by_the_right_passage(
    half: str, least: int
) -> None:
    mine = [case for case in evaluation.cases() if case.half == half]
    assert len([case for case in mine if case.right]) >= least
    assert [case.question for case in mine if case.note is None and not case.right] == []


@pytest.mark.parametrize(
    ("question", "content", "passage"),
    [
        (
            "When does the lease end?",
            "The lease was signed by Kim.\n\nThe lease ends on 3 May 2027.",
            "The lease ends on 3 May 2027.",
        ),
        (
            "How many chairs do we own?",
            "Chairs are in the loft. We own 14 chairs.",
            "We own 14 chairs.",
        ),
        (
            "Who painted the fence?",
            "The fence is green. The fence was painted by Otto.",
            "The fence was painted by Otto.",
        ),
        (
            "Wann endet der Mietvertrag?",
            "Der Mietvertrag liegt im Ordner.\n\nDer Mietvertrag endet am 3. Mai.",
            "Der Mietvertrag endet am 3. Mai.",
        ),
        (
            "Qui a peint la clôture ?",
            "La clôture est verte. La clôture a été peinte par Odile.",
            "La clôture a été peinte par Odile.",
        ),
        (
            "¿Cuándo termina el contrato?",
            "El contrato está firmado. El contrato termina en mayo.",
            "El contrato termina en mayo.",
        ),
        ("合同什么时候结束？", "合同在抽屉里。合同五月三日结束。", "合同五月三日结束。"),
        (
            "契約はいつ終わりますか？",
            "契約は引き出しにあります。契約は五月三日に終わります。",
            "契約は五月三日に終わります。",
        ),
    ],
)
def test_the_sentence_with_the_kind_of_thing_that_is_asked_for_is_quoted_first(
    question: str, content: str, passage: str
) -> None:
    assert quoted(question, content)[0] == passage


@pytest.mark.parametrize(
    ("question", "content"),
    [
        ("What is the password of the vault?", "The vault is in the cellar of the bank."),
        ("What is the blood group of Leon?", "The blood group of Mira is A negative."),
        ("Who won the tournament in Reykjavik?", "We saw a chess tournament."),
        ("Wer hat das Schachturnier gewonnen?", "Das Turnier findet nicht statt."),
    ],
)
def test_nothing_is_quoted_where_nothing_answers(question: str, content: str) -> None:
    assert quoted(question, content) == []


def test_at_most_three_quotes_are_given_and_none_twice() -> None:
    found = quoted(
        "What is the colour of the roof?",
        *(f"The colour of the roof is shade {number}." for number in range(9)),
    )
    assert len(found) == len(set(found)) == answer_passages.MOST


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        (
            "Dr. Okafor came on 9. Februar at 3.5 m. Then left.",
            ["Dr. Okafor came on 9. Februar at 3.5 m.", "Then left."],
        ),
        ("# Head\n\n- [ ] first item\n- second\n  1. third", ["first item", "second", "third"]),
        ("第一句。第二句！", ["第一句。", "第二句！"]),
        ("> said\n\n---\n\n```py\nx = 1\n```", ["said", "x = 1"]),
        (
            "a line that wraps because it is so long that an editor broke it\nright here. Next.",
            [
                "a line that wraps because it is so long that an editor broke it\nright here.",
                "Next.",
            ],
        ),
        ("", []),
        (" \n\n ", []),
    ],
)
def test_a_text_falls_into_its_sentences(text: str, parts: list[str]) -> None:
    assert [one.text for one in split_sentences(text)] == parts


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=st.sampled_from("ab. A\n-#>*1!`|。é “”"), max_size=300))
def test_a_sentence_stands_where_it_says(text: str) -> None:
    found = split_sentences(text)
    assert all(text[one.start : one.end] == one.text and one.text.strip() for one in found)
    assert all(one.end <= other.start for one, other in itertools.pairwise(found))


@pytest.mark.parametrize("piece", ["A. B ", "1. ", "a\n", "word ", "| a | b |\n", "字"])
def test_of_a_long_text_only_so_much_is_looked_at(piece: str) -> None:
    found = split_sentences(piece * 300_000)
    assert len(found) <= MOST
    assert all(one.end <= READ and len(one.text) <= 2 * LONGEST for one in found)
    assert len(extracts.extract(piece * 300_000)) <= extracts.CHOSEN


def test_a_summary_holds_sentences_of_the_text_in_its_order() -> None:
    text = "\n\n".join(
        [
            "The harbour plan was agreed.",
            "Lunch was late.",
            "The harbour plan costs nine million.",
            "It rained.",
            "Boats pay for the harbour.",
        ]
    )
    chosen = [one.text for one in extracts.extract(text, most=2)]
    assert chosen == ["The harbour plan was agreed.", "The harbour plan costs nine million."]


@pytest.mark.parametrize(
    ("one", "other", "together"),
    [
        ("tyres", "tyre", True),
        ("stopped", "stop", True),
        ("renewal", "renewing", True),
        ("cat", "cattle", False),
        ("insurance", "instance", False),
        ("verein", "vereinsheim", True),
    ],
)
def test_the_forms_of_a_word_belong_together(one: str, other: str, together: bool) -> None:
    assert are_alike(stem(one), stem(other)) == together


@pytest.mark.parametrize(
    ("question", "title", "content", "words"),
    [
        ("what does Heidehonig cost", "Prices", "Heide 250 g: 8 €", {"heide"}),
        ("quién le opera", "Papá", "Operación el 9 de diciembre", {"operacion"}),
        ("what do I wear", "Concert", "Outfit: black", {"wear", "outfit"}),
        ("when does the shop open", "Concert", "Outfit: black", {"shop", "open"}),
    ],
)
def test_a_question_is_put_in_likely_words_of_the_notes_where_none_has_its_own(
    question: str, title: str, content: str, words: set[str]
) -> None:
    notes = [Text(1, title, content, whole=True)]
    read = note_searches.in_likely_words_of(questions.read_question(question), notes)
    assert words <= {*read.terms}
    assert "outfit" in words or "outfit" not in read.terms


def test_what_is_nearest_begins_with_the_sentences_of_the_kind_that_is_wanted() -> None:
    content = "The plot is number seven.\n\nGarlic was planted.\n\nThe rent is 40 euros a year."
    note = Text(1, "Allotment", content, whole=True)
    question = questions.read_question("what does the allotment cost")
    ranked = answer_passages.rank_passages(question, [note])
    shown = nearest_texts.nearest_text(question, note, ranked, 30)
    assert shown == "The rent is 40 euros a year."
    whole = nearest_texts.nearest_text(question, note, ranked, 400)
    assert whole == " ".join(content.split("\n\n"))


HIVES = """| Hive | Queen | Temper |
|---|---|---|
| 1 | Boudica | stroppy |
| 2 | Maud | calm |
| 3 | Ethel | calm |
"""


@pytest.mark.parametrize(
    ("question", "title", "content", "passage"),
    [
        ("which queen's in hive 3?", "Colonies", HIVES, "| 3 | Ethel | calm |"),
        ("what's the temper of hive 1?", "Colonies", HIVES, "| 1 | Boudica | stroppy |"),
        (
            "c'est combien une visite de nuit ?",
            "Tarifs",
            "| Acte | Prix |\n|---|---|\n| Visite de jour | 48 € |\n| Visite de nuit | 95 € |\n",
            "| Visite de nuit | 95 € |",
        ),
        ("松は何畳？", "部屋", "| 部屋 | 広さ |\n|---|---|\n| 松 | 10畳 |\n", "| 松 | 10畳 |"),
        (
            "what's Kian allergic to?",
            "Allergies",
            "Year 4: Kian is dairy free.\nYear 6: Ruby is allergic to sesame.\n",
            "Year 4: Kian is dairy free.",
        ),
    ],
)
def test_the_row_or_line_that_is_asked_for_is_quoted_and_no_header(
    question: str, title: str, content: str, passage: str
) -> None:
    assert quoted(question, content, title=title)[:1] == [passage]


@pytest.mark.parametrize(
    ("language", "message", "content", "passages"),
    [
        (
            "en",
            "what time's the concert and where do the altos stand",
            "The concert is on Saturday at 7 pm. Altos stand on the left by the font.",
            ["The concert is on Saturday at 7 pm.", "Altos stand on the left by the font."],
        ),
        (
            "zh",
            "月租多少钱，押金交了多少？",
            "月租4800元。押金两个月，9600元。",
            ["月租4800元。", "押金两个月，9600元。"],
        ),
        ("en", "where do the altos and tenors stand?", "Altos stand on the left.", []),
        ("en", "where do the altos stand and who conducts?", "Altos stand on the left.", []),
    ],
)
def test_each_of_two_questions_has_its_passage(
    language: str, message: str, content: str, passages: list[str]
) -> None:
    note = Text(1, "A note", content, whole=True)
    found = asked_parts.answer_each(
        message, language, [note], lambda clause: slots.has_kind(clause, language, "asks")
    )
    assert [answer_passages.text_of(one) for one in found] == passages


@pytest.mark.anyio
async def test_a_row_is_shown_with_the_names_of_its_columns(alice: Client) -> None:
    note = await alice.note("Colonies", HIVES)
    message = {"message": "which queen's in hive 3?", "stream": False}
    body = await alice.ok("POST", "/chat", json=message)
    row = f"> | 3 | Ethel | calm |\n\n— [Colonies](hearth:note/{note['id']})"
    assert body["response"] == f"Hive | Queen | Temper\n\n{row}"
    assert [one["quote"] for one in body["citations"]] == ["| 3 | Ethel | calm |"]


@pytest.mark.anyio
async def test_an_answer_quotes_a_long_note_beyond_what_a_search_gives(alice: Client) -> None:
    note = await alice.note(
        "Chronicle",
        "Nothing happened that year at all. " * 200
        + "\n\nThe zeppelin landed on 4 June 1931 near the mill.",
    )
    body = await alice.ok(
        "POST", "/chat", json={"message": "When did the zeppelin land?", "stream": False}
    )
    assert body["toolsUsed"][-2:] == ["grep_notes", "get_note_content"]
    (citation,) = body["citations"]
    assert (citation["noteId"], citation["quote"]) == (
        note["id"],
        "The zeppelin landed on 4 June 1931 near the mill.",
    )
    assert note["markdown"][citation["start"] : citation["end"]] == citation["quote"]
    assert f"> {citation['quote']}\n\n— [Chronicle](hearth:note/{note['id']})" in body["response"]


@pytest.mark.anyio
async def test_nothing_of_another_owner_is_found_or_quoted(alice: Client, bob: Client) -> None:
    await alice.note("Safe", "The safe opens with 7741.")
    body = await bob.ok(
        "POST", "/chat", json={"message": "What does the safe open with?", "stream": False}
    )
    assert (body["citations"], "7741" in body["response"], "Safe" in body["response"]) == (
        [],
        False,
        False,
    )


@pytest.mark.parametrize(
    ("question", "title", "content", "passage"),
    [
        (
            "what's Jonas Keller's phone number?",
            "Boiler",
            "Serviced by Jonas Keller in May. Next in March 2027.\n\nHis number is 030 5557 812.",
            "His number is 030 5557 812.",
        ),
        ("what must not go on the compost?", "Compost", "Turn it.\n\nNo meat.", "No meat."),
        ("what does the Okafor kitchen cost?", "Okafor kitchen", "Oak.\n\nTotal: 18,400.", "Total"),
        ("was kostet die Küche?", "Angebot Küche", "Eiche.\n\nGesamt: 18.400 Euro.", "Gesamt"),
        ("wie oft soll ich den Kompost umsetzen?", "Kompost", "Alle vier Wochen umsetzen.", "Alle"),
        ("how old is Nala?", "Nala", "Chip 276-098.\n\nWeighs 4 kilos.", None),
        ("who brings the wine?", "Book club", "Hanna hosts.\n\nWho brings the wine?", None),
        ("which week does the roof start?", "Roof", "Start in April, tbd which week.", None),
        ("what's my shoe size?", "Sam's shoes", "Shoe size 46.", None),
        ("what's my mother's blood type?", "Health", "My blood type is A.", None),
        ("what is Ben's email address?", "Ben", "Ben wrote an email. Address: Mill Lane.", None),
    ],
)
def test_what_a_short_note_plainly_says_is_the_answer_and_nothing_near_it(
    question: str, title: str, content: str, passage: str | None
) -> None:
    found = quoted(question, content, title=title)
    assert [one[: len(passage or "")] for one in found[:1]] == ([passage] if passage else [])
