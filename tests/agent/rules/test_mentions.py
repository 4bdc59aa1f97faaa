"""What a message speaks of: things of the user by their names, and what it only points at."""

import pytest

from app.agent.rules.mentions import mentions, parts
from app.agent.turn.steps import Thing


@pytest.mark.parametrize(
    ("message", "named"),
    [
        ("ブラント先生への連絡、給食のやつ", "ブラント先生に給食のことを書く"),
        ("毛糸のメモを見せて", "マフラーの毛糸"),
        ("お菓子を買う", None),
    ],
)
def test_letters_of_a_name_tell_things_apart(message: str, named: str | None) -> None:
    titles = ("ブラント先生に給食のことを書く", "ブラント先生に返事を出す", "猫砂を買う")
    titles += ("買い物メモ", "マフラーの毛糸")
    things = [Thing("todo", number, title) for number, title in enumerate(titles)]
    found = mentions.named_unspaced(parts.split(message), things, "todo")
    assert [one.title for part in found[:1] for one in part.things] == ([named] if named else [])
