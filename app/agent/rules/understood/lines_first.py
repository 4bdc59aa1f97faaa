"""What is done with the lines of the note that a message names or goes on from, before all else."""

from app.agent.rules.languages.language_tables import Language
from app.agent.rules.routing.routing import Route
from app.agent.rules.understood import line_changes, logged, summed_again, surely, taken_back
from app.agent.rules.understood.surely import Act
from app.agent.turn import looks
from app.agent.turn.steps import Asked, Step


def do(asked: Asked, whole: Asked, language: Language, act: Act) -> tuple[Step | None, bool]:
    """Return what is done first with the lines of the note that was spoken of or is named: added up
    again, one more, one changed; and whether anything was looked up for that.
    """
    again = summed_again.wanted(asked, language)
    if again and looks.has_only_looked(asked):
        step = surely.do(asked, again, act)
        if not step.empty:
            return step, True
    may_log, said = logged.may_tell(asked, language), line_changes.wanted(asked, language)
    if not (may_log or said) or taken_back.as_whole(asked, language):
        return None, bool(again)
    before = looks.before_change(whole)
    line = logged.entry(asked, before, language)
    if line is None and said:
        line = line_changes.change(before, said, language)
    return surely.do(whole, line, act) if isinstance(line, Route) else line, True
