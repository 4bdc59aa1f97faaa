"""What a message says is not to be done, or only if something else is so, is not done."""

import pytest

from tests.agent.rules.test_at_once import add, note, text_of, todos
from tests.conftest import Client
from tests.support.talks import Talk

TODO = {"en": "Fix the shed roof", "de": "Adventskranz basteln", "fr": "Tailler la haie"}
TODO |= {"es": "Arreglar la persiana", "ja": "歯医者", "zh": "换灯泡"}
LIST = {"en": ("Groceries", "pears"), "de": ("Einkaufsliste", "Birnen")}
LIST |= {"fr": ("Liste de courses", "poires"), "es": ("Lista de la compra", "peras")}
LIST |= {"ja": ("買い物リスト", "牛乳"), "zh": ("购物清单", "牛奶")}


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("language", "message"),
    [
        ("en", "don't move the shed roof to friday"),
        ("en", "please don't push the shed roof to tomorrow"),
        ("en", "don't make the shed roof urgent"),
        ("de", "verschieb den Adventskranz nicht auf Sonntag"),
        ("de", "setz den Adventskranz bitte nicht auf Prio 5"),
        ("fr", "ne déplace pas la haie à vendredi"),
        ("fr", "déplace pas la haie à vendredi"),
        ("es", "no pases la persiana al viernes"),
        ("es", "lo de la persiana no lo pases al viernes"),
        ("ja", "歯医者を金曜にずらさないで"),
        ("zh", "别把换灯泡改到周日"),
    ],
)
async def test_a_todo_is_not_changed_as_is_forbidden(
    alice: Client, language: str, message: str
) -> None:
    await add(alice, TODO[language])
    before = await todos(alice)
    await Talk(alice).say(message)
    assert _kept(await todos(alice)) == _kept(before)


def _kept(rows: dict[str, dict[str, object]]) -> dict[str, tuple[object, object]]:
    return {title: (row["dueDate"], row["priority"]) for title, row in rows.items()}


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("language", "message"),
    [
        ("en", "don't move the shed roof to friday, move it to saturday"),
        ("en", "i can't do it today so move the shed roof to friday"),
        ("en", "why don't we move the shed roof to friday"),
        ("de", "schieb den Adventskranz nicht auf Sonntag sondern auf Montag"),
        ("de", "vergiss nicht den Adventskranz auf Sonntag zu schieben"),
        ("fr", "j'ai pas le temps, reporte la haie à vendredi"),
        ("fr", "n'oublie pas de décaler la haie à vendredi"),
        ("es", "no, pasa la persiana al viernes"),
        ("ja", "木曜は行けないので歯医者を金曜にずらして"),
        ("zh", "换灯泡改到周日，别忘了"),
    ],
)
async def test_what_only_has_a_not_is_done(alice: Client, language: str, message: str) -> None:
    await add(alice, TODO[language])
    await Talk(alice).say(message)
    assert (await todos(alice))[TODO[language]]["dueDate"]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("language", "message"),
    [
        ("en", "don't take the pears off"),
        ("en", "please don't tick the pears yet"),
        ("en", "if ben brings pears take them off"),
        ("en", "don't add milk to the groceries"),
        ("de", "streich die Birnen nicht"),
        ("de", "hak die Birnen noch nicht ab"),
        ("de", "wenn Malte Birnen mitbringt, streich sie"),
        ("de", "schreib keine Milch auf die Einkaufsliste"),
        ("fr", "coche pas encore les poires"),
        ("fr", "si tu vois des poires enlève les"),
        ("fr", "n'ajoute pas de lait à la liste de courses"),
        ("es", "no quites las peras"),
        ("es", "si hay peras en casa quítalas"),
        ("ja", "牛乳は消さないで"),
        ("ja", "家に牛乳があったら消して"),
        ("zh", "别把鸡蛋加到购物清单"),
    ],
)
async def test_a_list_is_not_changed_as_is_forbidden(
    alice: Client, language: str, message: str
) -> None:
    title, item = LIST[language]
    where = await note(alice, title, f"- [ ] {item}\n")
    say = Talk(alice).say
    await say({"ja": "買い物リスト見せて", "zh": "打开购物清单"}.get(language, title))
    await say(message)
    assert await text_of(alice, where) == f"- [ ] {item}\n"


@pytest.mark.anyio
async def test_what_is_wished_only_if_is_asked_about(alice: Client) -> None:
    await add(alice, "Arreglar la persiana", "Elternabend")
    say = Talk(alice).say
    assert "¿Quieres decir" in await say("si Iker llama, borra lo de la persiana")
    say = Talk(alice).say
    await say("wann ist der Elternabend?")
    assert "Meinst du" in await say("wenn Malte hingeht, lösch ihn")
    assert "Elternabend" in await todos(alice)
    await say("ja")
    assert "Elternabend" not in await todos(alice)
