"""Quick add: what typed lines come to in six languages, what stays in the title, and what holds
for any text.
"""

import itertools
import json
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evaluate
from app.agent.quickadd import quickadd
from app.agent.quickadd.meaning import Kind
from app.agent.quickadd.quickadd import QuickAdd
from app.workspace.todos import due, recurrence
from evaluation import quickadd as evaluation

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 18, 10, 0, tzinfo=BERLIN)
"""A Wednesday."""


def read(text: str, now: datetime = NOW, locale: str | None = None) -> QuickAdd:
    return quickadd.read_line(text, now=now, locale=locale)


def told(line: QuickAdd) -> tuple[str, str | None, str | None, int]:
    """Title, due date to the minute of the wall, rule, priority."""
    return (
        line.title,
        line.due_date[:16] if line.due_date else None,
        line.recurrence.rule if line.recurrence else None,
        line.priority,
    )


def by_language(**rows: list[tuple[str, str, str | None, str | None, int]]) -> pytest.MarkDecorator:
    named = [
        pytest.param(*row, id=f"{language}: {row[0]}")
        for language, cases in rows.items()
        for row in cases
    ]
    return pytest.mark.parametrize(("text", "title", "due", "rule", "priority"), named)


@pytest.mark.parametrize(
    ("locale", "due"),
    [("ja", "2026-12-01"), ("zh", "2026-12-01"), ("zh-TW", "2026-12-01"), ("de", "2027-01-12")],
)
def test_the_month_stands_first_where_people_write_it_so(locale: str, due: str) -> None:
    assert read("x 12/1", locale=locale).due_date == due


@by_language(
    english=[
        (
            "Call mum tomorrow at 5pm p1 every week #family",
            "Call mum #family",
            "2026-11-19T17:00",
            "FREQ=WEEKLY",
            5,
        ),
        ("Meet Sam next wed at 15:00", "Meet Sam", "2026-11-25T15:00", None, 0),
        ("Submit report by fri 5pm", "Submit report", "2026-11-20T17:00", None, 0),
        ("Meeting 2-4pm Thursday", "Meeting", "2026-11-19T14:00", None, 0),
        ("Return on 2026-12-01T14:00 the keys", "Return the keys", "2026-12-01T14:00", None, 0),
        ("Lunch Tue 12:30", "Lunch", "2026-11-24T12:30", None, 0),
        ("submit on Friday the 27th", "submit", "2026-11-27", None, 0),
        (
            "Change filter every third month",
            "Change filter",
            "2026-11-18",
            "FREQ=MONTHLY;INTERVAL=3",
            0,
        ),
        (
            "Yoga every Tuesday until 15 December",
            "Yoga",
            "2026-11-24",
            "FREQ=WEEKLY;BYDAY=TU;UNTIL=20261215",
            0,
        ),
        (
            "last day of every month pay invoices",
            "pay invoices",
            "2026-11-30",
            "FREQ=MONTHLY;BYMONTHDAY=-1",
            0,
        ),
        ("Call Anna, tomorrow, about the trip", "Call Anna, about the trip", "2026-11-19", None, 0),
        ("buy eggs (tomorrow)", "buy eggs", "2026-11-19", None, 0),
        ("CALL MUM TOMORROW AT 5PM", "CALL MUM", "2026-11-19T17:00", None, 0),
        ("!!! Fix prod", "Fix prod", None, None, 5),
        ("Fix prod !2", "Fix prod", None, None, 4),
        ("high priority: renew insurance", "renew insurance", None, None, 5),
        ("Party at 12am on Jan 1", "Party", "2027-01-01T00:00", None, 0),
        (
            "see https://x.com/2026-11-20 tomorrow",
            "see https://x.com/2026-11-20",
            "2026-11-19",
            None,
            0,
        ),
    ],
    german=[
        ("Übermorgen um 8 Zug nehmen", "Zug nehmen", "2026-11-20T08:00", None, 0),
        ("uebermorgen zahlen", "zahlen", "2026-11-20", None, 0),
        ("Arzttermin Mo 9:30", "Arzttermin", "2026-11-23T09:30", None, 0),
        ("Anruf um viertel vor drei", "Anruf", "2026-11-18T14:45", None, 0),
        ("Kino am Freitagabend um acht", "Kino", "2026-11-20T20:00", None, 0),
        ("um 7 aufstehen", "aufstehen", "2026-11-19T07:00", None, 0),
        ("Montag einkaufen", "einkaufen", "2026-11-23", None, 0),
        ("Müll raus freitags", "Müll raus", "2026-11-20", "FREQ=WEEKLY;BYDAY=FR", 0),
        (
            "jeden ersten Montag im Monat Sperrmüll",
            "Sperrmüll",
            "2026-12-07",
            "FREQ=MONTHLY;BYDAY=1MO",
            0,
        ),
        ("Zahlen prüfen bis Monatsende", "Zahlen prüfen", "2026-11-30", None, 0),
        ("Treffen am Do. 26.11. um 19:00", "Treffen", "2026-11-26T19:00", None, 0),
        ("Erinnere mich morgen daran, Mama anzurufen", "Mama anrufen", "2026-11-19", None, 0),
    ],
    french=[
        ("Rapport pour vendredi 17h p1", "Rapport", "2026-11-20T17:00", None, 5),
        (
            "Payer le loyer tous les mois le 5",
            "Payer le loyer",
            "2026-12-05",
            "FREQ=MONTHLY;BYMONTHDAY=5",
            0,
        ),
        ("Réviser un jour sur deux", "Réviser", "2026-11-18", "FREQ=DAILY;INTERVAL=2", 0),
        ("Finir le dossier d'ici demain soir", "Finir le dossier", "2026-11-19T19:00", None, 0),
        ("Dejeuner apres-demain a midi", "Dejeuner", "2026-11-20T12:00", None, 0),
        ("Dans une heure éteindre le four", "éteindre le four", "2026-11-18T11:00", None, 0),
    ],
    spanish=[
        ("Cita a las cinco menos cuarto", "Cita", "2026-11-18T16:45", None, 0),
        ("Recoger paquete a las 6 y media", "Recoger paquete", "2026-11-18T18:30", None, 0),
        ("a las 5 llamar al banco", "llamar al banco", "2026-11-18T17:00", None, 0),
        ("manana llamar a juan", "llamar a juan", "2026-11-19", None, 0),
        (
            "Gimnasio todos los lunes y miércoles a las 7",
            "Gimnasio",
            "2026-11-23T07:00",
            "FREQ=WEEKLY;BYDAY=MO,WE",
            0,
        ),
        ("Revisar el correo cada mañana", "Revisar el correo", "2026-11-19T09:00", "FREQ=DAILY", 0),
        ("Vuelo el 12/3 a las 6:45", "Vuelo", "2027-03-12T06:45", None, 0),
    ],
    chinese=[
        ("每天早上7点起床", "起床", "2026-11-19T07:00", "FREQ=DAILY", 0),
        ("每周一三五跑步", "跑步", "2026-11-18", "FREQ=WEEKLY;BYDAY=MO,WE,FR", 0),
        ("明晚7点看电影", "看电影", "2026-11-19T19:00", None, 0),
        ("下个月5号还信用卡", "还信用卡", "2026-12-05", None, 0),
        ("紧急：修复服务器", "修复服务器", None, None, 5),
    ],
    japanese=[
        ("明日会議", "会議", "2026-11-19", None, 0),
        ("11月25日(水)14時 歯医者", "歯医者", "2026-11-25T14:00", None, 0),
        ("明後日の午後3時半に面接", "面接", "2026-11-20T15:30", None, 0),
        ("毎月第2火曜日に資源ゴミ", "資源ゴミ", "2026-12-08", "FREQ=MONTHLY;BYDAY=2TU", 0),
        ("来週末にキャンプ", "キャンプ", "2026-11-28", None, 0),
    ],
)
def test_a_line_becomes_title_due_date_recurrence_and_priority(
    text: str, title: str, due: str | None, rule: str | None, priority: int
) -> None:
    assert told(read(text)) == (title, due, rule, priority)


@pytest.mark.parametrize(
    "text",
    [
        "Support must answer 24/7",
        "Read chapter 7",
        "Sit in the sun",
        "Install 3.12",
        "Room 1130",
        "May be late",
        "Friday's report for Anna",
        "2026 budget",
        "room 5",
        "Send v2.10 to QA",
        "Write up the day after the meeting",
        "email re: 3pm slot",
        "daily standup notes",
        "Catch the 5pm train",
        "The meeting on Monday is cancelled",
        "Make every day count",
        "Read John 3:16",
        "rate film 4/5",
        "Do it by 5",
        'Ship "The Friday Feature" page',
        "Open monday.com",
        "Look at report-2026-11-20.pdf",
        "Tag it #tomorrow",
        "Ask @friday",
        "Plumber is urgent",
        "Compare prices since March 3",
        "Watch Tomorrow Never Dies",
        "Buy 3 mars bars",
        "Eat once",
        "So do I",
        "Saturday Night Fever rewatch",
        "Meeting notes 2026-11-17",
        "Comprar para las 3 hijas",
        "Um sieben Ecken denken",
        "Chaque jour compte",
        "Am Montag ist Feiertag",
        "Gute Nacht Geschichte vorlesen",
        "Brot um 5 Euro kaufen",
        "Notizen vom 3.12.",
        "Joyeux Noël !",
        "Lire Le Monde du samedi",
        "Acheter des mars",
        "Buenos días a todos",
        "El domingo de Ramos",
        "Martes y trece",
        "三点水偏旁练习",
        "周杰伦演唱会",
        "星期一的会议纪要",
        "5号线地铁图",
        "月曜日の議事録",
        "24時間営業",
        "今日は何の日",
        "1日1回薬",
    ],
)
def test_what_only_looks_like_a_date_stays_in_the_title(text: str) -> None:
    line = read(text)
    assert (told(line), line.spans) == ((text, None, None, 0), ())


@pytest.mark.parametrize(
    ("text", "locale", "due"),
    [
        ("File papers 4/12", None, "2027-04-12"),
        ("File papers 4/12", "en-US", "2027-04-12"),
        ("File papers 4/12", "en_GB", "2026-12-04"),
        ("File papers 25/12", "en-US", "2026-12-25"),
        ("Rechnung bezahlen 4/12", None, "2026-12-04"),
        ("Payer le loyer 4/12", "en-US", "2026-12-04"),
        ("Zahnarzt 4/12", "de", "2026-12-04"),
        ("Dentista 4/12", "es-MX", "2026-12-04"),
    ],
)
def test_the_order_of_day_and_month_is_that_of_the_language(
    text: str, locale: str | None, due: str
) -> None:
    assert read(text, locale=locale).due_date == due


@pytest.mark.parametrize(
    ("now", "text", "due"),
    [
        ("2027-01-31T09:00", "pay in a month", "2027-02-28"),
        ("2028-01-31T09:00", "pay in a month", "2028-02-29"),
        ("2028-02-29T09:00", "pay in a year", "2029-02-28"),
        ("2026-12-31T09:00", "pay tomorrow", "2027-01-01"),
        ("2026-12-31T23:50", "call in 20 minutes", "2027-01-01T00:10+01:00"),
        ("2026-12-30T09:00", "pay on 2 January", "2027-01-02"),
        ("2026-12-30T09:00", "pay next month", "2027-01-01"),
        ("2027-03-01T09:00", "plan for Feb 29", "2028-02-29"),
        ("2027-02-01T09:00", "pay on the 31st", "2027-03-31"),
        ("2027-02-01T09:00", "pay rent every month on the 31st", "2027-03-31"),
        ("2027-02-10T09:00", "pay by end of month", "2027-02-28"),
        ("2026-11-22T09:00", "rest this weekend", "2026-11-22"),
        ("2026-11-22T09:00", "rest next weekend", "2026-11-28"),
        ("2026-11-22T09:00", "call on Sunday", "2026-11-29"),
        ("2026-11-22T09:00", "call every Sunday", "2026-11-22"),
        ("2026-11-20T18:00", "swim every Friday at 5pm", "2026-11-27T17:00+01:00"),
        ("2026-11-20T18:00", "swim at 5pm", "2026-11-21T17:00+01:00"),
        ("2026-11-20T18:00", "swim today at 5pm", "2026-11-20T17:00+01:00"),
        ("2026-11-23T09:00", "sign the form wed", "2026-11-25"),
        ("2026-11-23T09:00", "watch them get wed", None),
        ("2026-11-23T09:00", "pay the Tuesday after next", "2026-12-08"),
        ("2026-11-23T09:00", "Müll übernächsten Dienstag", "2026-12-08"),
        ("2026-11-23T09:00", "jeden ersten im Monat Miete zahlen", "2026-12-01"),
        ("2026-11-23T09:00", "payer le loyer mardi en huit", "2026-12-01"),
        ("2026-11-23T09:00", "payer le loyer mardi en quinze", "2026-12-08"),
        ("2026-11-23T09:00", "pagar dentro de dos martes", "2026-12-01"),
        ("2026-11-23T09:00", "下下周二交房租", "2026-12-08"),
        ("2026-11-23T09:00", "再来週の火曜に家賃を払う", "2026-12-08"),
    ],
)
def test_days_are_reckoned_from_now(now: str, text: str, due: str | None) -> None:
    assert read(text, datetime.fromisoformat(now).replace(tzinfo=BERLIN)).due_date == due


@pytest.mark.parametrize(
    ("now", "text", "due"),
    [
        ("2027-03-27T12:00", "check tomorrow at 2:30am", "2027-03-28T03:30+02:00"),
        ("2027-03-28T01:30", "check in 1 hour", "2027-03-28T03:30+02:00"),
        ("2027-10-30T12:00", "check tomorrow at 2:30am", "2027-10-31T02:30+02:00"),
        ("2027-10-31T01:30", "check in 2 hours", "2027-10-31T02:30+01:00"),
        ("2027-03-27T12:00", "check tomorrow at noon", "2027-03-28T12:00+02:00"),
    ],
)
def test_a_moment_is_right_where_the_clock_is_set_forward_or_back(
    now: str, text: str, due: str
) -> None:
    assert read(text, datetime.fromisoformat(now).replace(tzinfo=BERLIN)).due_date == due


def test_spans_say_what_was_taken_and_for_what() -> None:
    text = "Ünïcode ☕ call mum tomorrow at 5pm p2 every week"
    assert [(one.kind, one.text, one.value) for one in read(text).spans] == [
        ("date", "tomorrow", "2026-11-19"),
        ("time", "at 5pm", "17:00"),
        ("priority", "p2", 4),
        ("recurrence", "every week", "FREQ=WEEKLY"),
    ]
    assert all(text[one.start : one.end] == one.text for one in read(text).spans)


def test_each_span_can_be_undone() -> None:
    line = read("Call mum the day after tomorrow at 5pm p1")
    day, clock, priority = line.spans
    assert told(line.without(day)) == (
        "Call mum the day after tomorrow",
        "2026-11-18T17:00",
        None,
        5,
    )
    assert told(line.without(clock)) == ("Call mum at 5pm", "2026-11-20", None, 5)
    assert told(line.without(day).without(clock).without(priority)) == (line.text, None, None, 0)


@pytest.mark.parametrize(
    ("kind", "kept"),
    [("date", "tomorrow"), ("time", "at 5pm"), ("priority", "p1"), ("recurrence", "every week")],
)
def test_a_kind_can_be_left_alone(kind: Kind, kept: str) -> None:
    line = quickadd.read_line("Call mum tomorrow at 5pm p1 every week", now=NOW, ignore=[kind])
    assert kept in line.title
    assert kind not in {one.kind for one in line.spans}


@pytest.mark.parametrize(
    "text",
    [
        "Call mum tomorrow",
        "Ｃａｌｌ ｍｕｍ ｔｏｍｏｒｒｏｗ",
        "call mum\ntomorrow",
        "call mum\u00a0tomorrow",
    ],
)
def test_case_width_and_kind_of_space_do_not_matter(text: str) -> None:
    assert read(text).due == date(2026, 11, 19)


def test_accents_may_be_separate_letters_or_missing() -> None:
    assert {
        read(text).due_date for text in ("correr mañana", "correr man\u0303ana", "correr manana el")
    } == {"2026-11-19"}


@pytest.mark.parametrize("text", ["tomorrow", "p1", "明天", "金曜日までに", "every day at 5pm p1"])
def test_a_line_that_is_all_date_keeps_itself_as_title(text: str) -> None:
    line = read(text)
    assert line.title == text
    assert line.spans


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "1 ",
        "every ",
        "monday, ",
        "a@",
        "./-",
        "月",
        "毎週月、",
        "每周一",
        "p1 ",
        "5/5/",
        '"',
        "  ",
        "\u0301",
        "2026-11-20 ",
    ],
)
def test_a_megabyte_is_read_only_at_its_beginning(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    line = read(text)
    assert all(one.end <= quickadd.LONGEST for one in line.spans)
    assert len(line.title) >= len(text.strip()) - quickadd.LONGEST


PIECES = """
    call tomorrow morgen demain mañana 明天 明日 at um à 5pm 17h 5 3. 31 feb 29 every jeden tous 每
    毎週 monday Montag lundi lunes 周一 月曜日 p1 !!! until bis the of week Woche 3/4 2026-02-30
    24:00 25:61 next in 999 years days #tag ( ) , - の に"""
WORDS = st.sampled_from(PIECES.split())
TEXTS = st.one_of(
    st.text(), st.lists(WORDS, max_size=12).map(" ".join), st.lists(WORDS, max_size=12).map("".join)
)
MOMENTS = st.datetimes(
    min_value=datetime(1, 1, 3), max_value=datetime(9999, 12, 29), timezones=st.just(BERLIN)
)


@settings(max_examples=300, deadline=None)
@given(text=TEXTS, now=MOMENTS, locale=st.sampled_from([None, "de", "en-GB", "ja", "", "x"]))
def test_any_text_at_any_time_is_read_to_something_a_todo_takes(
    text: str, now: datetime, locale: str | None
) -> None:
    line = read(text, now, locale)
    assert 0 <= line.priority <= 5
    assert bool(line.title) == bool(text.strip())
    assert line.due_date is None or due.parse_due(line.due_date, BERLIN)
    if line.recurrence:
        recurrence.parse_rule(line.recurrence.rule)
        assert line.due is not None


@settings(max_examples=300, deadline=None)
@given(text=TEXTS)
def test_spans_of_any_text_lie_in_it_apart_and_can_all_be_undone(text: str) -> None:
    line = read(text)
    places = [(one.start, one.end) for one in line.spans]
    assert [text[start:end] for start, end in places] == [one.text for one in line.spans]
    assert all(0 <= start < end <= len(text) for start, end in places)
    assert all(first[1] <= second[0] for first, second in itertools.pairwise(places))
    for one in line.spans:
        others = line.without(one).spans
        assert all(other.end <= one.start or one.end <= other.start for other in others)


def test_a_moment_without_zone_is_read_as_utc() -> None:
    assert read("call at 5pm", datetime(2026, 11, 18, 10, 0)).due == datetime(
        2026, 11, 18, 17, 0, tzinfo=UTC
    )


def test_half_b_of_the_labelled_lines_keeps_its_figures_and_no_trap_has_a_date() -> None:
    figures = {(row.half, row.measure): row.right / row.total for row in evaluation.evaluate()}
    assert figures["b", "all four right"] >= 0.98
    assert figures["b", "due right"] >= 0.97
    assert figures["a", "traps without a date"] == figures["b", "traps without a date"] == 1


def test_the_labelled_lines_are_1500_in_six_languages_a_sixth_of_them_traps() -> None:
    every = evaluation.cases()
    assert len(every) == len({case.text for case in every}) >= 1500
    assert {case.language for case in every} == {"en", "de", "fr", "es", "zh", "ja"}
    assert sum(case.trap for case in every) * 6 >= len(every)


def test_the_evaluation_prints_figures_and_json(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluate, "use_own_python", lambda: None)
    assert evaluate.main(["quickadd", "-v"]) == 0
    assert "quickadd  b  traps without a date" in capsys.readouterr().out
    assert evaluate.main(["quickadd", "--json"]) == 0
    assert {"half", "measure", "right", "total"} == json.loads(capsys.readouterr().out)["quickadd"][
        0
    ].keys()
    with pytest.raises(SystemExit):
        evaluate.main(["nonsense"])


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("pay 2026-04-31 at 10:00", "2026-04-31"),
        ("pay rent on Feb 30 p1", "Feb 30"),
        ("pay rent by 29 February 2027", "29 February 2027"),
        ("Miete am 31. April zahlen", "31. April"),
        ("payer le loyer le 30 février", "30 février"),
        ("4月31日开会", "4月31日"),
        ("report by the 31st of this month", "the 31st of this month"),
    ],
)
def test_a_day_that_does_not_exist_is_named_and_no_other_takes_its_place(
    text: str, day: str
) -> None:
    line = read(text)
    assert (line.no_such_day, line.due, line.recurrence) == (day, None, None)
    assert day in line.title


@pytest.mark.parametrize("text", ["score 30/2 report", "read chapter Feb 30", "call at 25:61"])
def test_numbers_that_are_no_date_are_not_taken_for_a_wrong_one(text: str) -> None:
    assert read(text).no_such_day == ""


@pytest.mark.parametrize(
    ("text", "locale", "title", "due"),
    [
        ("pick up parcel wednesday five thirty pm", "en", "pick up parcel", "2026-11-25T17:30"),
        ("pay rent on the thirtieth", "en", "pay rent", "2026-11-30"),
        ("meet five twenty people on friday", "en", "meet five twenty people", "2026-11-20"),
        ("Paket abholen um siebzehn Uhr dreißig", "de", "Paket abholen", "2026-11-18T17:30"),
        ("Zug um fünf vor halb acht", "de", "Zug", "2026-11-19T07:25"),
        ("opticien jeudi à quatorze heures trente", "fr", "opticien", "2026-11-19T14:30"),
        ("coiffeur samedi à midi et demi", "fr", "coiffeur", "2026-11-21T12:30"),
        ("dîner à huit heures cinq personnes", "fr", "dîner cinq personnes", "2026-11-19T08:00"),
        ("dentista el quince a las ocho y veinticinco", "es", "dentista", "2026-12-15T08:25"),
        ("tren a las veinte cuarenta y cinco", "es", "tren", "2026-11-18T20:45"),
        ("明日十一時十分前に獣医さん", "ja", "獣医さん", "2026-11-19T10:50"),
        ("周四差十分八点接孩子", "zh", "接孩子", "2026-11-19T07:50"),
    ],
)
def test_hours_and_days_are_read_as_words(text: str, locale: str, title: str, due: str) -> None:
    assert told(read(text, locale=locale if locale != "en" else None))[:2] == (title, due)


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("call bob friday week", "2026-11-27"),
        ("call bob a week on friday at 4pm", "2026-11-27T16:00"),
        ("call bob a fortnight on friday", "2026-12-04"),
        ("call bob three weeks tomorrow", "2026-12-10"),
        ("call bob in a fortnight", "2026-12-02"),
        ("call bob the week after next", "2026-11-30"),
        ("call bob next month on the 4th", "2026-12-04"),
        ("call bob at the beginning of march", "2027-03-01"),
        ("call bob mid next week", "2026-11-25"),
        ("call bob on tuesday at 8.45", "2026-11-24T08:45"),
        ("call bob on tuesday, half four in the afternoon", "2026-11-24T16:30"),
        ("call bob in an hour and a half", "2026-11-18T11:30"),
        ("call bob in one and a half weeks", None),
        ("call bob in two quarters", "2027-05-18"),
        ("read about friday week planning", None),
    ],
)
def test_what_is_said_beside_a_day_is_no_other_day(text: str, due: str | None) -> None:
    assert told(read(text))[1] == due


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("call bob on christmas eve", "2026-12-24"),
        ("call bob by thanksgiving", "2026-11-26"),
        ("call bob on good friday", "2027-03-26"),
        ("call bob on memorial day", "2027-05-31"),
        ("call bob new year's eve at 8pm", "2026-12-31T20:00"),
        ("presents for christmas", None),
    ],
)
def test_a_holiday_is_a_day_after_a_preposition_or_beside_a_time(
    text: str, due: str | None
) -> None:
    assert told(read(text))[1] == due


def test_a_holiday_is_today_where_it_is() -> None:
    christmas = datetime(2026, 12, 25, 10, 0, tzinfo=BERLIN)
    assert told(read("call bob on christmas day", christmas))[1] == "2026-12-25"
    easter = datetime(2026, 4, 6, 10, 0, tzinfo=BERLIN)
    assert told(read("call bob on easter monday", easter))[1] == "2026-04-06"
    assert told(read("call bob on good friday", easter))[1] == "2027-03-26"


@pytest.mark.parametrize(
    ("text", "locale", "title", "due"),
    [
        ("lunch 24.12. 12:30", None, "lunch", "2026-12-24T12:30"),
        ("lunch 24.12. 12:30", "en-US", "lunch", "2026-12-24T12:30"),
        ("lunch 4.12. 12:30", "en-US", "lunch", "2026-12-04T12:30"),
        ("lunch 24.12 12:30", None, "lunch", "2026-12-24T12:30"),
        ("lunch Thursday 24/12 12:30", None, "lunch", "2026-12-24T12:30"),
        ("déjeuner jeudi 24.12. 12h30", "fr", "déjeuner", "2026-12-24T12:30"),
        ("comida 24.12. 14:30", "es", "comida", "2026-12-24T14:30"),
        ("Essen 24.12 12:30", "de", "Essen", "2026-12-24T12:30"),
        ("Install 3.12. Then restart", None, "Install 3.12. Then restart", None),
        ("last day of the month invoice", None, "invoice", "2026-11-30"),
        ("last day of December: invoice", None, "invoice", "2026-12-31"),
        ("letzter Tag des Monats Rechnung", "de", "Rechnung", "2026-11-30"),
        ("dernier jour du mois facture", "fr", "facture", "2026-11-30"),
        ("último día del mes factura", "es", "factura", "2026-11-30"),
        ("本月最后一天开发票", "zh", "开发票", "2026-11-30"),
        ("今月の最終日に請求書", "ja", "請求書", "2026-11-30"),
    ],
)
def test_a_day_in_figures_and_the_last_of_a_month_are_read(
    text: str, locale: str | None, title: str, due: str | None
) -> None:
    assert told(read(text, locale=locale))[:2] == (title, due)


@pytest.mark.parametrize(
    ("text", "locale", "title", "rule"),
    [
        ("gym mon wed fri 6am", None, "gym", "MO,WE,FR"),
        ("gym Mon/Wed/Fri at 6am", None, "gym", "MO,WE,FR"),
        ("gym monday and wednesday 6am", None, "gym", "MO,WE"),
        ("gym mondays 6am", None, "gym", "MO"),
        ("standup mon-fri 9am", None, "standup", "MO,TU,WE,TH,FR"),
        ("Sport Mo, Mi, Fr 6 Uhr", "de", "Sport", "MO,WE,FR"),
        ("sport mar jeu 18h", "fr", "sport", "TU,TH"),
        ("gimnasio lunes miércoles viernes 6:00", "es", "gimnasio", "MO,WE,FR"),
        ("周一周三周五6点健身", "zh", "健身", "MO,WE,FR"),
        ("周一三五健身", "zh", "健身", "MO,WE,FR"),
        ("月・水・金 6時 ジム", "ja", "ジム", "MO,WE,FR"),
    ],
)
def test_weekdays_in_a_row_are_weekly(text: str, locale: str | None, title: str, rule: str) -> None:
    line = told(read(text, locale=locale))
    assert (line[0], line[2]) == (title, f"FREQ=WEEKLY;BYDAY={rule}")


@pytest.mark.parametrize(
    ("text", "locale"),
    [
        ("gym sat sun 6am", None),
        ("call Bob today or tomorrow", None),
        ("meeting Monday and Tuesday", None),
        ("finish the Monday slides at 5pm", None),
        ("Treffen Sa/So 10 Uhr", "de"),
        ("Treffen Samstag oder Sonntag um 10", "de"),
        ("réunion samedi ou dimanche à 10h", "fr"),
        ("cita sábado o domingo a las 10", "es"),
        ("周六或周日下午3点见面", "zh"),
        ("土曜か日曜の10時に会う", "ja"),
    ],
)
def test_of_several_days_none_is_taken_and_no_time_alone_beside_one(
    text: str, locale: str | None
) -> None:
    assert told(read(text, locale=locale)) == (text, None, None, 0)


@pytest.mark.parametrize(("text", "priority"), [("x p5", 1), ("x p1", 5), ("x p6", 0)])
def test_five_steps_of_priority_are_read(text: str, priority: int) -> None:
    assert read(text).priority == priority


@pytest.mark.parametrize(
    ("text", "locale", "title"),
    [
        ("Erinnere mich am Freitag an den Müll", "de", "Müll"),
        ("Erinnere mich morgen an meine Schlüssel", "de", "meine Schlüssel"),
        ("rappelle-moi vendredi du rendez-vous", "fr", "rendez-vous"),
        ("rappelle-moi demain de l'anniversaire de Paul", "fr", "anniversaire de Paul"),
        ("rappelle-moi demain de la rappeler", "fr", "la rappeler"),
        ("recuérdame el viernes lo de la cita", "es", "cita"),
        ("remind me on Friday about the dentist", "en", "dentist"),
        ("remind me on Friday to call the dentist", "en", "call the dentist"),
    ],
)
def test_a_thing_to_be_reminded_of_has_no_article(text: str, locale: str, title: str) -> None:
    assert read(text, locale=locale).title == title
