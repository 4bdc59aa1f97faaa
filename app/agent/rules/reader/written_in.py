"""The language of letters that a message is written in, by the labelled messages of all.

A model of CRFsuite weighs the words of a message, and each three letters of them.
"""

import functools
import re

from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.reader import crf

MODEL = language_data.FOLDERS / "languages.crf.xz"
SURE = 0.8
"""So likely is a language that a message is taken to be in against its common words."""
MOST = 60
"""So many words of a message are read."""
LETTERS = 3
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def language_of(message: str, language: Language) -> Language:
    """Return the language of a message that its common words say is in this one."""
    weights = crf.weigh(_model(), features_of(message))
    best = max(weights, key=lambda one: weights[one])
    return best if language in weights and weights[best] >= SURE else language


def features_of(message: str) -> list[str]:
    """Return what is known of a message."""
    found = {"bias"}
    for word in _WORD.findall(message.lower())[:MOST]:
        marked = f"<{word}>"
        found.add(f"word={word}")
        found |= {marked[at : at + LETTERS] for at in range(len(marked) - LETTERS + 1)}
    return sorted(one.encode("utf-8", "replace").decode() for one in found)


@functools.cache
def _model() -> crf.Model:
    return crf.opened(MODEL)
