"""Changes of folders: make one, give it another name, put it into the trash."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from app.agent.rules.answers import list_answers, targets
from app.agent.rules.dialogue import references, resolve_reference
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Answers
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step, Thing, Trace, call_tool


def make_folder(asked: Asked, route: Route) -> Step:
    """Make a folder, in another one where the message names one that there is, or say that it is
    there.
    """
    if "list_folders" in asked.tools and not asked.has("list_folders"):
        return call_tool("list_folders")
    path = _path(asked, route)
    if not asked.has("create_folder"):
        return call_tool("create_folder", path=path)
    made = asked.of("create_folder")
    if not made:
        return list_answers.tell_refusal(asked, route)
    folder, created = made[0].content["folder"]["id"], made[0].content["createdSegments"]
    # of several that were made, those above the last may have been wanted for more
    undo = (("delete_folder", {"id": folder}),) if len(created) == 1 else ()
    name = "folder_made" if created else "folder_there"
    trace = Trace(about=(Thing("folder", folder, path),), undo=undo)
    return Step(route.phrase(name, folder=path), trace=trace)


def _path(asked: Asked, route: Route) -> str:
    """Return the path of a folder to make: “Taxes in Home” is Taxes of the folder Home, where there
    is one.
    """
    name = route.get("folder").strip("/ ")
    rows = [row for result in asked.of("list_folders") for row in result.content["folders"]]
    if above := next((row for row in rows if row["name"] == route.get("inside")), None):
        return f"{_path_of(above, rows)}/{name}"
    for table in language_data.of_all(Answers):
        inside = language_data.join_pattern(table.inside)
        for row in rows:
            pattern = inside.replace("{folder}", re.escape(row["name"]))
            if found := re.fullmatch(pattern, name, re.IGNORECASE):
                return f"{_path_of(row, rows)}/{found['name'].strip()}"
    return name


def _path_of(row: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> str:
    above = next((one for one in rows if one["id"] == row["parentId"]), None)
    return f"{_path_of(above, rows)}/{row['name']}" if above else str(row["name"])


def rename_folder(asked: Asked, route: Route) -> Step:
    """Give the folder that is meant another name."""
    folder = _meant(asked, route)
    if isinstance(folder, Step):
        return folder
    if asked.of("change_folder"):
        return _changed(route, folder, "renamed", {"id": folder["id"], "name": folder["name"]})
    if asked.refusal:
        return list_answers.tell_refusal(asked, route)
    if folder["name"] == route.get("title"):
        return targets.called_so(route, (Thing("folder", folder["id"], folder["name"]),))
    return call_tool("change_folder", id=folder["id"], name=route.get("title"))


def delete_folder(asked: Asked, route: Route) -> Step:
    """Put the folder that is meant, with all that lies in it, into the trash."""
    folder = _meant(asked, route)
    if isinstance(folder, Step):
        return folder
    if asked.of("delete_folder"):
        return _changed(route, folder, "trashed", {"kind": "folder", "id": folder["id"]})
    if asked.refusal:
        return list_answers.tell_refusal(asked, route)
    return call_tool("delete_folder", id=folder["id"])


def is_meant(asked: Asked, route: Route) -> bool:
    """Return whether “it” is the folder that the turn before was about."""
    last = next((turn.about for turn in asked.earlier if turn.about), ())
    alone = len(last) == 1 and last[0].kind == "folder"
    return alone and references.points(route.get("target"), route.language)


def find_meant(asked: Asked, route: Route) -> Mapping[str, Any] | None:
    """Return the folder that the message names, or by “there” the one spoken of last."""
    rows = [row for result in asked.of("list_folders") for row in result.content["folders"]]
    if not (name := route.get("folder")):
        return None
    if references.points_there(name, route.language):
        last = references.last_folder(asked)
        return next((row for row in rows if last and row["id"] == last.id), None)
    return resolve_reference.find_folder(name, rows)


def _meant(asked: Asked, route: Route) -> Mapping[str, Any] | Step:
    """Return the folder, or the step that finds it or says that there is none."""
    if not asked.has("list_folders"):
        return call_tool("list_folders")
    folder = find_meant(asked, route)
    return folder or Step(route.phrase("no_folder", folder=route.get("folder")))


def _changed(route: Route, folder: Mapping[str, Any], name: str, before: dict[str, Any]) -> Step:
    tool = "restore_from_trash" if name == "trashed" else "change_folder"
    values = {"old": folder["name"], "title": route.get("title") or folder["name"]}
    about = (Thing("folder", folder["id"], values["title"]),)
    return Step(route.phrase(name, **values), trace=Trace(about=about, undo=((tool, before),)))
