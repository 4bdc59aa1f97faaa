"""Questions for the rows of a table by what a column of it says."""

import pytest

from tests.agent.rules.test_at_once import note
from tests.conftest import Client
from tests.support.talks import Talk

ROWERS = (
    "| Rower | Fee | Seat |\n|---|---|---|\n| Ada Voss | paid | bow |\n"
    "| Ben Oduya | due | stroke |\n| Cleo Marsh | paid | bow |\n| Dev Rao | due | cox |\n"
)
KICKER = (
    "| Spieler | Startgeld | Trikot |\n|---|---|---|\n"
    "| Hanno | bezahlt | ja |\n| Silke | offen | ja |\n| Uwe | offen | nein |\n"
)
EXCURSION = (
    "| Alumno | Grupo | Pagado |\n|---|---|---|\n"
    "| Vera | azul | sí |\n| Hugo | rojo | no |\n| Noa | azul | no |\n"
)
STAGE = (
    "| Élève | Chambre | Réglé |\n|---|---|---|\n"
    "| Maud | dortoir | oui |\n| Théo | studio | non |\n| Lise | dortoir | non |\n"
)
JUDO = (
    "| 選手 | 組 | 9月 | 10月 |\n|---|---|---|---|\n"
    "| 健太 | 初級 | 済 | 未 |\n| 美穂 | 上級 | 未 | 未 |\n| 直人 | 初級 | 済 | 済 |\n"
)
DANCE = (
    "| 学员 | 班级 | 学费 |\n|---|---|---|\n"
    "| 小梅 | 初级班 | 已交 |\n| 阿强 | 高级班 | 未交 |\n| 丽丽 | 初级班 | 未交 |\n"
)


def told(answer: str) -> list[str]:
    """Return the first cells of the rows that an answer quotes."""
    return [line.split("|")[1].strip() for line in answer.splitlines() if line.startswith("> |")]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("title", "text", "message", "names"),
    [
        ("Rowing crew", ROWERS, "who still owes the fee?", "Ben Oduya, Dev Rao"),
        ("Rowing crew", ROWERS, "who in the crew hasn't paid yet?", "Ben Oduya, Dev Rao"),
        ("Rowing crew", ROWERS, "which rowers have paid?", "Ada Voss, Cleo Marsh"),
        ("Rowing crew", ROWERS, "who rows bow?", "Ada Voss, Cleo Marsh"),
        ("Rowing crew", ROWERS, "who sits at bow and hasn't paid?", ""),
        ("Rowing crew", ROWERS, "who steers as cox?", "Dev Rao"),
        ("Kickerturnier", KICKER, "wer hat das Startgeld noch nicht bezahlt?", "Silke, Uwe"),
        ("Kickerturnier", KICKER, "bei wem ist das Startgeld noch offen?", "Silke, Uwe"),
        ("Kickerturnier", KICKER, "wer hat schon gezahlt?", "Hanno"),
        ("Kickerturnier", KICKER, "wer hat noch kein Trikot?", "Uwe"),
        ("Excursión", EXCURSION, "¿quién no ha pagado aún la excursión?", "Hugo, Noa"),
        ("Excursión", EXCURSION, "¿a quién le falta pagar?", "Hugo, Noa"),
        ("Excursión", EXCURSION, "¿quién ha pagado ya?", "Vera"),
        ("Excursión", EXCURSION, "¿quién va en el azul?", "Vera, Noa"),
        ("Excursión", EXCURSION, "¿quién va en el rojo?", "Hugo"),
        ("Stage de voile", STAGE, "qui n'a toujours pas payé ?", "Théo, Lise"),
        ("Stage de voile", STAGE, "qui doit encore de l'argent pour le stage ?", "Théo, Lise"),
        ("Stage de voile", STAGE, "qui a déjà réglé ?", "Maud"),
        ("Stage de voile", STAGE, "qui dort au dortoir ?", "Maud, Lise"),
        ("柔道教室", JUDO, "9月の月謝が未納なのは誰？", ""),
        ("柔道教室", JUDO, "10月分を払っていない人は誰？", "健太, 美穂"),
        ("柔道教室", JUDO, "9月分を払ったのは誰？", "健太, 直人"),
        ("柔道教室", JUDO, "初級にいるのは誰？", "健太, 直人"),
        ("舞蹈班", DANCE, "谁还没交学费？", "阿强, 丽丽"),
        ("舞蹈班", DANCE, "还有哪些人欠钱？", "阿强, 丽丽"),
        ("舞蹈班", DANCE, "谁已经交了学费？", "小梅"),
        ("舞蹈班", DANCE, "初级班有谁？", "小梅, 丽丽"),
    ],
)
async def test_all_rows_that_fit_are_told_and_no_other(
    alice: Client, title: str, text: str, message: str, names: str
) -> None:
    await note(alice, title, text)
    answer = await Talk(alice).say(message)
    assert ", ".join(told(answer)) == names


@pytest.mark.anyio
async def test_of_several_tables_the_one_that_is_named_or_was_spoken_of_is_meant(
    alice: Client,
) -> None:
    await note(alice, "Rowing crew", ROWERS)
    await note(alice, "Book club", "| Reader | Fee |\n|---|---|\n| Ida | paid |\n| Jon | due |\n")
    talk = Talk(alice)
    assert told(await talk.say("who has not paid?")) != ["Ben Oduya", "Dev Rao"]
    assert told(await talk.say("who in the book club has not paid?")) == ["Jon"]
    assert told(await talk.say("and who has paid?")) == ["Ida"]


@pytest.mark.anyio
@pytest.mark.parametrize(
    "message",
    [
        "who hasn't paid for the regatta dinner?",  # another thing than the fee
        "who owes Ben money?",
        "who rowed bow in Henley last summer?",
        "when did Ada pay?",
    ],
)
async def test_what_is_not_surely_of_the_table_tells_no_rows_together(
    alice: Client, message: str
) -> None:
    await note(alice, "Rowing crew", ROWERS)
    assert len(told(await Talk(alice).say(message))) < 2


@pytest.mark.anyio
async def test_where_no_row_fits_the_question_is_answered_as_any_other(alice: Client) -> None:
    await note(alice, "Rowing crew", ROWERS)
    await note(alice, "Boathouse", "Vera has the key of the boathouse, always.\n")
    assert "Vera" in await Talk(alice).say("who has the key of the boathouse?")
