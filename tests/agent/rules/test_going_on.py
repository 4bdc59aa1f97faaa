"""What goes on from the turn before: one more line, why something is done, another number."""

import pytest

from tests.agent.rules.test_at_once import add, note, text_of, todos
from tests.conftest import Client
from tests.support.talks import Talk


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("first", "second", "line"),
    [
        ("new note House rules: no smoking", "another line: quiet after ten", "quiet after ten"),
        ("neue Notiz Hausregeln: leise sein", "noch ein Punkt: Müll trennen", "Müll trennen"),
        ("nueva nota Reglas: no fumar", "una más: silencio", "silencio"),
        ("nouvelle note Règles : pas de fumée", "encore une ligne : calme", "calme"),
        ("「ルール」っていうメモ作って。内容は禁煙", "もう一つ、夜は静かに", "夜は静かに"),
        ("新建个笔记叫合租规矩,内容:室内不抽烟", "再加一条 朋友过夜最多三晚", "朋友过夜最多三晚"),
    ],
)
async def test_one_more_line_goes_into_the_note_just_written(
    alice: Client, first: str, second: str, line: str
) -> None:
    say = Talk(alice).say
    await say(first)
    notes = (await alice.ok("GET", "/os/notes"))["notes"]
    await say(second)
    text = await text_of(alice, f"/os/notes/{notes[0]['id']}")
    assert text.rstrip().split("\n")[-1].endswith(line)
    assert await todos(alice) == {}


@pytest.mark.anyio
@pytest.mark.parametrize(
    "message", ["another task: buy wire", "再加一条待办 买花", "noch ein Punkt?"]
)
async def test_what_is_no_line_changes_no_note(alice: Client, message: str) -> None:
    say = Talk(alice).say
    await say("new note House rules: no smoking")
    notes = (await alice.ok("GET", "/os/notes"))["notes"]
    where = f"/os/notes/{notes[0]['id']}"
    before = await text_of(alice, where)
    await say(message)
    assert await text_of(alice, where) == before


@pytest.mark.anyio
async def test_one_more_is_a_step_where_a_todo_has_steps(alice: Client) -> None:
    await add(alice, "Fix the roof", steps=[{"title": "Buy felt"}])
    say = Talk(alice).say
    await say("what are the steps of fix the roof?")
    await say("one more: borrow a ladder")
    ((title, row),) = (await todos(alice)).items()
    steps = (await alice.ok("GET", f"/os/todos/{row['id']}"))["todo"]["steps"]
    assert (title, [one["title"] for one in steps]) == (
        "Fix the roof",
        ["Buy felt", "borrow a ladder"],
    )


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("title", "message", "is_done"),
    [
        ("Return library books", "library books are done, edie took them back", True),
        ("Return library books", "library books are done, or are they?", False),
        ("Return library books", "library books are done, maybe", False),
        ("Return library books", "library books are done once edie takes them back", False),
    ],
)
async def test_why_something_is_done_may_be_told_beside_it(
    alice: Client, title: str, message: str, is_done: bool
) -> None:
    await add(alice, title)
    await add(alice, "Parents evening Edie")
    await Talk(alice).say(message)
    assert {one for one, row in (await todos(alice)).items() if row["completed"]} == (
        {title} if is_done else set()
    )


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("oh and weve got milk after all, take that off", "- [ ] eggs\n"),
        ("have we got milk after all, or take that off?", "- [ ] milk\n- [ ] eggs\n"),
    ],
)
async def test_what_is_there_after_all_is_taken_off(alice: Client, message: str, kept: str) -> None:
    where = await note(alice, "Shopping", "- [ ] milk\n- [ ] eggs\n")
    say = Talk(alice).say
    await say("what's on the shopping?")
    await say(message)
    assert await text_of(alice, where) == kept


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("first", "message", "number"),
    [
        ("put mowing up to 30", "hang on no, 45", "45"),
        ("put mowing up to 30", "no, 5", "5"),
        ("put mowing up to 30", "I am 45", "30"),
        ("setz mowing auf 30", "hm ne, doch lieber 45", "45"),
        ("把mowing改成30", "等下 还是45吧", "45"),
    ],
)
async def test_another_number_after_one_was_written(
    alice: Client, first: str, message: str, number: str
) -> None:
    where = await note(alice, "Prices", "- mowing: 28\n- hedges: 34\n")
    say = Talk(alice).say
    await say("what does mowing cost?")
    await say(first)
    assert "mowing: 30" in await text_of(alice, where)
    await say(message)
    assert await text_of(alice, where) == f"- mowing: {number}\n- hedges: 34\n"


@pytest.mark.anyio
@pytest.mark.parametrize(
    "message",
    [
        "alles von Montag auf Freitag verschieben, gleiche Uhrzeit",
        "verschiebe alle Aufgaben auf Freitag",
        "décale tout ce qu'il y a lundi à vendredi, même heure",
        "move all tasks to Friday",
    ],
)
async def test_a_day_that_is_named_gives_nothing_overdue_another(
    alice: Client, message: str
) -> None:
    await add(alice, "Send the invoice", dueDate="2026-11-17")
    await Talk(alice).say(message)
    assert (await todos(alice))["Send the invoice"]["dueDate"] == "2026-11-17"


@pytest.mark.anyio
@pytest.mark.parametrize("message", ["周一的事全挪到周五 同一个时间", "周一的都挪到周五"])
async def test_all_of_a_day_is_moved_in_few_words(alice: Client, message: str) -> None:
    await add(alice, "打疫苗", "看房", dueDate="2026-11-23")
    await add(alice, "交电费", dueDate="2026-11-24")
    await Talk(alice).say(message)
    dues = {title: row["dueDate"] for title, row in (await todos(alice)).items()}
    assert dues == {"打疫苗": "2026-11-27", "看房": "2026-11-27", "交电费": "2026-11-24"}


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("message", "is_kept"),
    [
        ("好吧。。洗窗帘那个不洗了 别留着了", False),
        ("洗窗帘 别删了", True),
        ("把洗窗帘删了吧 别", True),
    ],
)
async def test_not_to_be_kept_is_to_be_deleted(alice: Client, message: str, is_kept: bool) -> None:
    await add(alice, "洗窗帘")
    await Talk(alice).say(message)
    assert ("洗窗帘" in await todos(alice)) == is_kept


@pytest.mark.anyio
async def test_what_is_asked_of_a_todo_goes_on_in_its_description(alice: Client) -> None:
    about = "Room B14, Mr Osei first"
    await add(alice, "Parents evening", description=about, dueDate="2026-11-26T17:30:00Z")
    say = Talk(alice).say
    await say("what time is parents evening exactly?")
    assert "B14" in await say("which room was it?")
    await say("what time is parents evening exactly?")
    assert "B14" not in await say("how much?")


@pytest.mark.anyio
async def test_there_is_the_folder_just_made_and_then_no_name(alice: Client) -> None:
    await note(alice, "Seed order", "garlic")
    await add(alice, "Sharpen secateurs and loppers")
    say = Talk(alice).say
    await say("make a folder called Allotment")
    assert "Allotment" in await say("and pop the seed order in there")
    await say("move the secateurs todo to tomorrow")
    await say("call it Sharpen secateurs then")
    assert list(await todos(alice)) == ["Sharpen secateurs"]
