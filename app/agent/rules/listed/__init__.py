"""What people ask and wish of the items of a list: a note with boxes, or the steps of a todo.

The items themselves tell what a message means: all of it must be these and words of the wish.
"""
