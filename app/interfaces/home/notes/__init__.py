"""Notes and the trash: lists, reading, editing, history, folders, sharing.

Begin with `notes_page`; `desk` makes what stands beside every note, `reading_html` the text as it
is read.
"""
