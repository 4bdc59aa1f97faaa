"""Notes and the trash: lists, reading, editing, history, folders, sharing.

Begin with `notes_page`; `desk` makes what stands beside every note, `home_leads` says
where links in a text lead.
"""
