"""The language of letters that a message is written in, by the labelled messages of all.

A model of CRFsuite weighs the words of a message, and each three letters of them.
"""

import functools
import re

from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.reader import crf
from app.core.process.caches import keep_short

MODEL = language_data.FOLDERS / "languages.crf.xz"
SURER = 20
"""So many times likelier is a language that a message is taken to be in against its common words:
all of 1,118 turns in four languages are told, where 10 or 50 miss one, and common words alone 17.
"""
FEW, LEAST = 3, 2
"""Fewer words than these must tell half as surely again, “Paket abholen” but not “spaghetti
carbonara”; one alone tells nothing.
"""
LONGEST = 600
"""So many characters of a message are read."""
LETTERS = 3
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


@keep_short  # it is asked some eighteen times a turn, a twentieth of the time of the rules
def language_of(message: str, language: Language) -> Language:
    """Return the language of a message that its common words say is in this one."""
    count = len(_WORD.findall(message[:LONGEST]))
    if count < LEAST:
        return language
    weights = crf.weigh(_model(), features_of(message))
    best = max(weights, key=lambda one: weights[one])
    times = SURER if count >= FEW else 1.5 * SURER
    is_surer = language in weights and weights[best] >= times * weights[language]
    return best if is_surer else language


def features_of(message: str) -> list[str]:
    """Return what is known of a message."""
    found = {"bias"}
    for word in _WORD.findall(message[:LONGEST].lower()):
        marked = f"<{word}>"
        found.add(f"word={word}")
        found |= {marked[at : at + LETTERS] for at in range(len(marked) - LETTERS + 1)}
    return sorted(one.encode("utf-8", "replace").decode() for one in found)


@functools.cache
def _model() -> crf.Model:
    return crf.opened(MODEL)
