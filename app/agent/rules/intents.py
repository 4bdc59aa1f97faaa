"""What is done for each intent, and which intents may turn out to be something else."""

from app.agent.rules import past_days
from app.agent.rules.answers import (
    calendar_answers,
    folder_changes,
    item_changes,
    list_answers,
    memory_answers,
    message_answers,
    network_actions,
    new_todos,
    note_answers,
    note_changes,
    small_answers,
    todo_changes,
    todo_states,
    undo,
    view_answers,
    waiting_answers,
)
from app.agent.rules.mentions import asking
from app.agent.rules.note_parts import descriptions
from app.agent.rules.reckoning import days, note_answer, reckoning
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step


def _ask_meant(_: Asked, route: Route) -> Step:
    """Return the question whether a wish is meant that no message says outright, else which one."""
    return asking.ask_meant(route) or Step(route.phrase("which_one"))


INTENTS = {
    "ask": note_answer.answer_question,
    "add_up": note_answer.add_up,
    "mean": _ask_meant,
    "find_notes": note_answers.find_notes,
    "summarise": note_answers.summarise,
    "list_todos": list_answers.list_todos,
    "todo_state": todo_states.tell_state,
    "list_notes": list_answers.list_notes,
    "list_folders": list_answers.list_folders,
    "list_tags": view_answers.list_tags,
    past_days.INTENT: past_days.tell,
    "linking": view_answers.tell_linking,
    "tell_view": view_answers.tell_view,
    "days_left": days.tell_days_left,
    "tell_days": days.tell_days,
    "tell_day": days.tell_day,
    "age": days.tell_age,
    "last_messages": message_answers.tell_last,
    "day": list_answers.sum_up_day,
    "changes": list_answers.tell_changes,
    "show_note": note_answers.show_note,
    "unread": message_answers.tell_unread,
    "from_person": message_answers.tell_from_person,
    "waiting": waiting_answers.tell_waiting,
    "decide": waiting_answers.decide,
    "add_todo": new_todos.add_todo,
    "replan": new_todos.replan,
    "complete_todo": todo_changes.complete_todo,
    "change_todo": todo_changes.change_todo,
    "add_step": todo_changes.change_todo,
    descriptions.WRITE: descriptions.write,
    descriptions.TELL: descriptions.tell,
    "rename": note_changes.rename,
    "delete": todo_changes.delete,
    "undo": undo.undo,
    "make_note": note_changes.make_note,
    "append_note": note_changes.append_note,
    "tick_item": note_changes.tick_item,
    "change_items": item_changes.change_named,
    "replace_text": note_changes.replace_text,
    "change_note": note_changes.change_note,
    "pin_note": note_changes.pin_note,
    "move_note": note_changes.move_note,
    "make_folder": folder_changes.make_folder,
    "rename_folder": folder_changes.rename_folder,
    "delete_folder": folder_changes.delete_folder,
    "date": small_answers.tell_date,
    "time": small_answers.tell_time,
    "sum": reckoning.calculate,
    "remember": memory_answers.remember,
    "recall": memory_answers.recall_answer,
    "events": calendar_answers.list_events,
    "free": calendar_answers.tell_free_time,
    "network": network_actions.tell_network,
    "contact": network_actions.tell_contact,
    "message": network_actions.send_message,
    "ask_agent": network_actions.ask_agent,
    "share": network_actions.make_link,
}
DONE_WITH = {
    "append_note": "edit_note",
    "tick_item": "edit_note",
    "replace_text": "edit_note",
    "change_note": "edit_note",
    "change_todo": "edit_todo",
    descriptions.WRITE: "edit_todo",
    "complete_todo": "complete_todo",
    "pin_note": "pin_note",
    "move_note": "move_note",
    "share": "share_agent",
    "message": "send_message_to_human",
    "ask_agent": "contact_agent",
}
"""The tools of the intents that look or ask before they do something."""
TRIED = frozenset(
    {
        "ask",
        "list_todos",
        "list_notes",
        "tell_view",
        "days_left",
        past_days.INTENT,
        "show_note",
        "todo_state",
        "complete_todo",
        "decide",
    }
)
"""The intents that may find nothing, where something else may be meant."""
