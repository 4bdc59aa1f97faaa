"""What a wish for a todo says of it beside its title and day: its priority, its steps."""

import re

from app.agent.quickadd import language_words
from app.agent.rules.changes.marked import Marked, Words, words_of
from app.agent.rules.dialogue import closed_classes, dialogue_words
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.plain_letters import plain_letters

HIGHEST = 10
MOST_STEPS = 20
_EDGE = " ,;.:，、；。："


def take(task: str, language: Language) -> tuple[str, dict[str, str]]:
    """Return a task without its priority and steps, and those as arguments."""
    words, said = words_of(language), {}
    task, steps = _without_steps(task, words, language)
    if steps:
        said["steps"] = "\n".join(steps)
    task, level = _without_priority(task, words, language)
    if level is not None:
        said["priority"] = str(level)
    return task, said


def _without_steps(task: str, words: Words, language: Language) -> tuple[str, list[str]]:
    """Return a task without the steps that it is said to have, and those: “… with the steps …”."""
    for cue in words.cues["step"].finditer(Marked(task).text):
        rest = re.sub(r"^(?:\s*[:：]|は)?\s*", "", task[cue.end() :]).strip(_EDGE)
        steps = dialogue_words.split_list(rest, language)
        head = _without_link(task[: cue.start()], words)
        if head != task[: cue.start()].strip() and 0 < len(steps) <= MOST_STEPS:
            return head, steps
    return task, []


def _without_link(head: str, words: Words) -> str:
    """Return a text without what joins it to what follows, as “, with the”."""
    text = head.strip()
    while True:
        before = text
        parts = text.rsplit(maxsplit=1) if words.spaced else []
        if len(parts) == 2 and words.filler.fullmatch(Marked(parts[1]).text):
            text = parts[0]
        if found := words.link_after.search(Marked(text).text):
            text = text[: found.start()]
        text = text.rstrip(_EDGE)
        if text == before or not re.search(r"\w", text):
            return text


def _without_priority(task: str, words: Words, language: Language) -> tuple[str, int | None]:
    """Return a task without the priority at its end, and that: “… and give it priority six”."""
    named = closed_classes.class_of(language, "priority")
    for found in named.finditer(plain_letters(task).lower()):
        level = _level(task[found.end() :], words, language)
        if level is None:
            continue
        *_, last = dialogue_words.split_list(task[: found.end()], language)
        at = task.rindex(last, 0, found.end())
        beside = Marked(task[at : found.start()])
        for pattern in (words.put, words.courtesy, words.also["priority"]):
            beside.fit(pattern, "p")
        head = task[:at] if not re.search(r"\w", beside.left(words)) else task[: found.start()]
        head = _without_link(head, words)
        return (head, level) if re.search(r"\w", head) else (task, None)
    return task, None


def _level(text: str, words: Words, language: Language) -> int | None:
    """Return the level that is all a text says, 0 to 10."""
    said = re.sub(r"^(?:は|を|で|是|为|到)|(?:で|に|です|的|吧)$", "", text.strip(_EDGE + "!！"))
    marked = Marked(said)
    for pattern in (words.put, words.also["priority"]):
        marked.fit(pattern, "p")
    word = marked.left(words)
    number = dialogue_words.priority_of(word, language) if word.isdecimal() else None
    numbers = language_words.load_language(language).numbers
    return numbers.get(plain_letters(word).lower(), number) if word else None
