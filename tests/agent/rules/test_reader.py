"""What a message wishes by labelled messages: what is asked about, shown, and not done."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import msgspec
import pytest

from app.agent.rules import message_route
from app.agent.rules.languages import language_data
from app.agent.rules.languages.plain_tables import PlainWords
from app.agent.rules.mentions import asking
from app.agent.rules.reader import labelled, reader, written_in
from app.agent.rules.understood import agreement, looked_up, meant, new_todos, wishes
from app.agent.turn.steps import Asked, Result, Step, Thing, Trace
from tests.conftest import Client
from tests.support.talks import Talk

NOW = datetime(2026, 11, 23, 9, 0, tzinfo=ZoneInfo("Europe/Berlin"))
LANGUAGES = tuple(language_data.languages())
SLOTS = frozenset(
    "title day olddat by prio target it name old text item step folder tag person word then".split()
)
BEFORE = frozenset("- todo todos note notes list folder message asked".split())
DONE = Trace(intent="complete_todo", about=(Thing("todo", 1, "x"),), undo=(("edit_todo", {}),))
SAMPLES = {
    "en": ("Friday", "two days", "Ben"),
    "de": ("Freitag", "zwei Tage", "Ben"),
    "fr": ("vendredi", "deux jours", "Ben"),
    "es": ("viernes", "dos días", "Ben"),
    "zh": ("周五", "两天", "王芳"),
    "ja": ("金曜", "二日", "佐藤"),
}


def asked(message: str, *earlier: Trace) -> Asked:
    return Asked(message, (), frozenset(), NOW, earlier=earlier)


def understood(message: str, language: str) -> reader.Understood:
    return reader.read(asked(message), (), language).likely[0]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_labelled_messages_are_well_formed_and_of_every_kind(language: str) -> None:
    said = list(labelled.messages(language))
    assert {span.slot for one in said for span in one.spans} <= SLOTS
    assert {one.before for one in said} <= BEFORE
    assert not [one.text for one in said if "[" in one.text or "]" in one.text]
    parts = {
        at + part for at, one in enumerate(said) if one.intent == labelled.TWO for part in (1, 2)
    }
    whole = [(one.text, one.before) for at, one in enumerate(said) if at not in parts]
    assert max(Counter(whole).values()) < 3
    counts = Counter(one.intent for one in said)
    assert set(wishes.WRITES) | set(wishes.READS) <= set(counts)
    assert min(counts.values()) >= 5


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_models_are_those_of_the_labelled_messages(language: str) -> None:
    some = list(labelled.messages(language))[::31]
    right = 0
    for one in some:
        before = [DONE] if one.before == "todo" else []
        weights = reader.read(asked(one.text, *before), (), language).weights
        right += max(weights, key=lambda name: weights[name]) == one.intent
    assert right / len(some) > 0.8, "python3 scripts/train_reader.py makes them anew"


@pytest.mark.parametrize("language", SAMPLES)
def test_the_patterns_know_the_plain_words_of_every_wish(language: str) -> None:
    day, by, person = SAMPLES[language]
    values = {"todo": "Q1", "note": "Q1", "thing": "Q1", "folder": "Q3", "number": "4"}
    values |= {"person": person, "day": day, "by": by, "text": "Q2"}
    for wish in language_data.load_table(language, PlainWords).wishes:
        plain = asking.plain_words(language, wish, **values)
        assert message_route.understand(asked(plain, DONE), language).intent != "ask", plain


@pytest.mark.parametrize(
    ("language", "message", "intent", "slots"),
    [
        ("en", "gotta ring the vet on friday", "add_todo", {"title": "ring the vet"}),
        ("en", "move the dentist to next monday", "move_todo", {"target": "the dentist"}),
        ("de", "die reifen sind endlich drauf", "complete_todo", {}),
        ("de", "schieb den zahnarzt auf freitag", "move_todo", {"target": "zahnarzt"}),
        ("fr", "mets du lait sur la liste de courses", "add_item", {"item": "lait"}),
        ("es", "dile a Ben que llego tarde", "message", {"person": "Ben"}),
        ("zh", "提醒我周五交房租", "add_todo", {"title": "交房租"}),
        ("ja", "「旅行」ってフォルダ作って", "make_folder", {"name": "旅行"}),
    ],
)
def test_a_message_is_understood_by_its_words(
    language: str, message: str, intent: str, slots: dict[str, str]
) -> None:
    found = understood(message, language)
    assert found.intent == intent
    assert {name: found.get(name) for name in slots} == slots


@pytest.mark.parametrize(
    ("language", "message"),
    [
        ("en", "my sister has to renew her licence by friday"),
        ("de", "der nachbar muss sein auto umparken"),
        ("fr", "ma collègue doit rendre son rapport demain"),
        ("es", "mi hermana tiene que renovar el pasaporte"),
        ("zh", "今天被甲方气炸了 真想把电脑扔了"),
        ("ja", "後輩が今日中に報告書を出せって言われてた"),
    ],
)
@pytest.mark.anyio
async def test_what_others_have_to_do_and_what_one_only_says_adds_nothing(
    alice: Client, language: str, message: str
) -> None:
    await alice.ok("PATCH", "/account/settings", json={"locale": language})
    await Talk(alice).say(message)
    assert (await alice.ok("GET", "/os/todos"))["result"]["todos"] == []


@pytest.mark.parametrize(
    ("message", "title"),
    [
        ("faudrait que je rachète des piles demain, elles sont mortes", "piles"),
        ("every thursday i have to water the ferns, set that up as recurring", "water the ferns"),
        ("cada día 1 de mes tengo que pasar el alquiler, ponme el aviso", "pasar el alquiler"),
    ],
)
@pytest.mark.anyio
async def test_a_title_with_more_clauses_is_asked_about_first(
    alice: Client, message: str, title: str
) -> None:
    say = Talk(alice).say
    answer = await say(message)
    made = (await alice.ok("GET", "/os/todos"))["result"]["todos"]
    assert answer.rstrip().endswith("?") or [one["title"] for one in made] == [title]
    assert all("," not in one["title"] for one in made)


def test_several_todos_have_the_day_of_their_clause_or_the_only_one() -> None:
    def made(message: str, *spans: tuple[str, str]) -> list[str]:
        found = [
            labelled.Span(slot, message.index(text), message.index(text) + len(text))
            for slot, text in spans
        ]
        said = reader.Understood("add_todo", 1.0, message, tuple(found))
        return new_todos.lines(asked(message), said, "en")

    each = (("title", "call Ann"), ("day", "on Friday"), ("title", "water it"), ("day", "Sunday"))
    assert made("call Ann on Friday, water it Sunday", *each) == [
        "call Ann on Friday",
        "water it Sunday",
    ]
    shared = (("day", "tomorrow"), ("title", "call Ann"), ("title", "water it"))
    assert made("tomorrow: call Ann, water it", *shared) == [
        "call Ann tomorrow",
        "water it tomorrow",
    ]
    within = (("title", "the passport"), ("day", "on Friday"), ("title", "fetch"))
    assert made("the passport on Friday fetch", *within) == ["the passport fetch on Friday"]


@pytest.mark.parametrize(
    ("words", "level"),
    [("p1", 5), ("p4", 2), ("priority 3", 3), ("urgent", 5), ("not so important", 1), ("", None)],
)
def test_a_level_is_read_in_numbers_and_words(words: str, level: int | None) -> None:
    assert meant.level(words, "en") == level


def test_what_is_done_has_the_words_that_were_said() -> None:
    message = "remind me to call the vet, she limps"

    def agree(title: str) -> bool:
        step = Step(calls=(("create_todo", {"title": title}),))
        reading = reader.read(asked(message), (), "en")
        return agreement.agree(asked(message), step, reading, "en")

    assert agree("call the vet")
    assert agree("call vet")
    assert not agree("call the vet, she limps")
    other = Step(calls=(("delete_todo", {"id": 1}),))
    reading = reader.read(asked(message), (), "en")
    assert not agreement.agree(asked(message), other, reading, "en")


def test_what_was_looked_up_here_is_no_others_result() -> None:
    tools = frozenset({"search_todos", "list_notes", "list_folders", "list_network"})
    begun = Asked("hello", (), tools, NOW)
    calls = looked_up.calls_to_look(begun)
    assert {tool for tool, _ in calls} == tools
    assert looked_up.apart(begun) == (begun, None)
    mine = tuple(Result(tool, fields, {}, failed=False) for tool, fields in calls)
    found = Result("search_notes", {"query": "hello"}, {}, failed=False)
    both = msgspec.structs.replace(begun, results=(found, *mine))
    assert looked_up.calls_to_look(both) == ()
    rest, looked = looked_up.apart(both)
    assert rest.results == (found,)
    assert looked is not None
    assert looked.results[: len(mine)] == mine
    made = Result("create_todo", {"title": "x"}, {}, failed=False)
    rest, _ = looked_up.apart(msgspec.structs.replace(both, results=(*both.results, made)))
    assert rest.results == (found, made)


@pytest.mark.parametrize(
    "message", ["", "?", "…", "zzz qqq", "\ud83d\ude00", ":", "a: b", "「」", "“", "[title x]"]
)
def test_nothing_breaks_the_reading(message: str) -> None:
    for language in LANGUAGES:
        reader.read(asked(message), (Thing("note", 1, "?"),), language)
        written_in.language_of(message, language)


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ("rechnung ans hotel ging vorhin raus", "de"),
        ("change ranger la cave en ranger le grenier", "fr"),
        ("spaghetti carbonara", "en"),
        ('use plain__write text="a poem"', "en"),
        ("12:30", "en"),
    ],
)
def test_the_language_of_a_message_is_another_only_where_that_is_sure(
    message: str, found: str
) -> None:
    assert written_in.language_of(message, "en") == found


@pytest.mark.anyio
async def test_what_a_pattern_found_nothing_for_is_asked_about(alice: Client) -> None:
    for title in ("Dentist appointment", "Fetch the dry cleaning and the spare keys"):
        await alice.ok("POST", "/os/todos", status=201, json={"title": title})
    say = Talk(alice).say
    question = "Do you mean: mark “Fetch the dry cleaning and the spare keys” as done?"
    assert await say("dry cleaning = picked up") == question
    nothing = "There is no folder called “Cellar”, so I changed nothing."
    assert await Talk(alice).say("delete the folder Cellar") == nothing


@pytest.mark.anyio
async def test_what_both_readings_only_ask_about_is_done_where_its_reader_is_sure(
    alice: Client,
) -> None:
    for title in ("Schedule flu shot", "Milk"):
        await alice.ok("POST", "/os/todos", status=201, json={"title": title})
    said = await Talk(alice).say("flu shot - lets say thursday for that")
    assert said.startswith("Schedule flu shot is due Thursday")
    # not all that was said is in the name
    asked_first = await Talk(alice).say("milk powder - lets say thursday for that")
    assert asked_first == "Do you mean: move “Milk” to thursday?"
    rows = (await alice.ok("GET", "/os/todos"))["result"]["todos"]
    assert {row["title"]: bool(row["dueDate"]) for row in rows} == {
        "Schedule flu shot": True,
        "Milk": False,
    }


@pytest.mark.anyio
async def test_news_of_others_changes_nothing_and_is_not_searched_for(alice: Client) -> None:
    await alice.ok("POST", "/os/todos", status=201, json={"title": "Call the vet"})
    said = await Talk(alice).say("my sister has to renew her licence by friday")
    assert said == "All right. I changed nothing."


@pytest.mark.anyio
async def test_a_note_is_added_up_in_whatever_words(alice: Client) -> None:
    note = {
        "title": "Choir dues",
        "content": "Paid so far:\n\n- Lucy 35 euros\n- Ingrid 20 euros\n",
    }
    await alice.ok("POST", "/os/notes", status=201, json=note)
    say = Talk(alice).say
    assert "55 euros" in await say("so what do those choir dues of ours come to in total")
    assert "110 euros" in await say("and twice that?")


@pytest.mark.anyio
async def test_a_log_tells_of_the_day_that_is_asked_of(alice: Client) -> None:
    before = datetime.now(UTC).date() - timedelta(days=1)
    lines = (f"{before - timedelta(days=back)}: {count} eggs" for back, count in enumerate((7, 4)))
    await alice.ok(
        "POST", "/os/notes", status=201, json={"title": "Hens", "content": "\n".join(lines)}
    )
    say = Talk(alice).say
    assert "7 eggs" in await say("how many eggs did we find yesterday?")
    assert "4 eggs" in await say("and the day before yesterday?")
    assert "eggs" not in await Talk(alice).say("how many miles did we run yesterday?")


@pytest.mark.anyio
async def test_what_writes_is_asked_about_and_done_with_a_yes(alice: Client) -> None:
    fields = {"title": "Pay the water bill of the cottage"}
    todo = (await alice.ok("POST", "/os/todos", status=201, json=fields))["result"]
    path = f"/os/todos/{todo['todo']['id']}"
    say = Talk(alice).say

    async def is_done() -> bool:
        return bool((await alice.ok("GET", path))["todo"]["completed"])

    wish = "water bill - sorted at last"
    question = "Do you mean: mark “Pay the water bill of the cottage” as done?"
    assert await say(wish) == question
    assert not await is_done()
    assert await say("no") == "All right, I leave that alone."
    assert not await is_done()
    assert await say(wish) == question
    await say("what time is it")
    await say("yes")
    assert not await is_done()
    assert await say(wish) == question
    assert await say("ja") == "Done: Pay the water bill of the cottage."
    assert await is_done()


@pytest.mark.anyio
async def test_a_name_makes_no_other_wish_of_it(alice: Client) -> None:
    """“remove the tag … from” is no deletion, whatever stands for the tag."""
    fields = {"title": "Compost", "content": "x", "tags": ["garden"]}
    await alice.ok("POST", "/os/notes", status=201, json=fields)
    say = Talk(alice).say
    await say("the compost note has the wrong tag, garden should come off")
    await say("yes")
    notes = (await alice.ok("GET", "/os/notes"))["notes"]
    assert [note["title"] for note in notes] == ["Compost"]


@pytest.mark.anyio
async def test_a_step_that_is_named_is_not_taken_for_its_todo(alice: Client) -> None:
    steps = [{"title": one} for one in ("passport", "charger")]
    fields = {"title": "Pack for Lisbon", "steps": steps}
    made = (await alice.ok("POST", "/os/todos", status=201, json=fields))["result"]["todo"]
    say = Talk(alice).say
    asked_first = await say("pack for lisbon: the charger is in, tick it")
    assert asked_first == "Do you mean: tick “charger” (Pack for Lisbon)?"
    await say("yes")
    todo = (await alice.ok("GET", f"/os/todos/{made['id']}"))["todo"]
    assert not todo["completed"]
    assert [one["completed"] for one in todo["steps"]] == [False, True]


@pytest.mark.anyio
async def test_a_list_that_is_asked_for_by_its_name_is_not_that_of_all_todos(alice: Client) -> None:
    await alice.ok("POST", "/os/todos", status=201, json={"title": "Call the vet"})
    note = {"title": "Groceries", "content": "- [ ] eggs\n"}
    await alice.ok("POST", "/os/notes", status=201, json=note)
    told = await Talk(alice).say("how many things are still open on the groceries?")
    assert "eggs" in told


@pytest.mark.parametrize(
    ("name", "meant_person"),
    [("ben", "Ben Okafor"), ("ines", ""), ("ines ortega", "Ines Ortega"), ("tom", "")],
)
def test_a_contact_is_meant_where_no_other_has_the_name(name: str, meant_person: str) -> None:
    people = ("Ben Okafor", "Ines Maier", "Ines Ortega")
    rows = [{"name": one, "username": one.lower()} for one in people]
    looked = msgspec.structs.replace(
        asked("x"), results=(Result("list_network", {}, {"contacts": rows}, failed=False),)
    )
    assert meant.person(looked, name) == meant_person


@pytest.mark.anyio
async def test_what_is_put_off_to_a_month_is_not_moved_within_another_unasked(
    alice: Client,
) -> None:
    await alice.ok("PATCH", "/account/settings", json={"locale": "fr"})
    await alice.ok("POST", "/os/todos", status=201, json={"title": "Faire réviser la voiture"})
    wish = "la révision de la voiture on repousse à mi janvier, disons le 14"
    assert (await Talk(alice).say(wish)).endswith("?")
    (todo,) = (await alice.ok("GET", "/os/todos"))["result"]["todos"]
    assert todo["dueDate"] is None
