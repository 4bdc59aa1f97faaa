"""Todos: the list and its filters, the week, what is done, one todo, and the line that adds one.

Begin with `todo_list_page`. `todo_view` says of a todo what a row shows, `quick_add` reads the
line, `todo_forms` holds what is done to one by a button.
"""
