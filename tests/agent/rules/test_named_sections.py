"""Questions of somebody who has a section of a note, named or spoken of just before."""

import pytest

from app.agent.rules.passages import named_sections
from app.agent.rules.passages.answer_passages import Text
from tests.agent.rules.test_at_once import note
from tests.conftest import Client
from tests.support.talks import Talk

KIN = (
    "**Uncle Ivor** lives at 3 Quay Row. Birthday 8 June, size 44 shoes.\n\n"
    "**Tess** works at the Kelp Institute. Birthday 19 April, size 38 shoes.\n\n"
    "**Rory** plays the cello. Birthday 2 September, size 41 shoes.\n"
)
FAMILIE = (
    "# Unsere Leute\n\n## Ortrun\n- Geburtstag: 5. Juli 1948\n- Hausarzt: Dr. Weil\n\n"
    "## Malte\n- arbeitet beim Hafenamt\n- Geburtstag: 21. Januar 1990\n- Schuhgröße 44\n\n"
    "## Wiebke\n- Geburtstag: 9. Mai 1975\n- Schuhgröße 39\n"
)
FAMILIA = (
    "## Elvira\n- trabaja en la farmacia Prats\n- Cumpleaños: 6 de febrero\n- talla 40\n\n"
    "## Bruno\n- estudia piano\n- Cumpleaños: 11 de octubre\n- talla 46\n"
)
FAMILLE = (
    "## Gaëlle\n- travaille à la poterie Morin\n- anniversaire : 4 mars\n- pointure 37\n\n"
    "## Lucas\n- joue du hautbois\n- anniversaire : 28 juin\n- pointure 43\n"
)
KAZOKU = (
    "## 拓海\n- 勤め先は港町病院\n- 誕生日：4月9日\n- 靴 27cm\n\n"
    "## 千夏\n- 吹奏楽部\n- 誕生日：12月1日\n- 靴 23cm\n"
)
JIAREN = (
    "## 小涛\n- 在海洋馆上班\n- 生日：3月15日\n- 鞋码：43\n\n"
    "## 阿兰\n- 学小提琴\n- 生日：9月2日\n- 鞋码：37\n"
)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("title", "text", "messages", "line"),
    [
        ("Kin", KIN, ["where does Tess work?", "when's her birthday?"], "19 April"),
        ("Kin", KIN, ["where does Uncle Ivor live?", "and what's his shoe size?"], "44"),
        ("Kin", KIN, ["when is Rory's birthday?"], "2 September"),
        ("Familie", FAMILIE, ["wo arbeitet Malte?", "und wann hat er Geburtstag?"], "21. Januar"),
        ("Familie", FAMILIE, ["wann hat Wiebke Geburtstag?", "welche Schuhgröße hat sie?"], "39"),
        ("Familia", FAMILIA, ["¿dónde trabaja Elvira?", "¿y cuándo cumple años?"], "6 de febrero"),
        ("Familia", FAMILIA, ["¿qué estudia Bruno?", "¿y qué talla usa?"], "46"),
        (
            "Famille",
            FAMILLE,
            ["où travaille Gaëlle ?", "et c'est quand son anniversaire ?"],
            "4 mars",
        ),
        (
            "Famille",
            FAMILLE,
            ["Lucas joue de quel instrument ?", "il fait quelle pointure ?"],
            "43",
        ),
        ("家族", KAZOKU, ["拓海の勤め先はどこ？", "誕生日はいつ？"], "4月9日"),
        ("家族", KAZOKU, ["千夏の誕生日はいつ？"], "12月1日"),
        ("家人", JIAREN, ["小涛在哪儿上班？", "什么时候生日？"], "3月15日"),
        ("家人", JIAREN, ["阿兰学什么？", "她的鞋码是多少？"], "37"),
    ],
)
async def test_a_section_answers_of_whom_it_is(
    alice: Client, title: str, text: str, messages: list[str], line: str
) -> None:
    await note(alice, title, text)
    say = Talk(alice).say
    told = ""
    for message in messages:
        told = await say(message)
    quoted = [one for one in told.splitlines() if one.startswith(">")]
    assert len(quoted) == 1
    assert line in quoted[0]


def _told(message: str, name: str, *, points: bool = False, text: str = KIN) -> str:
    found = named_sections.told_by(
        message, [Text(1, "Kin", text, whole=True)], (1,), name, points=points
    )
    return text[found[0].start : found[0].end] if found else ""


def test_what_a_section_does_not_say_is_not_told_by_it() -> None:
    assert "19 April" in _told("when is the birthday?", "Tess")
    assert _told("when is the birthday?", "") == ""
    assert _told("when is the boat launched?", "Tess") == ""
    assert _told("when is her wedding?", "Tess", points=True) == ""
    assert _told("where is the cello?", "Rory") == ""  # no other has one, so none is meant
    assert "8 June" in _told("when is Ivor's birthday?", "Tess", points=True)
    assert _told("when are Ivor's and Rory's birthdays?", "Tess", points=True) == ""


def test_the_sections_of_a_note_begin_with_headings_or_bold_names() -> None:
    assert [one.name for one in named_sections.read(KIN)] == ["Uncle Ivor", "Tess", "Rory"]
    assert [one.name for one in named_sections.read(FAMILIE)] == ["Ortrun", "Malte", "Wiebke"]
    assert named_sections.read("## Alone\n- one\n") == []
    assert named_sections.read("no **bold** name begins\n\nany of these\n") == []
