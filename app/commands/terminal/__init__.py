"""What commands print and how: tables, safe text, errors as one sentence.

Begin with `command_group`.
"""
