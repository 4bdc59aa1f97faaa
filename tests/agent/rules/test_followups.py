"""Messages that go on from the turn before, in every language: what was made, moved, listed or
removed then is what they mean.
"""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from app.agent.rules import views
from app.agent.rules.dialogue import followups
from app.agent.turn.steps import Asked, Question, Thing, Trace

NOW = datetime(2026, 11, 23, 9, 0, tzinfo=ZoneInfo("Europe/Berlin"))
TODO, OTHER, THIRD = (Thing("todo", number, f"T{number}") for number in (1, 2, 3))
NOTE, OTHER_NOTE = (Thing("note", number, f"N{number}") for number in (1, 2))
BACK = (("edit_todo", {"id": 1}),)
BEFORE = {
    "made": Trace("add_todo", about=(TODO,), undo=(("delete_todo", {"id": 1}),)),
    "moved": Trace("change_todo", arguments={"day": "x"}, about=(TODO,), undo=BACK),
    "weighed": Trace("change_todo", arguments={"priority": "2"}, about=(TODO,), undo=BACK),
    "done": Trace("complete_todo", about=(TODO,), undo=BACK),
    "gone": Trace("delete", about=(TODO,), undo=(("restore_from_trash", {"id": 1}),)),
    "list": Trace("list_todos", arguments={"said": "x"}, shown=(TODO, OTHER, THIRD)),
    "one": Trace("list_todos", shown=(TODO,)),
    "notes": Trace("list_notes", arguments={"folder": "x"}, shown=(NOTE, OTHER_NOTE)),
    "note": Trace("make_note", about=(NOTE,), undo=(("trash_note", {"noteId": 1}),)),
    "filed": Trace("move_note", about=(NOTE,), undo=(("move_note", {"noteId": 1}),)),
    "pinned": Trace("pin_note", about=(NOTE, OTHER_NOTE), undo=(("pin_note", {}),) * 2),
    "step": Trace("add_step", arguments={"step": "x"}, about=(TODO,), undo=BACK),
    "waits": Trace("message", about=(Thing("escalation", 1, "ben"),), undo=(("x", {}),)),
    "mail": Trace("unread", about=(Thing("person", 0, "ben"),)),
    "folder": Trace("make_folder", about=(Thing("folder", 4, "Work/Tools"),), undo=BACK),
    "asked": Trace("near", asks=Question("near", {"plain": "x"}, lacks="yes", choices=(TODO,))),
    "quoted": Trace("ask", arguments={"words": "x"}, about=(NOTE,)),
}


def meant(language: str, before: str, message: str) -> str:
    """Return what a message means: the intent, the numbers of what is meant, the arguments."""
    turns = [BEFORE[before]] if before != "again" else [BEFORE["made"], BEFORE["list"]]
    earlier = tuple(
        Trace(**{**{f: getattr(one, f) for f in one.__struct_fields__}, "language": language})
        for one in turns
    )
    asked = Asked(message, (), frozenset(), NOW, earlier=earlier)
    found = views.go_on(asked, language) or followups.follow(asked, language)
    if found is None:
        return ""
    ids = ",".join(str(one.id) for one in found.things)
    said = "".join(f" {name}={value}" for name, value in sorted(found.arguments.items()))
    return f"{found.intent}{ids and '#'}{ids}{said}"


@pytest.mark.parametrize(
    ("language", "before", "message", "means"),
    [
        ("en", "made", "argh no, sunday i meant", "change_todo#1 corrects=yes day=sunday"),
        ("en", "moved", "tuesday is no good, friday", "change_todo#1 day=friday"),
        ("en", "made", "twenty minutes earlier please", "change_todo#1 by=twenty minutes"),
        ("en", "moved", "nudge it back by two days", "change_todo#1 by=two days"),
        ("en", "weighed", "haha no, the way it was before", "undo"),
        ("en", "gone", "hang on, don't remove it", "undo again=yes"),
        ("en", "notes", "put the tag attic on the second one", "change_note#2 tag=attic"),
        ("en", "filed", "sorry, into Garage", "move_note#1 folder=Garage"),
        ("en", "folder", "a note in there: two ladders", "make_note content=two ladders"),
        ("en", "step", "and another: sand the edges", "add_step#1 step=sand the edges"),
        ("en", "done", "the curtains as well", "complete_todo words=curtains"),
        ("en", "waits", "has that gone out yet", "waiting"),
        ("en", "mail", "answer him that I agree", "message text=I agree who=ben"),
        ("en", "again", "and now?", "list_todos said=x"),
        ("en", "one", "and when is it due", "todo_state#1"),
        ("en", "quoted", "what time?", "ask"),
        ("en", "made", "oh no, it was the fifth", "change_todo#1 corrects=yes day=on the 5th"),
        ("en", "list", "and the second on friday", "change_todo#2 day=on friday"),
        ("en", "moved", "sunday, priority four", "change_todo#1 day=sunday priority=four"),
        ("en", "moved", "take the date off again", "change_todo#1 clear=yes"),
        ("en", "waits", "hm, don't send it after all", "decide#1 no=no"),
        ("en", "asked", "no, friday", ""),
        ("en", "asked", "a day earlier", ""),
        ("de", "made", "ach nee, das war der fünfte", "change_todo#1 corrects=yes day=am 5."),
        ("fr", "made", "ah non c'est le cinq", "change_todo#1 corrects=yes day=le cinq"),
        ("fr", "list", "le premier à samedi", "change_todo#1 day=samedi"),
        ("fr", "waits", "attends, ne l'envoie pas encore", "decide#1 no=no"),
        ("es", "made", "perdona, era el día cinco", "change_todo#1 corrects=yes day=el día cinco"),
        ("es", "waits", "pensándolo mejor, no lo envíe", "decide#1 no=no"),
        ("ja", "moved", "期限は一日早めといて", "change_todo#1 by=一日 earlier=yes"),
        ("ja", "moved", "名前は「棚」にして", "rename#1 title=棚"),
        ("zh", "made", "不对不对是十六号", "change_todo#1 corrects=yes day=十六号"),
        ("zh", "moved", "算了 日期去掉", "change_todo#1 clear=yes"),
        ("de", "moved", "und die zeichnungen auch", "change_todo day=x target=zeichnungen"),
        ("de", "moved", "gleiche uhrzeit bitte", "todo_state#1"),
        ("de", "asked", "frist ist der 30. november", "change_todo#1 day=30. november"),
        ("fr", "moved", "et les plans aussi", "change_todo day=x target=plans"),
        ("fr", "moved", "à la même heure", "todo_state#1"),
        ("fr", "asked", "l'échéance c'est le 1er décembre", "change_todo#1 day=le 1er décembre"),
        ("de", "made", "äh sonntag meinte ich", "change_todo#1 corrects=yes day=sonntag"),
        ("de", "moved", "dienstag passt mir nicht, freitag", "change_todo#1 day=freitag"),
        ("de", "made", "doch zwanzig minuten früher", "change_todo#1 by=zwanzig minuten"),
        ("de", "weighed", "ach nö, so wie vorher", "undo"),
        ("de", "gone", "moment, doch nicht löschen", "undo again=yes"),
        ("de", "notes", "gib der zweiten den tag keller", "change_note#2 tag=keller"),
        ("de", "filed", "nee, in Werkstatt", "move_note#1 folder=Werkstatt"),
        ("de", "folder", "da rein ne notiz: zwei leitern", "make_note content=zwei leitern"),
        ("de", "done", "vorhänge ebenfalls", "complete_todo words=vorhänge"),
        ("de", "pinned", "die erste wieder lösen", "undo#1"),
        ("de", "waits", "ging das schon raus", "waiting"),
        ("de", "mail", "schreib ihr zurück: passt", "message text=passt who=ben"),
        ("fr", "made", "zut, dimanche je voulais dire", "change_todo#1 corrects=yes day=dimanche"),
        ("fr", "moved", "mardi c'est pas possible, vendredi", "change_todo#1 day=vendredi"),
        ("fr", "made", "décale d'une heure", "change_todo#1 by=une heure"),
        ("fr", "weighed", "bof non, comme avant", "undo"),
        ("fr", "gone", "attends, ne l'efface pas", "undo again=yes"),
        ("fr", "filed", "pardon, dans Garage", "move_note#1 folder=Garage"),
        ("fr", "done", "les rideaux également", "complete_todo words=rideaux"),
        ("fr", "mail", "réponds-lui que je suis d'accord", "message text=je suis d'accord who=ben"),
        ("es", "made", "ay no, el domingo", "change_todo#1 corrects=yes day=el domingo"),
        ("es", "moved", "el martes me viene mal, el viernes", "change_todo#1 day=viernes"),
        ("es", "made", "una hora antes porfa", "change_todo#1 by=una hora earlier=yes"),
        ("es", "weighed", "uy no, déjalo como antes", "undo"),
        ("es", "gone", "espera, no la quites", "undo again=yes"),
        ("es", "filed", "perdón, en Garaje", "move_note#1 folder=Garaje"),
        ("es", "done", "las cortinas también", "complete_todo words=cortinas"),
        ("es", "mail", "dile que de acuerdo", "message text=de acuerdo who=ben"),
        ("zh", "made", "哎不对，是周日", "change_todo#1 corrects=yes day=周日"),
        ("zh", "moved", "周二不方便，周五吧", "change_todo#1 day=周五"),
        ("zh", "made", "提前二十分钟", "change_todo#1 by=二十分钟 earlier=yes"),
        ("zh", "weighed", "算了，恢复原状吧", "undo"),
        ("zh", "gone", "等一下，别删了", "undo again=yes"),
        ("zh", "notes", "第二个加个标签 阁楼", "change_note#2 tag=阁楼"),
        ("zh", "done", "窗帘也好了", "complete_todo words=窗帘"),
        ("zh", "mail", "告诉他我同意", "message text=我同意 who=ben"),
        ("ja", "made", "あ、ごめん、日曜です", "change_todo#1 corrects=yes day=日曜"),
        ("ja", "moved", "火曜は都合が悪い、金曜で", "change_todo#1 day=金曜"),
        ("ja", "made", "20分早めて", "change_todo#1 by=20分 earlier=yes"),
        ("ja", "weighed", "ごめん、元どおりにして", "undo"),
        ("ja", "gone", "待って、やっぱり消さないで", "undo again=yes"),
        ("ja", "notes", "2つ目に「屋根裏」ってタグを付けて", "change_note#2 tag=屋根裏"),
        ("ja", "done", "カーテンも完了", "complete_todo words=カーテン"),
        ("ja", "mail", "了解しましたと返信して", "message text=了解しました who=ben"),
    ],
)
def test_what_goes_on_is_understood_by_its_days_names_and_little_words(
    language: str, before: str, message: str, means: str
) -> None:
    found = meant(language, before, message)
    assert all(part in found for part in means.split(" ")), found


@pytest.mark.parametrize("before", ["made", "moved", "done", "gone", "list", "note", "step"])
@pytest.mark.parametrize(
    ("language", "message"),
    [
        ("en", "paint the fence on friday"),
        ("en", "what is left to do"),
        ("en", "not on friday"),
        ("en", "don't undo that"),
        ("en", "does friday work?"),
        ("de", "freitag bin ich nicht da"),
        ("de", "streich den zaun am freitag grün"),
        ("de", "nicht rückgängig machen"),
        ("fr", "repeindre la clôture vendredi matin"),
        ("fr", "pas vendredi"),
        ("es", "que queda esta semana"),
        ("es", "el viernes no"),
        ("zh", "周五我不在"),
        ("zh", "什么都别改"),
        ("ja", "金曜はいない"),
        ("ja", "今週あと何が残ってる"),
    ],
)
def test_what_asks_denies_or_stands_for_itself_changes_nothing(
    language: str, message: str, before: str
) -> None:
    found = meant(language, before, message).partition(" ")[0].partition("#")[0]
    assert found in ("", "list_todos", "todo_state")


def test_a_day_beside_a_yes_changes_what_was_asked_about() -> None:
    plain = {"plain": "move “T1” to saturday"}
    asks = Question("near", plain, lacks="yes", choices=(TODO,))
    earlier = (Trace("near", "en", asks=asks),)
    message = Asked("yes but friday", (), frozenset(), NOW, earlier=earlier)
    found = followups.follow(message, "en")
    assert found is not None
    assert (found.intent, found.things, found.get("day")) == ("change_todo", (TODO,), "friday")


@pytest.mark.parametrize(
    ("message", "plain"),
    [
        ("no, friday", "move “Q1” to friday"),
        ("rather at six", "move “Q1” to saturday at six"),
        ("yes but friday", ""),
    ],
)
def test_what_begins_with_a_no_is_asked_again_and_not_done(message: str, plain: str) -> None:
    asks = Question("near", {"plain": "move “Q1” to saturday"}, lacks="yes", choices=(TODO,))
    earlier = (Trace("near", "en", asks=asks),)
    found = followups.follow(Asked(message, (), frozenset(), NOW, earlier=earlier), "en")
    assert found is not None
    assert found.things == (TODO,)
    assert (found.intent == "mean") == bool(plain)
    assert found.get("plain") == plain


def test_a_name_or_number_means_what_the_last_turns_made_or_changed() -> None:
    tape, nails = Thing("todo", 1, "buy tape"), Thing("todo", 2, "buy nails")
    made = [
        Trace("add_todo", "en", about=(one,), undo=(("delete_todo", {"id": one.id}),))
        for one in (nails, tape)
    ]
    gone = Trace("delete", "en", about=(nails,), undo=(("restore_from_trash", {"id": 2}),))

    def meant_by(message: str, *earlier: Trace) -> tuple[str, tuple[Thing, ...]] | None:
        found = followups.follow(Asked(message, (), frozenset(), NOW, earlier=earlier), "en")
        return (found.intent, found.things) if found else None

    assert meant_by("the tape at 8", *made) == ("change_todo", (tape,))
    assert meant_by("the first at 8", *made) == ("change_todo", (tape,))
    assert meant_by("please delete the second one", *made) == ("delete", (nails,))
    assert meant_by("drop the tape, i have some", *made) == ("delete", (tape,))
    assert meant_by("put the nails back", gone, *made) == ("undo", (nails,))
    # What is in the trash takes no day.
    assert meant_by("the nails at 8", gone, *made) is None
    assert meant_by("the second at 8", gone, *made) is None
