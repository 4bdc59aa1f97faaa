"""What a message does to what has its place in a note: a line under a heading, a cell of a table.

Begin with `headings` and `cells`; `line_values`, `slips` and `past_lines` are of single lines, and
`descriptions` of todos. May import what lies below `understood`.
"""
