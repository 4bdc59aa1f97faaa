"""Changes of one line of a note: its value, words of it, the whole of it, and one more of a log."""

from datetime import UTC, datetime

import pytest

from app.agent.rules.passages import log_lines, note_lines
from app.agent.turn.steps import Asked
from tests.conftest import Client
from tests.support.talks import Talk

NOTES = {
    "Honey prices": "Small jar 227 g: £4.50\nBig jar 454 g: £8.00\nBeeswax candle: £6.00\n",
    "Christmas presents": "- Tilly: air fryer\n- Dad: large crosswords\n- Ann: gown of wool\n",
    "Preise Kurse": "- Abendkurs: 210 €\n- Trageberatung: 45 €\n",
    "Geschenkeliste": "- [ ] Jörn: Stirnlampe\n- [ ] Mama: Wollsocken\n",
    "Tarifs visites": "| Acte | Prix |\n|---|---|\n| Visite | 95 € |\n| Césarienne | 320 € |\n",
    "Matériel à louer": "- mini-pelle\n- marteau-piqueur\n",
    "Idées cadeaux": "- Lucie : lampe frontale\n- papi Georges : plaid\n",
    "Precios de venta": "- Mencía joven: 6,50 €\n- Rosado: 5,90 €\n",
    "Regalos": "- Hugo: auriculares\n- Noa: patines\n",
    "宿の料金": "素泊まり 7,800円\n貸切風呂 45分 2,200円\n",
    "お正月の献立": "- 黒豆\n- 鴨の治部煮\n",
    "每日流水": "- 2026-11-21 3105元\n- 2026-11-22 2870元\n",
    "赊账本": "- 老李 36元\n- 隔壁张哥 24元\n",
}


async def changed_by(client: Client, *messages: str) -> dict[str, tuple[str, str]]:
    """Return what the notes have lost and got after some messages, the titles by which it is."""
    ids = {}
    for title, content in NOTES.items():
        fields = {"title": title, "content": content}
        made = await client.ok("POST", "/os/notes", status=201, json=fields)
        ids[title] = made["result"]["note"]["id"]
    say = Talk(client).say
    for message in messages:
        await say(message)
    found = {}
    for title, content in NOTES.items():
        note = (await client.ok("GET", f"/os/notes/{ids[title]}"))["note"]
        old, new = content.splitlines(), note["markdown"].splitlines()
        if old != new or note["title"] != title:
            lost = "; ".join(one for one in old if one not in new)
            found[title] = (lost, "; ".join(one for one in new if one not in old))
    return found


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("messages", "title", "lost", "got"),
    [
        (
            ["how much is a big jar", "everyone else is dearer. make it 8.50"],
            "Honey prices",
            "Big jar 454 g: £8.00",
            "Big jar 454 g: £8.50",
        ),
        (
            ["in the honey prices set the small jar to 4.80", "and the candles 7 quid"],
            "Honey prices",
            "Small jar 227 g: £4.50; Beeswax candle: £6.00",
            "Small jar 227 g: £4.80; Beeswax candle: £7",
        ),
        (
            ["presents list, dad wants a radio now instead of the crosswords"],
            "Christmas presents",
            "- Dad: large crosswords",
            "- Dad: radio",
        ),
        (
            ["was kostet die trageberatung?", "zu wenig. mach da 50 draus"],
            "Preise Kurse",
            "- Trageberatung: 45 €",
            "- Trageberatung: 50 €",
        ),
        (
            ["Jörn kriegt doch keine Stirnlampe sondern eine Thermoskanne, änder das in der Liste"],
            "Geschenkeliste",
            "- [ ] Jörn: Stirnlampe",
            "- [ ] Jörn: Thermoskanne",
        ),
        (
            ["c'est combien une césarienne ?", "passe-la à 340 dans les tarifs"],
            "Tarifs visites",
            "| Césarienne | 320 € |",
            "| Césarienne | 340 € |",
        ),
        (
            ["dans le matos à louer, remplace marteau-piqueur par perforateur"],
            "Matériel à louer",
            "- marteau-piqueur",
            "- perforateur",
        ),
        (["vire papi Georges des idées cadeaux"], "Idées cadeaux", "- papi Georges : plaid", ""),
        (
            ["en los precios sube el rosado a 6,20 que no me salen las cuentas"],
            "Precios de venta",
            "- Rosado: 5,90 €",
            "- Rosado: 6,20 €",
        ),
        (
            ["enséñame los regalos", "y los patines de Noa cámbialos por un monopatín"],
            "Regalos",
            "- Noa: patines",
            "- Noa: un monopatín",
        ),
        (
            ["宿の料金の貸切風呂を2500円に直しといて"],
            "宿の料金",
            "貸切風呂 45分 2,200円",
            "貸切風呂 45分 2,500円",
        ),
        (
            ["お正月の献立の鴨の治部煮を、ぶりの照り焼きに替えといて"],
            "お正月の献立",
            "- 鴨の治部煮",
            "- ぶりの照り焼き",
        ),
        (
            ["每日流水里22号记错了，改成2970元"],
            "每日流水",
            "- 2026-11-22 2870元",
            "- 2026-11-22 2970元",
        ),
        (
            ["隔壁张哥说他下个月要关店了", "他刚过来结清了，赊账本里把他那行删了"],
            "赊账本",
            "- 隔壁张哥 24元",
            "",
        ),
    ],
)
async def test_the_line_that_is_surely_meant_is_changed_at_once(
    alice: Client, messages: list[str], title: str, lost: str, got: str
) -> None:
    assert await changed_by(alice, *messages) == {title: (lost, got)}


@pytest.mark.anyio
@pytest.mark.parametrize(
    "messages",
    [
        ["make it 8.50"],
        ["how much is a big jar", "what if we made it 9?"],
        ["how much is a big jar", "make it 8.30 on friday"],
        ["in the honey prices make the medium jar 6"],
        ["call dad on monday instead of tuesday"],
        ["show me the christmas presents", "put a coat instead of the gown"],
        ["was kostet die trageberatung?", "mach da mal nen todo draus"],
        ["ruf Mama statt Jörn an"],
        ["remplace la mini-pelle"],
        ["appelle Lucie au lieu de papi Georges"],
        ["combien coûte une visite ?", "passe-la à 70 g"],
        ["llama el lunes en vez del martes"],
        ["会議を3時に変更して"],
        ["把开会改成3点"],
    ],
)
async def test_what_may_mean_something_else_changes_no_line(
    alice: Client, messages: list[str]
) -> None:
    assert await changed_by(alice, *messages) == {}


@pytest.mark.parametrize(
    ("log", "text", "line"),
    [
        ("2026-10-04: guards\n2026-11-08: mowed\n", "hefted the lot", "2026-11-23: hefted the lot"),
        ("- 14.11. Inge: 4\n- 3.11. Ole: 2\n", "gestern Pastor: 3", "- 22.11. Pastor: 3"),
        ("2026-11-16 : 1 km\n2026-11-18 : 87 km\n", "9 km pour hier", "2026-11-22 : 9 km"),
        ("2026-11-03: gasoil\n2026-11-06: hilo\n", "abono de hoy", "2026-11-23: abono"),
        ("- 11/2 灯油\n- 11/18 お茶菓子\n", "今日ガソリン", "- 11/23 ガソリン"),
        ("- 11月2日 1860元\n- 11月3日 2240元\n", "昨天卖了680元", "- 11月22日 680元"),
        ("1/2 a\n2/3 b\n", "fed them", "fed them"),
    ],
)
def test_a_new_line_of_a_log_has_its_date_as_the_others_have(
    log: str, text: str, line: str
) -> None:
    asked = Asked("", (), frozenset(), datetime(2026, 11, 23, 9, 0, tzinfo=UTC))
    assert log_lines.is_log(log)
    assert log_lines.add(log, text, asked) == f"{log}{line}\n"


def test_a_list_is_no_log() -> None:
    assert not log_lines.is_log("- eggs\n- 2026-11-08: milk\n- bread\n")


@pytest.mark.anyio
@pytest.mark.parametrize(
    "message", ["hive log for today: fed hive 4", "add to the hive log: fed hive 4"]
)
async def test_what_goes_to_a_log_gets_the_date_of_today(alice: Client, message: str) -> None:
    log = "2026-10-04: Fitted mouse guards.\n2026-11-08: Strimmed round the stands.\n"
    fields = {"title": "Hive log", "content": log}
    made = await alice.ok("POST", "/os/notes", status=201, json=fields)
    await Talk(alice).say(message)
    path = f"/os/notes/{made['result']['note']['id']}"
    text = (await alice.ok("GET", path))["note"]["markdown"]
    assert text == f"{log}2026-11-21: fed hive 4\n"  # the day of the clock of tests


def test_the_lines_of_a_note_have_names_and_values() -> None:
    text = "- [ ] Big jar 454 g: £8.00\n| Visit | 95 € |\n重庆小面 12元\n2026-11-22 2870元\nmilk\n"
    found = [(one.label, one.value) for one in note_lines.read(text)]
    assert found == [
        ("Big jar 454 g", "£8.00"),
        ("Visit", "95 €"),
        ("重庆小面", "12元"),
        ("2026-11-22", "2870元"),
        ("", "milk"),
    ]
