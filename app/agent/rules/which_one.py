"""What answers “which one?” by its day: “the overdue one”, “the one for Friday”."""

from app.agent.quickadd import quickadd
from app.agent.rules.changes import days, left_over, reused
from app.agent.rules.dialogue.references import Reference
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.mentions import asking
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step

OF_TODOS = frozenset(intent for intent, _, of in left_over.OF.values() if "todo" in of)


def ask(asked: Asked, language: Language) -> Step:
    """Return the question whether one of those between which it was asked is meant, which a message
    tells by its day; nothing where it tells none or several.
    """
    question = asked.earlier[0].asks if asked.earlier else None
    if question is None or question.lacks == "yes" or question.intent not in OF_TODOS:
        return Step()
    arguments = {
        name: value for name, value in question.arguments.items() if name not in ("target", "words")
    }
    wish = Route(question.intent, language, arguments)

    def look(part: Asked) -> Step:
        if not asking.has_looked(part):
            return Step(calls=asking.looks(part))
        then = quickadd.read_line(f"x {part.message}", now=part.now, locale=language).due
        found = days.overdue(part, question.choices, language)
        found = found or (days.due_on(part, then, question.choices) if then else ())
        return left_over.ask_of(wish, Reference(found)) if len(found) == 1 else Step()

    return reused.reuse(asked, look)
