"""Who writes an e-mail: a person, a machine that reports something, or somebody who sells."""

import re
from enum import Enum
from functools import lru_cache

from app.agent.priorities import lexicon
from app.agent.priorities.items import Item
from app.agent.priorities.lexicon import Sense
from app.workspace.todos.todo_rows import fold_text

_SELLER = re.compile(
    r"(?:^|[<\s._-])(?:news|newsletters?|marketing|promos?|promotions?|offers?|deals?|sales?|digest|campaigns?|announcements?|shop|store|boletin|ofertas?|"
    r"novedades|angebote?|aktion|aktionen|werbung|soldes|bonsplans|offres|infolettre|events|rewards|loyalty|weekly|daily|updates)[\w.+-]*@"
)
_MACHINE = re.compile(
    r"(?:^|[<\s._-])(?:no[-_]?reply|donotreply|do-not-reply|notifications?|notify|alerts?|mailer|automat\w*|system|bot|robot|billing|receipts?|status|"
    r"monitor\w*)[\w.+-]*@"
)
_SELLING_KINDS = frozenset(
    [
        "promotions",
        "promotion",
        "promotional",
        "marketing",
        "newsletter",
        "newsletters",
        "social",
        "forums",
        "spam",
        "advertising",
        "ads",
        "bulk",
    ]
)
_PRICE_CUT = re.compile(
    r"\d ?% (?:off|rabatt|de remise|de descuento|de "
    r"reduction|discount|menos)|(?:^|\s)[-–−] ?\d{1,2} ?%|\d ?% off"
)


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
    if _SELLER.search(address) or _SELLING_KINDS & set(re.findall(r"[a-z]+", kind)):
        return Sender.SELLER
    if _PRICE_CUT.search(fold_text(item.text[:600])) or (
        Sense.OFFER in said and not item.needs_reply and not item.level
    ):
        return Sender.SELLER
    return Sender.MACHINE if _MACHINE.search(address) else Sender.PERSON
