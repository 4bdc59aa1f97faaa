"""Messages of several clauses: one names the thing, another wishes something of it."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from app.agent.rules.changes import days, told
from app.agent.rules.changes.levels import level
from app.agent.rules.changes.marked import Marked
from app.agent.rules.dialogue import references, resolve_reference
from app.agent.turn.steps import Asked, Result, Thing

NOW = datetime(2026, 11, 23, 9, 0, tzinfo=ZoneInfo("Europe/Berlin"))
TODOS = {
    "en": ("Pay the water bill", "Pay the electricity bill", "Return the library books"),
    "de": ("Wasserrechnung bezahlen", "Stromrechnung bezahlen", "Bücher zurückbringen"),
    "es": ("Pagar la factura del agua", "Pagar la factura de la luz", "Devolver los libros"),
    "fr": ("Payer la facture d'eau", "Payer la facture d'électricité", "Rendre les livres"),
    "ja": ("水道代を払う", "電気代を払う", "本を返す"),
    "zh": ("交水费", "交电费", "还书"),
}
TOOLS = frozenset({"search_todos"})


def asked(message: str, language: str = "en") -> Asked:
    """Return a message with the todos that are there; the last of them is done."""
    rows = [
        {"id": number, "title": title, "completed": number == 3}
        for number, title in enumerate(TODOS[language], 1)
    ]
    given = Result("search_todos", {}, {"todos": rows}, failed=False)
    return Asked(message, (given,), TOOLS, NOW)


@pytest.mark.parametrize(
    ("language", "message", "moved"),
    [
        ("en", "the drawings two days earlier", {"by": "two days", "earlier": "yes"}),
        ("en", "the dentist an hour later", {"by": "an hour"}),
        ("de", "zieh die Zeichnungen um zwei Tage vor", {"by": "zwei Tage", "earlier": "yes"}),
        ("es", "los planos dos días antes", {"by": "dos días", "earlier": "yes"}),
        ("fr", "le passeport une semaine plus tôt", {"by": "une semaine", "earlier": "yes"}),
        ("ja", "期限は一日早めといて", {"by": "一日", "earlier": "yes"}),
        ("zh", "护照提前一周", {"by": "一周", "earlier": "yes"}),
        ("ja", "10日に早めて", {}),
        ("en", "the drawings in two days", {}),
        ("en", "the drawings earlier, on Friday", {}),
    ],
)
def test_how_far_something_is_moved(language: str, message: str, moved: dict[str, str]) -> None:
    assert days.shift(asked(message), Marked(message), language) == moved


@pytest.mark.parametrize(
    ("language", "message", "priority"),
    [
        ("en", "bump the bicycle up to priority five", "5"),
        ("fr", "priorité quatre pour le vélo", "4"),
        ("de", "mach das wichtig Priorität neun", "9"),
        ("es", "el pasaporte ya no es importante", "1"),
        ("fr", "le passeport n'est plus important", "1"),
        ("en", "make the passport less important", "less important"),
        ("en", "change the priority", "?"),
    ],
)
def test_a_priority_is_read_from_a_word(language: str, message: str, priority: str) -> None:
    assert level(Marked(message), language) == priority


@pytest.mark.parametrize(
    ("language", "message"),
    [
        ("en", "water bill is paid and so is the electricity"),
        ("de", "die Wasserrechnung ist bezahlt, die Stromrechnung auch"),
        ("es", "el agua está pagada y la luz también"),
        ("fr", "l'eau est payée et l'électricité aussi"),
        ("ja", "水道代払った、電気代も"),
        ("zh", "水费交了，电费也交了"),
    ],
)
def test_what_tells_of_several_todos_is_asked(language: str, message: str) -> None:
    step = told.ask(asked(message, language), language)
    assert step is not None
    assert step.trace is not None
    assert step.trace.asks is not None
    assert [one.id for one in step.trace.asks.choices] == [1, 2]


@pytest.mark.parametrize(
    ("language", "message"),
    [
        ("en", "turns out I never returned the library books"),
        ("de", "ich hab die Bücher doch nie zurückgebracht"),
        ("es", "en realidad nunca devolví los libros"),
        ("fr", "en fait je n'ai jamais rendu les livres"),
        ("ja", "実は本を返してない"),
        ("zh", "其实书一直没还"),
    ],
)
def test_what_was_not_done_after_all_is_asked_to_be_opened(language: str, message: str) -> None:
    step = told.ask(asked(message, language), language)
    assert step is not None
    assert step.trace is not None
    assert step.trace.asks is not None
    assert [one.id for one in step.trace.asks.choices] == [3]


@pytest.mark.parametrize(
    ("language", "message"),
    [
        ("en", "finally paid the water bill, took me ages"),
        ("en", "the water bill went out this morning by transfer"),
        ("en", "the water bill is paid and the rent is due"),
        ("de", "die Wasserrechnung ist endlich raus, puh"),
        ("es", "por fin pagué el agua, menudo susto"),
        ("fr", "l'eau c'est réglé, ouf"),
    ],
)
def test_a_report_in_any_words_is_asked_about(language: str, message: str) -> None:
    step = told.ask(asked(message, language), language)
    assert step is not None
    assert step.trace is not None
    assert step.trace.asks is not None
    assert [one.id for one in step.trace.asks.choices] == [1]


def test_of_several_that_may_be_done_it_is_asked_which() -> None:
    step = told.ask(asked("that bill is paid, finally"), "en")
    assert step is not None
    assert step.trace is not None
    assert [one.id for one in step.trace.shown] == [1, 2]


@pytest.mark.parametrize(
    "message",
    [
        "I never paid the rent",
        "I'll have the water bill paid by tomorrow",
        "no idea whether Ben paid the water bill",
        "the water bill should have been paid",
    ],
)
def test_what_tells_of_no_todo_is_not_asked(message: str) -> None:
    assert told.ask(asked(message), "en") is None


def test_a_long_word_with_one_letter_wrong_is_asked_for() -> None:
    rows = [{"title": one, "thing": Thing("todo", 1, one)} for one in ("Renew passport", "Pass")]
    assert resolve_reference.mistyped_rows("pasport", rows) == rows[:1]
    assert resolve_reference.mistyped_rows("passprot", rows) == rows[:1]
    assert resolve_reference.mistyped_rows("past", rows) == []
    assert resolve_reference.mistyped_rows("renew transport", rows) == []


@pytest.mark.parametrize(
    ("language", "message", "both"),
    [
        ("en", "shift both to Thursday", "both"),
        ("de", "schieb die beiden auf Freitag", "die beiden"),
        ("fr", "mets les deux à vendredi", "les deux"),
        ("fr", "deux jours plus tard", ""),
        ("es", "pasa las dos al viernes", "las dos"),
    ],
)
def test_both_is_no_number(language: str, message: str, both: str) -> None:
    assert references.both_in(message, language) == both
