"""What the rules do with others.

Tell whom the owner knows, write to a contact, ask a contact's agent, and make a link to the
owner's.
"""

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import msgspec

from app.agent.rules.answers import list_answers, message_answers
from app.agent.rules.dialogue import dialogue_words, references, resolve_reference
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Answers, Language, Times, Unit
from app.agent.rules.passages import questions
from app.agent.rules.passages.sentences import fold_text
from app.agent.rules.phrases import dates
from app.agent.rules.phrases.phrases import phrase
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Result, Step, Thing, Trace, call_tool

SHOWN = 20
LONGEST_MESSAGE = 4_000
LONGEST_NAME = 200
LONGEST_LABEL = 120
DAY_HOURS = 24
EXPIRIES = (
    ("1h", 1),
    ("24h", DAY_HOURS),
    ("7d", 7 * DAY_HOURS),
    ("30d", 30 * DAY_HOURS),
    ("90d", 90 * DAY_HOURS),
)
UNIT_HOURS: Mapping[Unit, int] = {
    "hour": 1,
    "day": DAY_HOURS,
    "week": 7 * DAY_HOURS,
    "month": 30 * DAY_HOURS,
}
_OPENING, _CLOSING, _NAME = r"[\"“„«]?", r"[\"”“»]?", r"([^\"”“»,.;!?]+?)"
_NOTE_LINK = re.compile(r"\[((?:\\.|[^\]\\\n]){0,300})\]\(hearth:note/[0-9]{1,15}\)")
_NOTE_MARK = re.compile(r"\s?[\[(]note:? ?#?[0-9]{1,15}[\])]", re.IGNORECASE)


def tell_network(asked: Asked, route: Route) -> Step:
    """Tell whom the owner knows, the groups that they are in, and who waits for an answer."""
    if not asked.results:
        return call_tool("list_network")
    found = [result.content for result in asked.of("list_network")]
    if not found:
        return list_answers.tell_refusal(asked, route)
    known, language = found[0], route.language
    requests = known["requests"]
    parts = [
        _part(language, "contacts", known["contacts"], known["totalContacts"], _contact)
        or phrase(language, "no_contacts"),
        _part(
            language,
            "groups",
            known["groups"],
            len(known["groups"]),
            lambda row: f"{row['name']} ({row['memberCount']})",
        ),
        _part(
            language,
            "requests_in",
            requests["incoming"],
            requests["totalIncoming"],
            lambda row: _person(row["from"]),
        ),
        _part(
            language,
            "requests_out",
            requests["outgoing"],
            requests["totalOutgoing"],
            lambda row: _person(row["to"]),
        ),
    ]
    return Step("\n\n".join(part for part in parts if part))


def tell_contact(asked: Asked, route: Route) -> Step:
    """Return which contacts fit a name, and what each may do with the owner's agent."""
    if not asked.results:
        return _search(route)
    found = [result.content for result in asked.of("search_contact")]
    if not found:
        return list_answers.tell_refusal(asked, route)
    rows = found[0]["contacts"]
    if not rows:
        return Step(route.phrase("nobody", who=route.get("who")))
    return Step(_part(route.language, "contacts", rows, found[0]["total"], _contact))


def send_message(asked: Asked, route: Route) -> Step:
    """Write to the one contact who is meant; it goes out when the owner says yes."""
    text = route.get("text")
    if not text or not message_answers.named_person(asked, route):
        return Step(route.phrase("message_what", who=route.get("who") or "…"))
    if not asked.has("send_message_to_human"):
        return _to_one(asked, route, "send_message_to_human", text)
    sent = asked.of("send_message_to_human")
    if sent:
        return Step(route.phrase("messaged", who=sent[0].content["recipientName"]))
    return _waiting(
        asked, route, "message_waits", "send_message_to_human", text
    ) or list_answers.tell_refusal(asked, route)


def ask_agent(asked: Asked, route: Route) -> Step:
    """Ask the agent of the one contact who is meant, and tell what it says."""
    text = route.get("text")
    if not asked.has("contact_agent"):
        return _to_one(asked, route, "contact_agent", text)
    answers = [result.content for result in asked.of("contact_agent")]
    if not answers:
        return _waiting(
            asked, route, "question_waits", "contact_agent", text
        ) or list_answers.tell_refusal(asked, route)
    if answers[0].get("availability"):
        return Step(route.phrase("agent_later", who=answers[0]["agentName"]))
    # Ids are of the other's notes and mean nothing, or something else, here.
    said = _NOTE_MARK.sub("", _NOTE_LINK.sub(r"\1", answers[0]["response"]))
    return Step(f"{route.phrase('agent_said', who=answers[0]['agentName'])}\n\n{said}")


def make_link(asked: Asked, route: Route) -> Step:
    """Make a link by which others reach the owner's agent, when it was said how far.

    All notes, or one folder.
    """
    rest = route.get("rest")
    folder = _said("folder").search(rest)
    # How much others may see is never guessed.
    if folder is None and not _said("all_notes").search(rest):
        return Step(route.phrase("share_what"))
    if folder is not None and not asked.has("list_folders"):
        return call_tool("list_folders")
    fields: dict[str, Any] = {"scope": "all"}
    if folder is not None:
        name = next(part for part in folder.groups() if part).strip()
        rows = [row for result in asked.of("list_folders") for row in result.content["folders"]]
        meant = resolve_reference.find_folder(name, rows)
        if meant is None:
            return list_answers.refusal_or(asked, route, route.phrase("none_fits", words=name))
        fields = {"scope": "folders", "folderIds": [meant["id"]]}
    if not asked.has("share_agent"):
        return call_tool("share_agent", **fields, **_link_fields(rest))
    made = asked.of("share_agent")
    if not made:
        return list_answers.tell_refusal(asked, route)
    link = made[0].content["shareLink"]
    ends = (link.get("expiresAt") or "")[:10]
    until = route.phrase("until", day=dates.within(route.language, ends, asked.now)) if ends else ""
    return Step(route.phrase("shared", url=link["url"], until=until))


def _link_fields(rest: str) -> dict[str, Any]:
    """Return how long a link is to last and what it is called, where that was said.

    A span that there is not becomes the next shorter one.
    """
    fields: dict[str, Any] = {}
    if label := _said("label").search(rest):
        fields["label"] = label[1].strip()[:LONGEST_LABEL]
    if _said("forever").search(rest):
        return {**fields, "expiresIn": "never"}
    for unit, hours in UNIT_HOURS.items():
        if found := _said(unit).search(rest):
            # A word for one, such as “a week”.
            asked_for = hours * (int(found["number"]) if found["number"].isdecimal() else 1)
            return {
                **fields,
                "expiresIn": next(
                    (name for name, length in reversed(EXPIRIES) if length <= asked_for),
                    EXPIRIES[0][0],
                ),
            }
    return fields


Said = Literal["folder", "all_notes", "label", "forever", "hour", "day", "week", "month", "year"]


@functools.cache
def _said(what: Said) -> re.Pattern[str]:
    """Return a pattern for what is said of a link, in any language."""
    links = [one.link for one in language_data.of_all(Answers)]
    match what:
        case "all_notes" | "forever":
            pattern = language_data.either(getattr(link, what) for link in links)
        case "folder":
            pattern = _named("folder", "after_folder")
            pattern += f"|{language_data.either(link.folder_name for link in links)}"
        case "label":
            pattern = _named("called", "after_called")
        case unit:
            one = language_data.either(link.one for link in links)
            tables = language_data.of_all(Times)
            units = language_data.either(table.units.get(unit, "") for table in tables)
            pattern = rf"(?<![A-Za-z])(?P<number>\d{{1,4}}|{one})\s*(?:{units})"
    return re.compile(pattern, re.IGNORECASE)


def _named(word: str, after: str) -> str:
    """Return a pattern for a name that follows a word, up to a mark or to what comes after."""
    links = [one.link for one in language_data.of_all(Answers)]
    words, ends = (
        language_data.either(getattr(link, field) for link in links) for field in (word, after)
    )
    end = rf"(?=\s+(?:{ends})\b|[,.;!?]|\s*$)"
    return rf"\b(?:{words})\s+{_OPENING}{_NAME}{_CLOSING}{end}"


def _search(route: Route) -> Step:
    return call_tool("search_contact", query=route.get("who")[:LONGEST_NAME] or "?")


def _to_one(asked: Asked, route: Route, tool: str, text: str) -> Step:
    """Return the call that sends a text to the one contact who is meant.

    Find out first who that is, and ask when it is not clear.
    """
    who = message_answers.named_person(asked, route)
    if references.person_in(who, route.language) == dialogue_words.bare(who):
        # “Her” is whom the turns before spoke of, though nobody wrote.
        if not asked.has("list_network"):
            return call_tool("list_network")
        who = _spoken_of(asked) or who
        route = msgspec.structs.replace(route, arguments={**route.arguments, "who": who})
    if not asked.has("search_contact"):
        return call_tool("search_contact", query=who[:LONGEST_NAME] or "?")
    rows = [row for result in asked.of("search_contact") for row in result.content["contacts"]]
    if not rows:
        none = list_answers.refusal_or(asked, route, route.phrase("nobody", who=route.get("who")))
        return msgspec.structs.replace(none, empty=True)
    named = message_answers.named_person(asked, route).removeprefix("@").casefold()
    exact = [row for row in rows if named in (row["username"], row["name"].casefold())]
    # A search also finds those whose name only holds what was said.
    meant = exact if len(exact) == 1 else rows
    if len(meant) > 1:
        return Step(
            "\n".join(
                [route.phrase("which_contact"), *(f"- {_person(row)}" for row in meant[:SHOWN])]
            )
        )
    # No space parts a name from what follows it: “告诉王小明…” was read as “王小” and “明…”.
    rest = meant[0]["name"].casefold().removeprefix(named)
    if questions.is_asian(named) and len(rest) < len(meant[0]["name"]):
        text = text.removeprefix(rest)
    return call_tool(tool, to=meant[0]["username"], message=text[:LONGEST_MESSAGE])


def _spoken_of(asked: Asked) -> str:
    """Return the one contact whose name the newest turn that names any has; empty where several."""
    known = [row for result in asked.of("list_network") for row in result.content["contacts"]]
    for turn in asked.earlier:
        titles = (one.title for one in (*turn.about, *turn.shown[:1]))
        text = fold_text(" ".join([*turn.arguments.values(), *titles]))
        named = [row for row in known if any(_stands_in(one, text) for one in _names(row))]
        if named:
            return named[0]["username"] if len(named) == 1 else ""
    return ""


def _names(row: Mapping[str, Any]) -> list[str]:
    """Return how a contact may be called, folded."""
    return [fold_text(one) for one in (row["username"], row["name"], row["name"].partition(" ")[0])]


def _stands_in(name: str, text: str) -> bool:
    if questions.is_asian(name):
        return name in text or (len(name) > 2 and name[:2] in text)
    return re.search(rf"(?<!\w){re.escape(name)}(?:'?s)?(?!\w)", text) is not None


def _waiting(asked: Asked, route: Route, name: str, tool: str, text: str) -> Step | None:
    """Return what is told of a call that waits for the owner's yes; None where it does not."""
    waits: Result | None = next(
        (each for each in asked.results if each.tool == tool and "escalationId" in each.content),
        None,
    )
    if waits is None:
        return None
    id_, who = waits.content["escalationId"], _known_as(asked, waits.arguments.get("to", ""))
    about = (Thing("escalation", id_, f"{who}: {text[:LONGEST_NAME]}"),)
    undo = (("decide_escalation", {"id": id_, "decision": "stop"}),)
    return Step(
        route.phrase(name, who=who, id=id_, text=text[:LONGEST_NAME]),
        trace=Trace(about=about, undo=undo),
    )


def _known_as(asked: Asked, username: str) -> str:
    """Return who is meant as the owner knows them: by name, where that is another."""
    rows = (row for result in asked.of("search_contact") for row in result.content["contacts"])
    meant = next((row for row in rows if row["username"] == username), None)
    return _person(meant) if meant and meant["name"].casefold() != username else username


def _part(
    language: Language,
    head: str,
    rows: Sequence[Mapping[str, Any]],
    total: int,
    line: Callable[[Mapping[str, Any]], str],
) -> str:
    """Return rows below their heading; nothing where there are none."""
    if not rows:
        return ""
    lines = [phrase(language, head, count=total), *(f"- {line(row)}" for row in rows[:SHOWN])]
    return "\n".join(
        lines + ([phrase(language, "more", count=total - SHOWN)] if total > SHOWN else [])
    )


def _person(row: Mapping[str, Any]) -> str:
    return f"{row['name']} (@{row['username']})"


def _contact(row: Mapping[str, Any]) -> str:
    """Return a contact with the marks of who may ask whose agent: ← theirs may be asked, → one's
    own may be asked by them.
    """
    access = row["agentAccess"]
    marks = " ".join(
        mark for mark, held in (("←", access["received"]), ("→", access["granted"])) if held
    )
    return f"{_person(row)} {marks}".rstrip()
