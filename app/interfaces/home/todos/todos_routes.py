"""All routes of the todos."""

from starlette.routing import Route

from app.interfaces.home.todos import (
    many_todos,
    quick_add,
    replan_page,
    ring,
    step_forms,
    todo_forms,
    todo_list_page,
    todo_page,
    week_page,
)


def routes() -> list[Route]:
    """Return the routes of every page and form of the todos."""
    return [
        *todo_list_page.routes(),
        *many_todos.routes(),
        *week_page.routes(),
        *replan_page.routes(),
        *quick_add.routes(),
        *todo_forms.routes(),
        *step_forms.routes(),
        *todo_page.routes(),
        *ring.routes(),
    ]
