"""Who writes an e-mail: a person, a machine that reports something, or somebody who sells."""

import re
from enum import Enum
from functools import cache, lru_cache
from typing import NamedTuple

from app.agent.priorities import lexicon
from app.agent.priorities.items import Item
from app.agent.priorities.lexicon import Sense
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import ThingWords
from app.workspace.todos.todo_rows import fold_text


class Sender(Enum):
    """What kind of sender wrote it."""

    PERSON = "person"
    MACHINE = "machine"
    SELLER = "seller"


@lru_cache(1024)
def sender_of(item: Item) -> Sender:
    """Return who wrote an e-mail, by address, category and wording.

    What is no e-mail is as if from a person.
    """
    if item.source != "email":
        return Sender.PERSON
    address, kind = fold_text(item.sender), fold_text(item.kind)
    said = lexicon.find_senses(item.text)
    patterns = _patterns()
    if patterns.seller.search(address) or patterns.selling_kind.search(kind):
        return Sender.SELLER
    if patterns.price_cut.search(fold_text(item.text[:600])) or (
        # Words of an offer count only where nobody said that the mail matters.
        Sense.OFFER in said and not item.needs_reply and not item.level
    ):
        return Sender.SELLER
    return Sender.MACHINE if patterns.machine.search(address) else Sender.PERSON


class _Patterns(NamedTuple):
    seller: re.Pattern[str]
    machine: re.Pattern[str]
    selling_kind: re.Pattern[str]
    price_cut: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    seller, machine, kind, price_cut = (
        language_data.either(getattr(one.mail, field) for one in language_data.of_all(ThingWords))
        for field in _Patterns._fields
    )
    # Where a part of an address begins: “news@”, “the-news@”, but not “goodnews@”.
    begins, ends = r"(?:^|[<\s._-])", r"[\w.+-]*@"
    return _Patterns(
        re.compile(f"{begins}(?:{seller}){ends}"),
        re.compile(f"{begins}(?:{machine}){ends}"),
        re.compile(rf"(?<![a-z])(?:{kind})(?![a-z])"),
        re.compile(rf"\d ?% (?:{price_cut})|(?:^|\s)[-–−] ?\d{{1,2}} ?%"),
    )
