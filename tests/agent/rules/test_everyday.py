"""What people type in passing: bare errands, several things done, values that have changed."""

import re

import pytest

from tests.agent.rules.test_at_once import add, note, text_of, todos
from tests.conftest import Client
from tests.support.talks import Talk

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("message", "made"),
    [
        ("pick up the parcel", "pick up the parcel"),
        ("email Tom about the lease", "email Tom about the lease"),
        ("Paket abholen", "Paket abholen"),
        ("chercher le colis", "chercher le colis"),
        ("歯医者の予約を取る", "歯医者の予約を取る"),
        ("取快递", "取快递"),
        ("take out the bins tonight", "take out the bins"),
        ("buy milk", None),
        ("pick up the parcel?", None),
        ("play some music", None),
        ("the parcel", None),
    ],
)
async def test_a_bare_errand_is_a_new_todo_unless_it_may_be_one_that_is_there(
    alice: Client, message: str, made: str | None
) -> None:
    await add(alice, "Buy milk")
    await Talk(alice).say(message)
    assert {*(await todos(alice))} == {"Buy milk", *([made] if made else [])}


async def test_an_errand_is_no_news_of_another_with_such_a_verb(alice: Client) -> None:
    await add(alice, "pick up the parcel")
    say = Talk(alice).say
    assert "buy nappies and wipes" in await say("buy nappies and wipes")
    await say("yes")
    rows = await todos(alice)
    assert not rows["pick up the parcel"]["completed"]
    assert "buy nappies and wipes" in rows


async def test_an_errand_after_a_question_is_no_todo_by_itself(alice: Client) -> None:
    await add(alice, "Pay the gas", "Pay the water")
    say = Talk(alice).say
    assert "?" in await say("paying is done")
    await say("pick up the parcel")
    assert "pick up the parcel" not in await todos(alice)


@pytest.mark.parametrize(
    ("message", "done"),
    [
        ("the rent is paid and the form is sent", {"Pay the rent", "Send the form"}),
        ("die Miete ist bezahlt, das Formular auch", set()),
        ("the rent is paid and the form is not sent", set()),
        ("is the rent paid and the form sent?", set()),
    ],
)
async def test_two_things_that_are_surely_done_are_done_at_once(
    alice: Client, message: str, done: set[str]
) -> None:
    await add(alice, "Pay the rent", "Send the form", "Return the books")
    await Talk(alice).say(message)
    assert {title for title, row in (await todos(alice)).items() if row["completed"]} == done


async def test_a_part_of_a_todo_that_is_done_does_not_end_it(alice: Client) -> None:
    fields = {
        "title": "Bottle the ale",
        "steps": [{"title": "Sterilise bottles"}, {"title": "Print labels"}],
    }
    await alice.ok("POST", "/os/todos", status=201, json=fields)
    say = Talk(alice).say
    assert "Sterilise bottles" in await say(
        "bottling the ale: the bottles are sterilised, tick that off"
    )
    assert not (await todos(alice))["Bottle the ale"]["completed"]
    await say("yes")
    row = (await todos(alice))["Bottle the ale"]
    assert not row["completed"]


async def test_a_value_is_corrected_at_once_where_that_is_asked_for(alice: Client) -> None:
    house = await note(alice, "House", "Alarm code: 4417.\n\nWater meter: 88213.\n")
    say = Talk(alice).say
    await say("the alarm code is 9052 now, can you fix that in my house note?")
    assert "Alarm code: 9052." in await text_of(alice, house)
    await say("is the alarm code 1111 now?")
    assert "Alarm code: 9052." in await text_of(alice, house)


async def test_what_asks_for_a_change_is_no_new_value(alice: Client) -> None:
    wishes = await note(alice, "Wishes", "- Lina: skates\n- Jonah: headphones\n")
    await Talk(alice).say(
        "Jonah wants a skateboard instead of headphones, change that in the wishes"
    )
    text = await text_of(alice, wishes)
    assert "change that" not in text
    assert "Lina: skates" in text


async def test_what_was_only_near_to_a_question_is_not_deleted(alice: Client) -> None:
    await note(alice, "Gift ideas", "Priya: pottery class\n")
    say = Talk(alice).say
    await say("what did Priya say about the cellar?")
    await say("scrap that, it's seven after all")
    assert (await alice.ok("GET", "/os/notes"))["totalNotes"] == 1


async def test_a_question_is_no_answer_to_which_thing_was_meant(alice: Client) -> None:
    await add(alice, "年賀状を書く")
    say = Talk(alice).say
    await say("年賀状の切手は買った")
    await say("年賀状あと何しないといけない？")
    assert not (await todos(alice))["年賀状を書く"]["completed"]


async def test_whole_titles_are_meant_whatever_else_is_named(alice: Client) -> None:
    await note(alice, "Gift ideas", "Mum: scarf\n")
    await add(alice, "Dinner with Priya's parents", "Call Priya")
    await Talk(alice).say("delete my gift ideas note before Priya sees it")
    assert (await alice.ok("GET", "/os/notes"))["totalNotes"] == 0
    assert len(await todos(alice)) == 2


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("which is the most expensive thing in the lab order?", "Dissection kits"),
        ("which thing on the lab order costs the least?", "Indicator paper"),
        ("how much is the lab order all in?", "218"),
    ],
)
async def test_a_list_is_reckoned_with(alice: Client, question: str, told: str) -> None:
    rows = (
        "| Petri dishes | 27 |\n| Indicator paper | 14 |\n| Glass | 32 |\n| Dissection kits | 145 |"
    )
    await note(alice, "Lab order", f"| Item | Euros |\n| --- | --- |\n{rows}\n")
    answer = await Talk(alice).say(question)
    assert told in answer
    assert ("Petri" in answer) == (told == "218")  # a sum quotes every line


async def test_the_cell_that_is_named_is_corrected_and_no_name_of_a_row(alice: Client) -> None:
    rows = "| Bed | pH | Crop |\n| --- | --- | --- |\n| A1 | 7 | 18 |\n| A4 | 6 | 22 |\n"
    beds = await note(alice, "Beds", rows)
    say = Talk(alice).say
    await say("the crop of A4 in beds is 24 now, change it")
    text = await text_of(alice, beds)
    assert "A24" not in text
    assert "| A4 | 6 | 24 |" in text


async def test_a_row_of_two_cells_is_changed_by_its_name(alice: Client) -> None:
    rows = "| Bed | Crop |\n| --- | --- |\n| C | kale |\n| D | potatoes |\n"
    beds = await note(alice, "Beds", rows)
    say = Talk(alice).say
    await say("show me the beds")
    await say("change D to parsnips")
    assert "| D | parsnips |" in await text_of(alice, beds)


async def test_a_step_by_other_words_does_not_end_its_todo(alice: Client) -> None:
    fields = {"title": "Peindre la chambre de Zoé", "steps": [{"title": "lessiver les murs"}]}
    await alice.ok("POST", "/os/todos", status=201, json=fields)
    told = await Talk(alice).say("les murs de la chambre de Zoé sont lessivés")
    assert "lessiver les murs" in told
    assert not (await todos(alice))["Peindre la chambre de Zoé"]["completed"]


async def test_a_tick_writes_no_new_line(alice: Client) -> None:
    shopping = await note(alice, "スーパーで買うもの", "- [ ] 豆腐\n- [ ] 牛乳\n")
    await Talk(alice).say("スーパーで買うものの豆腐、チェック入れて")
    assert len((await text_of(alice, shopping)).strip().splitlines()) == 2


@pytest.mark.parametrize(
    ("message", "due"),
    [
        ("schieb die Winterreifen um eine Woche, die Werkstatt ist voll", "2026-12-07"),
        ("push the Winterreifen by a week", "2026-12-07"),
        ("schieb die Winterreifen auf morgen", "2026-11-22"),
    ],
)
async def test_a_todo_is_pushed_by_a_length_of_time(alice: Client, message: str, due: str) -> None:
    await add(alice, "Winterreifen wechseln", dueDate="2026-11-30")
    await Talk(alice).say(message)
    assert (await todos(alice))["Winterreifen wechseln"]["dueDate"] == due


@pytest.mark.parametrize(
    "message", ["¿qué tengo de aquí al viernes?", "what have I got between now and Friday?"]
)
async def test_what_lies_between_now_and_a_day_is_listed(alice: Client, message: str) -> None:
    await add(alice, "Comprar geles", dueDate="2026-11-25")
    assert "Comprar geles" in await Talk(alice).say(message)


async def test_a_step_is_ticked_by_its_own_words(alice: Client) -> None:
    fields = {"title": "Mend the shed roof", "steps": [{"title": "buy roofing felt"}]}
    await alice.ok("POST", "/os/todos", status=201, json=fields)
    assert "roofing felt" in await Talk(alice).say("got the roofing felt")
    assert not (await todos(alice))["Mend the shed roof"]["completed"]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("which shift do I have on 8 December?", "8 Dec: night"),
        ("welche Schicht hab ich am 8. Dezember?", "8. Dez.: Nacht"),
        ("¿qué turno tengo el 8 de diciembre?", "8 dic: noche"),
        ("what have I got on 8 December?", "Post the letter"),
        ("which todos do I have on 8 December?", "Post the letter"),
        ("which shift do I have on 9 December?", ""),
    ],
)
async def test_a_note_tells_what_is_asked_of_a_day(alice: Client, question: str, told: str) -> None:
    await add(alice, "Post the letter", dueDate="2026-12-08")
    await note(alice, "Shifts in December", "- 5 Dec: late\n- 8 Dec: night\n- 13 Dec: off\n")
    await note(alice, "Schichten im Dezember", "- 5. Dez.: Spät\n- 8. Dez.: Nacht\n")
    await note(alice, "Turnos de diciembre", "- 5 dic: tarde\n- 8 dic: noche\n")
    answer = await Talk(alice).say(question)
    assert told in answer
    quoted = "\n".join(line for line in answer.splitlines() if line.startswith(">"))
    assert ("8 Dec: night" in quoted) == (told == "8 Dec: night")


@pytest.mark.parametrize(
    ("question", "told", "after", "then"),
    [
        ("which shift do I have on 8 December?", "night", "and on 13 December?", "off"),
        ("¿qué turno tengo el 8 de diciembre?", "noche", "¿y el 5?", "tarde"),
    ],
)
async def test_what_follows_asks_the_same_note_of_another_day(
    alice: Client, question: str, told: str, after: str, then: str
) -> None:
    await note(alice, "Shifts in December", "- 5 Dec: late\n- 8 Dec: night\n- 13 Dec: off\n")
    await note(alice, "Turnos de diciembre", "- 5 dic: tarde\n- 8 dic: noche\n")
    say = Talk(alice).say
    assert told in await say(question)
    assert then in await say(after)


async def test_the_beginning_of_a_compound_with_its_verb_is_asked_for(alice: Client) -> None:
    await add(alice, "Gasrechnung bezahlen", "Gastgeschenk kaufen")
    say = Talk(alice).say
    assert "Gasrechnung bezahlen" in await say("das gas ist bezahlt")
    await say("ja")
    rows = await todos(alice)
    assert rows["Gasrechnung bezahlen"]["completed"]
    assert not rows["Gastgeschenk kaufen"]["completed"]


@pytest.mark.parametrize(
    ("title", "message"),
    [
        ("Choir practice", "when is the next choir practice?"),
        ("Chorprobe", "wann ist die nächste chorprobe?"),
        ("Répétition", "c'est quand la prochaine répétition ?"),
        ("Ensayo del coro", "cuándo es el próximo ensayo del coro?"),
        ("合唱の練習", "次の合唱の練習はいつ？"),
        ("合唱排练", "下次合唱排练是什么时候？"),
    ],
)
async def test_the_next_of_what_comes_again_is_told(
    alice: Client, title: str, message: str
) -> None:
    weekly = {"rule": "FREQ=WEEKLY"}
    await add(alice, title, dueDate="2026-11-26T18:30:00Z", recurrence=weekly)
    assert re.search(r"18[:.]30|6:30 pm", await Talk(alice).say(message))


async def test_to_undo_what_was_only_asked_about_is_a_no(alice: Client) -> None:
    await add(alice, "Sort out the loft", "Insulate the loft hatch")
    say = Talk(alice).say
    asked = await say("i don't need to sort out the loft any more, delete it")
    assert asked == "Do you mean: delete “Sort out the loft”?"
    assert await say("oh wait, undo that") == "All right, I leave that alone."
    assert "Sort out the loft" in await todos(alice)


async def test_an_errand_is_one_whatever_was_spoken_of(alice: Client) -> None:
    await note(alice, "Seed order", "Peas, 3 packets\n")
    say = Talk(alice).say
    await say("how many packets of peas are on the seed order?")
    assert await say("buy dog food") == "Added: buy dog food."
