"""The example that a command's help ends with, made of words that fit its fields."""

import shlex

from app.commands.operations.command_index import Field, OperationCommand

THINGS = {
    "note": "Frost dates",
    "folder": "Garden",
    "todo": "Order seeds",
    "contact": "ben",
    "group": "Gardeners",
    "attachment": "plan.pdf",
    "mcp-server": "weather",
    "integration": "Work calendar",
    "share-link": "For Ben",
    "key": "laptop",
    "webhook": "1",
}
"""What a name in a path may stand for, as a person would say it."""
WORDS = {
    "title": "Order seeds",
    "path": "Garden/Spring",
    "query": "last frost",
    "q": "frost",
    "pattern": "frost|snow",
    "replacement": "ice",
    "to": "ben",
    "username": "ben",
    "message": "See you at eight.",
    "content": "New text",
    "name": "Gardeners",
    "members": "ben",
    "dueDate": "2026-12-01",
    "url": "https://example.org/calendar.ics",
    "from": "Old title",
    "timezone": "Europe/Berlin",
    "folderId": "Garden",
    "noteId": "Frost dates",
    "parentId": "Garden",
    "tags": "garden",
    "label": "before the frost",
    "tool": "notes__search_notes",
    "seq": "2",
    "token": "Xa81bQ20fK",
    "shareToken": "Xa81bQ20fK",
    "requestId": "3",
}
NOTABLE = (
    "title folderId parentId dueDate name label timezone enable instructions enabled status query"
).split()
"""Which option an example shows, where nothing else says what the command is for."""
SHOWING = ("add", "edit", "move", "copy", "list", "edit-schedule", "invite")
OWN = {
    "folder add": "hearth folder add Garden/Spring",
    "note add": 'hearth note add "Frost dates" --folder Garden --content "About 12 May."',
    "note edit": "hearth note edit 'Frost dates' --title 'Last frost'",
    "attachment add": "hearth attachment add plan.pdf",
    "attachment download": "hearth attachment download plan.pdf --output plan.pdf",
    "export-job download": "hearth export-job download 1 --output hearth.zip",
    "import-job start": "hearth import-job start vault.zip --dry-run",
    "trash restore": "hearth trash restore note 'Frost dates'",
    "trash purge": "hearth trash purge note 'Frost dates'",
    "todo edit": "hearth todo edit 'Order seeds' --due-date 2026-12-01",
    "note write-files": "hearth note write-files --files @files.json",
    "snapshot diff": "hearth snapshot diff 'Frost dates' 2",
    "group add-members": "hearth group add-members Gardeners --member ben",
    "group rename": "hearth group rename Gardeners 'Kitchen garden'",
    "account edit": "hearth account edit --timezone Europe/Berlin",
    "integration add": "hearth integration add ics Work --url https://example.org/calendar.ics",
}


def example_of(command: str, made: OperationCommand) -> str:
    """Return one way to run a command, as a person types it."""
    if command in OWN:
        return OWN[command]
    words = [_sample(field) for field in made.arguments]
    options = [one for one in made.options if one.required]
    if not options and command.partition(" ")[2] in SHOWING:
        known = {one.name: one for one in made.options}
        options = [known[name] for name in NOTABLE if name in known][:1]
    for option in options:
        words.append(option.flag)
        if option.type != "boolean":
            words.append(_sample(option))
    return shlex.join(["hearth", *command.split(), *words])


def _sample(field: Field) -> str:
    name, kind = field.name, field.kind
    if field.type == "choice":
        return field.choices[0]
    if kind in THINGS and name not in ("username", "seq"):
        return THINGS[kind]
    if name in WORDS:
        return WORDS[name]
    by_type = {"integer": "1", "number": "1", "json": f"@{name}.json", "file": "plan.pdf"}
    return by_type.get(field.type, name.upper())
