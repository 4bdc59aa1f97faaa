"""What a message surely says is done at once; what it may say otherwise is asked about."""

from datetime import timedelta
from typing import Any

import pytest

from app.agent.rules.dialogue import resolve_reference
from app.agent.rules.routing import wording
from tests.conftest import Client, MovableClock
from tests.support.talks import Talk


async def todos(client: Client) -> dict[str, dict[str, Any]]:
    rows = (await client.ok("GET", "/os/todos"))["result"]["todos"]
    return {row["title"]: row for row in rows}


async def add(client: Client, *titles: str, **fields: Any) -> None:
    for title in titles:
        await client.ok("POST", "/os/todos", status=201, json={"title": title, **fields})


async def note(client: Client, title: str, content: str) -> str:
    fields = {"title": title, "content": content}
    made = await client.ok("POST", "/os/notes", status=201, json=fields)
    return f"/os/notes/{made['result']['note']['id']}"


async def text_of(client: Client, path: str) -> str:
    return str((await client.ok("GET", path))["note"]["markdown"])


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("title", "message", "changes"),
    [
        ("Winsch schmieren", "winsch ist geschmiert", {"completed": True}),
        ("Warm up the car", "warming up the car can wait", {}),
        ("Renew passport", "complete pass", {}),
        ("Hem the robes", "are the robes hemmed?", {}),
        ("Hem the robes", "the robes are not hemmed yet", {}),
        ("Take out the bins", "call the landlord in three days, it's urgent, priority 5", {}),
    ],
)
async def test_only_what_is_surely_told_changes_a_todo(
    alice: Client, title: str, message: str, changes: dict[str, object]
) -> None:
    await add(alice, title)
    before = (await todos(alice))[title]
    await Talk(alice).say(message)
    now = (await todos(alice))[title]
    fields = ("title", "completed", "priority")
    assert {one: now[one] for one in fields} == {one: before[one] for one in fields} | changes


@pytest.mark.anyio
async def test_a_reason_is_no_part_of_a_title_unless_it_takes_the_wish_back(alice: Client) -> None:
    say = Talk(alice).say
    await say("remind me tomorrow at six to warm up the car, else it won't start")
    await say("remind me tomorrow to buy cigarettes, no, forget it, i quit")
    assert list(await todos(alice)) == ["warm up the car"]


@pytest.mark.anyio
async def test_an_item_with_more_words_is_not_the_one_that_is_there(alice: Client) -> None:
    path = await note(alice, "Groceries", "- [ ] milk\n- [ ] eggs\n")
    say = Talk(alice).say
    await say("what's on the groceries?")
    await say("got the milk powder")
    assert "[x]" not in await text_of(alice, path)


@pytest.mark.anyio
async def test_undo_after_a_question_leaves_what_was_done_before_it(alice: Client) -> None:
    await add(alice, "Pay the rent", "Fetch the dry cleaning and the spare keys")
    say = Talk(alice).say
    await say("pay the rent is done")
    assert "Do you mean" in await say("dry cleaning = picked up")
    assert await say("undo") == "All right, I leave that alone."
    assert (await todos(alice))["Pay the rent"]["completed"]


@pytest.mark.anyio
async def test_it_is_not_what_was_spoken_of_before_a_question_without_an_answer(
    alice: Client,
) -> None:
    await add(alice, "Pay the rent", "Fetch the parcel")
    say = Talk(alice).say
    await say("pay the rent is done")
    await say("what does the ferry to Naxos cost")
    await say("reopen it")
    assert (await todos(alice))["Pay the rent"]["completed"]


@pytest.mark.anyio
async def test_the_value_of_the_line_that_is_named_is_replaced(alice: Client) -> None:
    prices = "Impfung Katze: 48 €\nImpfung Hund: 56 €\n"
    path = await note(alice, "Preise Ordination", prices)
    say = Talk(alice).say
    await say("was kostet die Impfung für einen Hund?")
    told = await say("ändere in der notiz preise ordination die katzenimpfung auf 52 euro")
    if "Replace" in told or "ersetzen" in told:
        await say("ja")
    assert await text_of(alice, path) == prices.replace("48", "52")


@pytest.mark.anyio
async def test_a_line_of_a_log_is_one_line(alice: Client) -> None:
    log = "- 12.09. Volk 3 eingefüttert, 8 kg\n- 02.11. Fluglöcher verengt\n- 04.11. Milben: 6\n"
    path = await note(alice, "Stockkarte", log)
    await Talk(alice).say("schreib in die stockkarte: 23.11. Volk 2 gewogen, 31 kg")
    assert await text_of(alice, path) == f"{log}- 23.11. Volk 2 gewogen, 31 kg\n"


@pytest.mark.anyio
async def test_a_folder_is_made_in_the_one_that_is_named(alice: Client) -> None:
    await alice.ok("POST", "/os/folders", json={"name": "Catering"})
    await Talk(alice).say("create folder Invoices under Catering")
    folders = (await alice.ok("GET", "/os/folders"))["folders"]
    above = {one["id"]: one["name"] for one in folders}
    made = next(one for one in folders if one["name"] == "Invoices")
    assert above[made["parentId"]] == "Catering"


@pytest.mark.anyio
async def test_an_hour_that_a_morning_is_moved_to_is_of_the_morning(alice: Client) -> None:
    await add(alice, "Faire le plein", dueDate="2026-11-24T06:00:00Z")
    say = Talk(alice).say
    await say("décale le plein à mercredi")
    await say("6h")
    due = (await todos(alice))["Faire le plein"]["dueDate"]
    assert due.startswith("2026-11-25T06:00")


@pytest.mark.anyio
async def test_a_word_that_filters_nothing_does_not_empty_a_list(alice: Client) -> None:
    await add(alice, "Beuten streichen")
    told = await Talk(alice).say("welche aufgaben haben no kein datum?")
    assert "Beuten streichen" in told


@pytest.mark.anyio
async def test_a_note_that_is_there_is_not_made_again_with_a_word_behind_it(alice: Client) -> None:
    await note(alice, "Assurance", "Police 44.\n")
    await Talk(alice).say("note Assurance dedans")
    assert len((await alice.ok("GET", "/os/notes"))["notes"]) == 1


@pytest.mark.parametrize(
    ("text", "message", "written"),
    [
        ("Noten für das Konzert", "benenn es um in Noten fürs Konzert", "Noten fürs Konzert"),
        ("Noten kopieren", "bitte Noten kopieren", "Noten kopieren"),
        ("etwas anderes", "nix gibts", "etwas anderes"),
    ],
)
def test_a_title_stays_as_it_was_written(text: str, message: str, written: str) -> None:
    assert wording.as_written(text, message, "de") == written


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("message", "back"),
    [
        ("ugh i'm ill. push everything from today to tomorrow", "hmm no, put it all back"),
        ("heute wird das nix mehr, schieb alles von heute auf morgen", "mach das rückgängig"),
        ("tu peux repousser à demain tout ce qui est prévu pour aujourd'hui ?", "annule"),
        ("oye, hoy voy fatal, pasa todo lo de hoy a mañana", "deshaz eso"),
        ("我今天太累了，把今天的事情全部推到明天", "撤销"),
        ("熱が出たので今日の分はぜんぶ明日に延期して", "取り消し"),
    ],
)
async def test_all_of_a_day_is_moved_and_put_back(
    alice: Client, clock: MovableClock, message: str, back: str
) -> None:
    today, tomorrow = ((clock.now + timedelta(days=days)).date().isoformat() for days in range(2))
    await add(alice, "Kranz", "Öl", dueDate=today)
    await add(alice, "Brief", dueDate="2027-01-05")

    async def days() -> list[str]:
        found = await todos(alice)
        return [found[one]["dueDate"] for one in ("Kranz", "Öl", "Brief")]

    talk = Talk(alice)
    await talk.say(message)
    assert await days() == [tomorrow, tomorrow, "2027-01-05"]
    await talk.say(back)
    assert await days() == [today, today, "2027-01-05"]


@pytest.mark.anyio
async def test_all_that_is_overdue_and_all_but_one_are_asked_about(
    alice: Client, clock: MovableClock
) -> None:
    today = clock.now.date().isoformat()
    await add(alice, "Clean the gutter", "Call the roofer", dueDate=today)
    await Talk(alice).say("push everything overdue to wednesday, i can't today")
    await Talk(alice).say("push everything from today to friday except call the roofer")
    await Talk(alice).say("push all the work todos from today to tomorrow")
    assert {row["dueDate"] for row in (await todos(alice)).values()} == {today}


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("made", "gone"),
    [
        ("remind me to call Felix on Friday", "you can delete that, he just wrote"),
        ("erinner mich am Freitag daran, Frau Behn anzurufen", "ach, kannst du löschen"),
        ("recuérdame el viernes sacar la lasaña", "mira, bórrala, al final cenamos fuera"),
        ("提醒我周五给师傅打电话", "算了不打了，删掉"),
    ],
)
async def test_what_was_just_made_is_deleted_at_once(alice: Client, made: str, gone: str) -> None:
    talk = Talk(alice)
    await talk.say(made)
    assert len(await todos(alice)) == 1
    await talk.say(gone)
    assert await todos(alice) == {}


@pytest.mark.anyio
async def test_both_of_two_that_were_listed_are_done(alice: Client) -> None:
    await add(alice, "Payer la cantine", "Rendre les livres", dueDate="2026-11-20")
    await add(alice, "Faire réviser la voiture")
    talk = Talk(alice)
    await talk.say("quelles tâches sont en retard ?")
    await talk.say("c'est bon, les deux sont faits")
    done = {title for title, row in (await todos(alice)).items() if row["completed"]}
    assert done == {"Payer la cantine", "Rendre les livres"}


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("messages", "done"),
    [
        (("lo de Trufa ya está hecho", "la vacuna no, lo otro"), "Comprar pienso para Trufa"),
        (
            ("die rechnung ist raus", "die an clausen", "halt nee, die andere wars"),
            "Rechnung an Thomsen",
        ),
    ],
)
async def test_the_other_of_two_is_done(
    alice: Client, messages: tuple[str, ...], done: str
) -> None:
    await add(alice, "Comprar pienso para Trufa", "Vacunar a Trufa")
    await add(alice, "Rechnung an Thomsen", "Rechnung an Clausen")
    talk = Talk(alice)
    for message in messages:
        await talk.say(message)
    rows = await todos(alice)
    assert [title for title, row in rows.items() if row["completed"]] == [done]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("message", "title", "text"),
    [
        (
            "new note Advent plan: wreath on Saturday, cookies on Sunday",
            "Advent plan",
            "wreath on Saturday, cookies on Sunday",
        ),
        (
            "apúntame en una nota nueva que la llave la tiene Amparo",
            "la llave la tiene Amparo",
            "la llave la tiene Amparo",
        ),
    ],
)
async def test_a_new_note_has_the_text_and_not_what_asks_for_it(
    alice: Client, message: str, title: str, text: str
) -> None:
    await Talk(alice).say(message)
    (row,) = (await alice.ok("GET", "/os/notes"))["notes"]
    assert row["title"] == title
    assert (await text_of(alice, f"/os/notes/{row['id']}")).strip() == text


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("title", "message", "then", "due"),
    [
        (
            "Zahnarzt",
            "soll ich den zahnarzt lieber verschieben?",
            "ja, auf den 10. um 9",
            "2026-12-10",
        ),
        (
            "Rendez-vous chez l'ophtalmo",
            "tu crois que je devrais reporter l'ophtalmo ?",
            "bon, décale-le d'une semaine",
            "2026-12-02",
        ),
    ],
)
async def test_a_question_whether_to_move_a_todo_tells_it_and_leads_to_the_move(
    alice: Client, title: str, message: str, then: str, due: str
) -> None:
    await add(alice, title, dueDate="2026-11-25")
    talk = Talk(alice)
    assert title in await talk.say(message)
    assert (await todos(alice))[title]["dueDate"] == "2026-11-25"
    await talk.say(then)
    assert (await todos(alice))[title]["dueDate"][:10] == due


@pytest.mark.anyio
async def test_whether_one_had_better_move_it_moves_nothing(alice: Client) -> None:
    await add(alice, "冬タイヤに交換する", dueDate="2026-12-05")
    await Talk(alice).say("タイヤ交換、今週末にしたほうがいいかなあ")
    assert (await todos(alice))["冬タイヤに交換する"]["dueDate"] == "2026-12-05"


@pytest.mark.anyio
async def test_a_list_is_narrowed_by_what_a_second_sentence_says(alice: Client) -> None:
    await add(alice, "Payer la cantine", dueDate="2026-11-20")
    await add(alice, "Traiter les ruches", dueDate="2026-12-12")
    told = await Talk(alice).say(
        "qu'est-ce que j'ai laissé traîner ? je veux dire les trucs en retard"
    )
    assert "cantine" in told
    assert "ruches" not in told


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("message", "made"),
    [
        ("明日の朝7時にゴミ袋買う、木曜に床屋。この2つ入れといて", {"ゴミ袋買う", "床屋"}),
        ("明天早上八点提醒我喂猫，还有周五买花泥", {"喂猫", "买花泥"}),
        (
            "buy stamps on thursday, post the letter on friday, put those two in",
            {"buy stamps", "post the letter"},
        ),
    ],
)
async def test_several_todos_with_a_day_each_are_made_at_once(
    alice: Client, message: str, made: set[str]
) -> None:
    await Talk(alice).say(message)
    rows = await todos(alice)
    assert set(rows) == made
    assert all(row["dueDate"] for row in rows.values())


@pytest.mark.anyio
async def test_a_passage_answers_what_a_todo_only_has_a_word_of(alice: Client) -> None:
    await add(alice, "Prune the hedge before the frost")
    await note(alice, "Frost dates", "Last frost here: about 12 May.")
    say = Talk(alice).say
    assert "12 May" in await say("When is the last frost here?")
    assert "Prune the hedge" in await say("When do I have to prune the hedge?")


@pytest.mark.anyio
async def test_then_is_of_the_day_told_but_stays_in_what_is_written_down(alice: Client) -> None:
    await add(alice, "Dentist", dueDate="2026-12-03T09:00:00Z")
    say = Talk(alice).say
    await say("when is the dentist?")
    await say("make a note: first lunch, then at 3 the museum")
    await say("when is the dentist?")
    await say("remind me then at 5 to buy bread")
    (row,) = (await alice.ok("GET", "/os/notes"))["notes"]
    assert (await text_of(alice, f"/os/notes/{row['id']}")).strip() == (
        "first lunch, then at 3 the museum"
    )
    assert (await todos(alice))["buy bread"]["dueDate"].startswith("2026-12-03")


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("message", "made"),
    [
        ("buy bread tomorrow", "buy bread"),
        ("email Tom on Friday", "email Tom"),
        ("call mum tomorrow at 5pm", "call mum"),
        ("morgen Brot kaufen", "Brot kaufen"),
        ("明天买面包", "买面包"),
        ("buy milk tomorrow", None),
        ("send the drawings tomorrow", None),
        ("call the dentist tomorrow?", None),
        ("pick up the bread at Mario's tomorrow", "pick up the bread at Mario's"),
    ],
)
async def test_a_title_with_its_day_is_a_new_todo_unless_it_may_be_one_that_is_there(
    alice: Client, message: str, made: str | None
) -> None:
    there = ["Buy milk", "Send drawings to Clara", "Call the dentist"]
    await add(alice, *there)
    before = await todos(alice)
    await Talk(alice).say(message)
    after = await todos(alice)
    assert {*after} == {*there, *([made] if made else [])}
    assert all(after[one]["dueDate"] == before[one]["dueDate"] for one in there)
    assert made is None or after[made]["dueDate"]


@pytest.mark.anyio
async def test_a_polite_question_asks_for_a_change_and_another_does_not(alice: Client) -> None:
    await add(alice, "Order green tiles")
    say = Talk(alice).say
    await say("should I move the tiles to friday?")
    assert (await todos(alice))["Order green tiles"]["dueDate"] is None
    await say("could you move the tiles to friday?")
    assert (await todos(alice))["Order green tiles"]["dueDate"]


@pytest.mark.anyio
async def test_items_that_are_ticked_end_no_todo_with_one_of_their_words(alice: Client) -> None:
    await add(alice, "Book the dog sitter")
    await note(alice, "Groceries", "- [ ] onions\n- [ ] dog food\n")
    await Talk(alice).say("Onions and dog food are in the trolley, tick them off")
    assert not (await todos(alice))["Book the dog sitter"]["completed"]


@pytest.mark.anyio
async def test_a_step_that_may_be_ticked_is_not_added(alice: Client) -> None:
    await alice.ok(
        "POST",
        "/os/todos",
        status=201,
        json={"title": "Bake a cake", "steps": [{"title": "buy marzipan"}]},
    )
    say = Talk(alice).say
    await say("the cake needs another step: get icing sugar")
    await say("the marzipan step can be ticked")
    steps = (await alice.ok("GET", "/os/todos", params={"includeSteps": True}))["result"]["todos"]
    assert [one["title"] for one in steps[0]["steps"]] == ["buy marzipan", "get icing sugar"]


@pytest.mark.anyio
async def test_another_title_for_a_note_is_not_written_into_it(alice: Client) -> None:
    path = await note(alice, "Tortilla", "4 huevos\n")
    say = Talk(alice).say
    await say("¿cuántos huevos lleva la tortilla?")
    await say("ponle de título Tortilla de la tía")
    assert await text_of(alice, path) == "4 huevos\n"


@pytest.mark.anyio
async def test_what_is_named_outright_is_opened_again_whatever_the_reason(alice: Client) -> None:
    await add(alice, "Keller aufräumen", "Return the library books")
    say = Talk(alice).say
    for title in ("Keller aufräumen", "Return the library books"):
        await say(f"{title} is done")
        assert (await todos(alice))[title]["completed"]
    await Talk(alice).say("Keller aufräumen bitte wieder öffnen, war wohl doch nicht fertig")
    await Talk(alice).say("turns out I never returned the library books")
    opened = {one for one, row in (await todos(alice)).items() if not row["completed"]}
    assert opened == {"Keller aufräumen"}


@pytest.mark.anyio
async def test_both_that_were_told_are_moved_in_other_words_for_them(alice: Client) -> None:
    await add(alice, "Payer la facture", "Rendre le livre", dueDate="2026-01-05")
    say = Talk(alice).say
    await say("qu'est-ce qui est en retard ?")
    before = {one: row["dueDate"] for one, row in (await todos(alice)).items()}
    await say("reporte-les tous les deux à mercredi")
    after = {one: row["dueDate"] for one, row in (await todos(alice)).items()}
    assert len({*after.values()}) == 1
    assert not {*after.values()} & {*before.values()}


@pytest.mark.anyio
async def test_an_item_is_ticked_in_the_list_that_is_named_by_a_longer_word(alice: Client) -> None:
    path = await note(alice, "行李", "- [ ] 护照\n- [ ] 相机\n")
    await Talk(alice).say("行李单里的护照装好了")
    assert await text_of(alice, path) == "- [x] 护照\n- [ ] 相机\n"


@pytest.mark.anyio
async def test_a_todo_whose_name_only_shares_letters_is_not_moved(alice: Client) -> None:
    await add(alice, "パスポートを更新する")
    await Talk(alice).say("レポートを木曜日に変更して")
    assert (await todos(alice))["パスポートを更新する"]["dueDate"] is None


@pytest.mark.anyio
async def test_a_note_is_put_into_the_folder_just_made_where_a_message_says_there(
    alice: Client,
) -> None:
    say = Talk(alice).say
    await say("necesito una carpeta nueva, Salud")
    await say("dentro crea la nota Vacunas con el texto: gripe, puesta el 3 de noviembre")
    found = await alice.ok("GET", "/os/notes", params={"recursive": True})
    (made,) = (one for one in found["notes"] if one["title"] == "Vacunas")
    folders = (await alice.ok("GET", "/os/folders"))["folders"]
    assert [one["name"] for one in folders if one["id"] == made["folderId"]] == ["Salud"]


@pytest.mark.anyio
async def test_the_time_that_it_is_not_is_not_taken(alice: Client, clock: MovableClock) -> None:
    due = (clock.now + timedelta(days=2)).replace(hour=15, minute=0).isoformat()
    await add(alice, "Reunión con la tutora", dueDate=due, userTimezone="UTC")
    say = Talk(alice).say
    if (await say("la reunión con la tutora es a las 17, no a las 15")).endswith("?"):
        await say("sí")
    assert (await todos(alice))["Reunión con la tutora"]["dueDate"][11:16] == "17:00"


@pytest.mark.anyio
async def test_the_folder_where_a_note_does_not_belong_is_not_taken(alice: Client) -> None:
    for name in ("Dienst", "Zuhause"):
        await alice.ok("POST", "/os/folders", json={"name": name})
    path = await note(alice, "Auto", "Reifen im Keller\n")
    await Talk(alice).say("die notiz Auto gehört nach Zuhause, nicht zu Dienst")
    assert (await alice.ok("GET", path))["note"]["folder"]["name"] == "Zuhause"


@pytest.mark.anyio
async def test_a_todo_that_shares_a_name_answers_no_question_of_a_fact(alice: Client) -> None:
    await add(alice, "Reunión con la tutora de Lucía")
    assert "Reunión" not in await Talk(alice).say("que número de pie tiene lucia?")


@pytest.mark.anyio
async def test_another_verb_ticks_no_step_of_which_nothing_is_said(alice: Client) -> None:
    steps = [{"title": "Borrow the trestle tables"}, {"title": "collect the urn from the church"}]
    await add(alice, "Get ready for the fair", steps=steps)
    say = Talk(alice).say
    await say("add a step to get ready for the fair: put up the lights")
    await say("tick the trestle tables, picked them up yesterday")
    row = (await todos(alice))["Get ready for the fair"]
    held = (await alice.ok("GET", f"/os/todos/{row['id']}"))["todo"]["steps"]
    assert [one["title"] for one in held if one["completed"]] == ["Borrow the trestle tables"]


@pytest.mark.anyio
@pytest.mark.parametrize(
    "messages",
    [
        ["buy candles", "buy tea", "move both to tomorrow"],
        ["neue aufgabe kerzen kaufen", "neue aufgabe tee kaufen", "beide auf morgen"],
        ["新待办买花", "新待办买茶", "两个都挪到明天"],
    ],
)
async def test_both_are_the_two_that_were_made_one_after_the_other(
    alice: Client, messages: list[str]
) -> None:
    await add(alice, "Pay the rent")
    say = Talk(alice).say
    for message in messages:
        await say(message)
    dues = {title: row["dueDate"] for title, row in (await todos(alice)).items()}
    assert dues.pop("Pay the rent") is None
    assert set(dues.values()) == {"2026-11-22"}
    assert len(dues) == 2


@pytest.mark.anyio
async def test_an_errand_is_one_after_a_note_was_told(alice: Client) -> None:
    await note(alice, "Rehearsals", "| Date | Biscuits |\n|---|---|\n| 10 December | Tom |\n")
    say = Talk(alice).say
    await say("who's bringing biscuits on 10 december?")
    await say("buy two rolls of masking tape")
    assert list(await todos(alice)) == ["buy two rolls of masking tape"]


@pytest.mark.anyio
async def test_both_of_one_thing_is_asked_about(alice: Client) -> None:
    await add(alice, "Pay the rent")
    say = Talk(alice).say
    await say("buy candles")
    assert await say("move both to tomorrow") == "Do you mean “buy candles”?"
    assert await say("no") == "All right, I leave that alone."
    assert not any(row["dueDate"] for row in (await todos(alice)).values())


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("titles", "message", "moved"),
    [
        (["取爸妈的药", "买牛奶"], "取药改到下周三", {"取爸妈的药"}),
        (["买牛肉和酸奶"], "牛奶改到下周三", set()),
        (["取爸妈的药", "取妹妹的药"], "取药改到下周三", set()),
    ],
)
async def test_a_short_name_without_spaces_is_one_things(
    alice: Client, titles: list[str], message: str, moved: set[str]
) -> None:
    await add(alice, *titles)
    await Talk(alice).say(message)
    assert {title for title, row in (await todos(alice)).items() if row["dueDate"]} == moved


@pytest.mark.parametrize(
    ("name", "title", "is_short"),
    [
        ("取药", "取爸妈的药", True),
        ("阳台灯", "修阳台的灯", True),
        ("母のプレゼント", "母の誕生日プレゼントを選ぶ", True),
        ("牛奶", "买牛肉和酸奶", False),
        ("咖啡豆", "买咖啡和土豆", False),
        ("药取", "取爸妈的药", False),
    ],
)
def test_a_name_is_short_for_another_by_its_parts(name: str, title: str, *, is_short: bool) -> None:
    assert bool(resolve_reference.short_rows(name, [{"title": title}])) is is_short
