"""Answers from the files that a message brought along.

Quotes for a question, the gist for a wish to know what is in them.
"""

import re

from app.agent.rules.languages.language_data import Language
from app.agent.rules.passages import answer_passages, extracts, questions
from app.agent.rules.passages.answer_passages import Text
from app.agent.rules.passages.sentences import plain, words
from app.agent.rules.phrases.phrases import say
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Attached, Step

PIECE = 90_000
"""Characters of a file that are looked at as one text; a longer file is several."""
PIECES = 8
ANSWERED = frozenset({"ask", "find_notes", "summarise"})
_REFERS = (
    r"\b(?:(?:the|this|my) )?attach(?:ed|ments?)\b(?: "
    r"(?:file|document|pdf|page|paper|image|picture|text)s?\b)?"
    r"|\b(?:this|the|that|these|enclosed|uploaded) "
    r"(?:file|document|doc|pdf|page|paper|report|image|picture|text|upload)s?\b"
    r"|\banh[aä]ng(?:e|en|s)?\b|\bangeh[aä]ngte[nmrs]?\b|\b(?:diese[nmrs]?|die|das|der|dem|den) "
    r"(?:datei|dokument|pdf|bild|anlage)(?:en|s)?\b"
    r"|\bpi[eè]ces? jointes?\b|\bci-jointe?s?\b|\b(?:ce|le|cette|la|du) "
    r"(?:fichier|document|pdf|page|image)\b"
    r"|\badjunt[oa]s?\b|\b(?:este|el|esta|la|del) (?:archivo|documento|pdf|fichero|imagen)\b"
    r"|附件|这个?文件|这份文件|这个?文档|这份文档|文件里|文档里|添付|(?:この|その)?(?:ファイル|文書|書類|ドキュメント)"
)
_POINTS = r"^(?:it|this|that|these|them|es|das|dies|ça|cela|esto|eso|これ|それ|这个?)?$"


def step(asked: Asked, route: Route) -> Step | None:
    """Give the answer that the attached files hold.

    None where the message is about something else.
    """
    refers = re.search(_REFERS, asked.message, re.IGNORECASE) is not None
    files = asked.attached or (asked.attached_before if refers else ())
    if not files or route.intent not in ANSWERED:
        return None
    readable = [file for file in files if file.text]
    if route.intent == "summarise":
        chosen = _named(files, route.get("target")) or (
            files if refers or re.match(_POINTS, route.get("target"), re.IGNORECASE) else ()
        )
        return _gist(chosen, route.language) if chosen else None
    question = questions.read(re.sub(_REFERS, " ", asked.message, flags=re.IGNORECASE))
    if all(term in questions.LITTLE for term in question.terms):
        return _gist(files, route.language)
    found = answer_passages.best(question, _texts(readable))
    if found:
        return Step(
            "\n\n".join(
                _quoted(one.note.content[one.start : one.end], one.note.title) for one in found
            )
        )
    if not refers:
        return None
    if not readable or len(question.terms) == 1:
        return _gist(files, route.language)
    return Step(say(route.language, "not_attached", names=", ".join(file.name for file in files)))


def _texts(files: list[Attached]) -> list[Text]:
    pieces = [(file, start) for file in files for start in range(0, len(file.text), PIECE)]
    return [
        Text(-number, file.name, file.text[start : start + PIECE], whole=True)
        for number, (file, start) in enumerate(pieces[:PIECES], 1)
    ]


def _gist(files: tuple[Attached, ...], language: Language) -> Step:
    lines = [say(language, "summary")]
    for file in files:
        lines.append(f"\n{_name(file.name)}")
        lines += [
            f"- {' '.join(one.text.split())[: answer_passages.LONGEST]}"
            for one in extracts.extract(file.text)
        ] or [f"- {file.trouble or '–'}"]
        if file.is_cut:
            lines.append(say(language, "cut"))
    return Step("\n".join(lines))


def _named(files: tuple[Attached, ...], target: str) -> tuple[Attached, ...]:
    """Give the files whose name, with or without its ending, is what was named."""
    wanted = set(words(target))
    return tuple(file for file in files if wanted and wanted <= set(words(plain(file.name))))


def _quoted(text: str, name: str) -> str:
    lines = "\n".join(f"> {line}" for line in text.split("\n"))
    return f"{lines}\n\n— {_name(name)}"


def _name(name: str) -> str:
    return f"`{name.replace('`', '')}`"
