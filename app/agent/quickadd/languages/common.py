"""What quick add reads alike in every language.

Dates and times in digits, and marks of priority.
"""

from app.agent.quickadd.languages.language_spec import Rule

PRIORITY = (
    Rule("priority", r"(?<!\S)(?:p|!)(?P<level>[1-4])(?!\S)", "apart"),
    Rule("priority", r"(?<!\S)(?P<level>!!!?)(?!\S)"),
    Rule("urgent", r"(?<!\S)!(?:urgent|top)(?!\S)"),
    Rule("high", r"(?<!\S)!high(?!\S)"),
    Rule("medium", r"(?<!\S)!(?:medium|med)(?!\S)"),
    Rule("low", r"(?<!\S)!low(?!\S)"),
)
WIDE_PRIORITY = (
    Rule("priority", r"(?<![\w/.])(?:p|!)(?P<level>[1-4])(?![\w/.])"),
    Rule("priority", r"(?<!!)(?P<level>!!!?)(?!!)(?=\s*$)"),
)
ISO = r"{year}-(?P<month_number>0[1-9]|1[0-2])-(?P<day>0[1-9]|[12][0-9]|3[01])"
ISO_CLOCK = r"[t\s]{hour}:{minute}(?::[0-5][0-9])?"
DOTTED = r"(?P<first>[0-9]{1,2})\.\s?(?P<second>[0-9]{1,2})\.\s?{year}"
SLASHED = r"(?!24/7)(?P<first>[0-9]{1,2})/(?P<second>[0-9]{1,2})(?:/(?P<year>(?:19|20|21)[0-9]{2}|[0-9]{2}))?"
MERIDIEM = r"(?P<meridiem>[ap]\.?m\.?)"
NUMERIC = (
    Rule("dated_clock", rf"{{pre}}?{ISO}{ISO_CLOCK}"),
    Rule("date", rf"{{pre}}?{ISO}"),
    Rule("numeric", rf"{{pre}}?{DOTTED}"),
    Rule("numeric", rf"{{pre}}?(?:{{article}})?{SLASHED}", "apart"),
)
