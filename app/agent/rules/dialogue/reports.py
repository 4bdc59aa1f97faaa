"""Whether a title tells of what a report says, as “I've paid the rent”.

Names in scripts without spaces are compared here too: “牛奶买了” is of “买牛奶”.
"""

import re

from app.agent.rules.passages import questions
from app.agent.rules.passages.sentences import are_alike, fold_text, stem

ROOT = 3
"""So many letters at its beginning tell which verb a form is of, where the rest is known."""
_RUN = re.compile(r"[\u30a0-\u30ff]+|[\u3400-\u4dbf\u4e00-\u9fff々]+|[a-z0-9]+")
_OWN_HIRAGANA = re.compile(r"(?<!\w)[\u3040-\u309f]{2,}")
_HIRAGANA = re.compile(r"[\u3040-\u309f]")
_CHINESE = r"[\u3400-\u4dbf\u4e00-\u9fff々]"
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff々]")


def tells_of(did: str, title: str, words: str) -> bool:
    """Return whether a verb in some form is that of a title, whose other words are `words`.

    Of a title that is nothing but those words every verb may be.
    """
    if questions.is_asian(title):
        return all(has_verb(title, letter) for letter in _HAN.findall(did))
    said = questions.read_question(words).stems
    rest = [
        word
        for word in questions.read_question(title).terms
        if not any(are_alike(one, stem(word)) for one in said)
    ]
    verb = fold_text(did)
    return not rest or any(
        word.startswith(verb[:ROOT])
        or any(are_alike(like, stem(word)) for like in questions.alternatives(stem(verb)))
        for word in rest
    )


def has_verb(title: str, letter: str) -> bool:
    """Return whether a title has a Chinese letter as its verb: in Japanese not within a word, as 出
    in 出版社.
    """
    within = rf"{letter}(?:[^\u3400-\u9fff]|[\u3400-\u9fff]?$)"
    return re.search(within if _HIRAGANA.search(title) else letter, title) is not None


def holds_unspaced(title: str, target: str) -> bool:
    """Return whether a title holds all that is said of it in a script without spaces, in whatever
    order: each word whole, and Chinese letters at least two together or all that the title has.
    """
    title, target = fold_text(title), fold_text(target)
    held = set(_RUN.findall(title))
    pieces: list[str] = []
    is_japanese = _HIRAGANA.search(title) is not None
    for run in _RUN.findall(questions.without_filler(target)):
        if not _HAN.match(run):
            if run not in held:
                return False
            pieces.append(run)
            continue
        while run:
            piece = next((run[:n] for n in range(len(run), 0, -1) if run[:n] in title), "")
            inside = rf"{_CHINESE}{re.escape(piece)}{_CHINESE}"
            if not piece or (len(piece) == 1 and is_japanese and re.search(inside, title)):
                return False
            pieces.append(piece)
            run = run[len(piece) :]
    # What is written in hiragana alone is a word too: “りんご”.
    own = _OWN_HIRAGANA.findall(target)
    if not pieces or any(word not in title for word in own):
        return False
    # Between other letters, as in Japanese, one is a word: “本” of “本を返す”.
    whole = held if is_japanese else set()
    told = any(len(piece) > 1 or piece in whole for piece in pieces)
    # “ロング走” is not told by its one letter.
    others = {one for one in held if not _HAN.match(one)}
    return told or {*_HAN.findall(title), *others} <= set(pieces)
