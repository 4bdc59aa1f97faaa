"""Answers from the notes: quotes, lists of what was found, and summaries."""

import functools
import re

import msgspec

from app.agent.rules.answers import list_answers, targets
from app.agent.rules.dialogue import (
    day_rows,
    given_context,
    references,
    resolve_reference,
    slots,
    told_parts,
    view_words,
)
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.passages import (
    answer_passages,
    asked_parts,
    extracts,
    found_texts,
    named_rows,
    named_sections,
    nearest_texts,
    note_searches,
    plain_text,
    questions,
    told_passages,
    valued_rows,
)
from app.agent.rules.passages.answer_passages import Ranked, Text
from app.agent.rules.passages.questions import Question
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step, Thing, Trace, call_tool, note_link

READ_NOTES, READ_NEAR = 3, 2
NEAREST = 3
SHOWN = 400
"""So many characters of the one note that a question names are shown where none answers it."""
FOLDER_NOTES = 8
_OPEN_ITEM = re.compile(r"^\s*[-*+] \[ \] .+$", re.MULTILINE)


def answer_question(asked: Asked, route: Route) -> Step:
    """Search with the question's words, then with each alone, read what was cut, and quote what
    answers it.

    The notes that were quoted last are read too; “when was it bought?” is asked of them first.
    """
    question = _question(asked, route)
    context, otherwise = route.get("context"), route.get("otherwise")
    if context and (step := given_context.answer(context, question, otherwise)) is not None:
        return step
    if wanted := told_parts.rows_wanted(asked, route, question):
        if (step := valued_rows.look_for(asked, wanted)) is not None:
            return step
        last = references.quoted_just_before(asked)
        if rows := valued_rows.rows_of(asked, wanted, last):
            return _told(rows, told_passages.tell_together(rows))
        if note := valued_rows.none_left(asked, wanted, last):
            told = route.phrase("none_open", title=note_link(note.note_id, note.title))
            thing = Thing("note", note.note_id, note.title)
            return Step(told, trace=Trace(intent="ask", about=(thing,)))
        step = valued_rows.go_on(asked, lambda part: _by_passages(part, route, question))
        any_value = wanted._replace(is_any=True)
        if step.empty and (rows := valued_rows.rows_of(asked, any_value, last)):
            return _told(rows, told_passages.tell_together(rows))
        return step
    return _by_passages(asked, route, question)


def _by_passages(asked: Asked, route: Route, question: Question) -> Step:
    """Return the answer that passages give, or what is looked for to find them."""
    if not asked.results:
        return _searched(asked, route, question)
    none = note_searches.found_none(asked)
    near = found_texts.texts(asked)
    notes = near if none else _surely_found(asked)
    # What says nothing of its own is answered by what was spoken of alone.
    is_named = not question.is_bare or not references.quoted_last(asked)
    text, written = told_parts.text_asked(asked, route), _written(route)
    asks = functools.partial(_asks, language=written)
    of_day, just_before = day_rows.asked_day(asked, text), references.quoted_just_before(asked)
    newest = day_rows.newest(asked, text, question, notes, just_before)
    rows = day_rows.of_day(of_day, question, notes, asked.now, just_before) if of_day else []
    rows = [newest.passage] if newest else rows
    found = (
        rows
        or told_parts.of_section(asked, route, notes)
        or told_parts.of_row(asked, route, near, just_before)
    )
    found = found or _passages_quoted_last(asked, route, question, notes)
    found = found or asked_parts.answer_each(text, written, notes, asks)
    found = found or (answer_passages.best_passages(question, notes) if is_named else [])
    found = named_rows.row_said(text, found)
    if not found and (step := note_searches.singly(asked, question)):
        return step
    if none:
        question = note_searches.in_words_of(question, notes)
    unread = _unread(asked, notes) + ([] if found else _unread(asked, near)[:READ_NEAR])
    if unread := list(dict.fromkeys(unread)):
        return Step(calls=tuple(("get_note_content", {"noteId": note_id}) for note_id in unread))
    if is_named:
        found = found or answer_passages.best_passages(question, notes, is_last_try=True)
    found = found or named_rows.find(question, text, notes)
    found = found or _passages_of_last(asked, question, notes)
    if not found and (clause := asked_parts.asking_clause(text, question, asks)):
        found = answer_passages.best_passages(clause, notes, is_last_try=True)
        found = found or _passages_of_last(asked, clause, notes)
    found = day_rows.but_other_days(found, text, near)
    if not found:
        return _unanswered(asked, route, question, near)
    told = found[:1] if asked.persona.brief else found
    day = (newest or of_day) if found is rows else None
    step = _told(told, told_passages.tell(told), day.day.isoformat() if day else "")
    return told_parts.with_field(asked, route, step, told)


def _told(found: list[Ranked], text: str, day: str = "") -> Step:
    """Return the answer that tells passages, of the one day that they are of if they are."""
    quoted = tuple(map(answer_passages.as_quote, found))
    cited = {one.note_id: Thing("note", one.note_id, one.title) for one in quoted}
    section = named_sections.name_of(found) or named_rows.name_of(found)
    trace = Trace(intent="ask", about=tuple(cited.values()), day=day, section=section)
    return Step(text, quotes=quoted, trace=trace)


def _asks(clause: str, language: Language) -> bool:
    return slots.has_kind(clause, language, "asks")


def _surely_found(asked: Asked) -> list[Text]:
    """Return the notes that have words of the question, or were quoted last: one with what only is
    like a word must not make that less rare.
    """
    other = {*references.other_note(asked)}
    sure = other or {hit["id"] for hit in found_texts.hits(asked, 0)} | {
        *references.quoted_last(asked)
    }
    return [one for one in found_texts.texts(asked, 0) if one.note_id in sure]


def _question(asked: Asked, route: Route) -> Question:
    """Return what is asked; what goes on wants its own kind of what was asked for before."""
    question = questions.read_question(told_parts.text_asked(asked, route))
    if route.get("followed"):
        kind = questions.read_question(route.get("words")).kind or question.kind
        asks = slots.has_kind(route.get("words"), _written(route), "asks")
        before = asked.earlier[0].arguments if asked.earlier and not (kind or asks) else {}
        said = next(filter(None, map(before.get, ("text", "said", "words"))), "")
        same = questions.read_question(said).kind if said else None
        return question._replace(kind=kind or (same if same in questions.EXACT else None))
    return question._replace(kind="when") if route.get("kind") == "when" else question


def _passages_quoted_last(
    asked: Asked, route: Route, question: Question, notes: list[Text]
) -> list[Ranked]:
    """Return what the notes quoted last answer to a question that goes on from them, or points
    back and names nothing.
    """
    followed = bool(route.get("followed"))
    if not followed and (question.names or not question.points_back):
        return []
    last = references.quoted_last(asked)
    quoted = [one for one in notes if one.note_id in last]
    # What “it” is, its note need not say again in each sentence.
    found = answer_passages.best_passages(question, quoted)
    # “What does she charge?” of what was only near, with several prices
    is_unsure = question.is_bare if not followed else not asked.earlier[0].about
    if is_unsure and question.kind and nearest_texts.count_holding(question, quoted) != 1:
        return []
    if not followed:
        return found
    found = found or answer_passages.rank_passages(question, quoted)[:1]
    texts = ((one, answer_passages.text_of(one)) for one in found)
    return [one for one, text in texts if questions.holds_kind(question.kind, text)][:1]


def _passages_of_last(asked: Asked, question: Question, notes: list[Text]) -> list[Ranked]:
    """Return what answers a question in the notes that the very turn before was about."""
    last = references.quoted_just_before(asked)
    return answer_passages.passages_of_last(question, [one for one in notes if one.note_id in last])


def _unread(asked: Asked, notes: list[Text]) -> list[int]:
    """Return the notes whose rest is to be read still; once is enough, as a turn has few steps."""
    read = {result.arguments.get("noteId") for result in asked.results}
    unread = [note.note_id for note in notes[:READ_NOTES] if not note.whole]
    if "get_note_content" not in asked.tools or read.difference(
        {None}, references.quoted_last(asked)
    ):
        return []
    return [note_id for note_id in unread if note_id not in read]


def find_notes(asked: Asked, route: Route) -> Step:
    """List the notes that hold the words."""
    wanted = route.get("words") or asked.message
    if not asked.results:
        terms = questions.read_question(wanted).terms or (wanted,)
        return Step(calls=tuple(note_searches.searches(wanted, terms, limit=10)))
    hits = found_texts.hits(asked)
    if not hits:
        return list_answers.refusal_or(
            asked, route, route.phrase("nothing", owner=asked.persona.owner)
        )
    lines = [
        f"- {note_link(hit['id'], hit['title'])}" + _shown(hit.get("snippet", "")) for hit in hits
    ]
    shown = list_answers.things("note", hits)
    # The one whose name was said is what “it” means afterwards.
    named = list_answers.things("note", resolve_reference.fitting_rows(wanted, hits))
    about = named if len(named) == 1 else ()
    trace = Trace(shown=shown, about=about)
    return Step("\n".join([route.phrase("found"), *lines]), trace=trace)


def show_note(asked: Asked, route: Route) -> Step:
    """Show the note that is meant, as much of it as an answer holds."""
    found = targets.find_things(asked, route, ("note",), words=route.get("target"))
    if isinstance(found, Step):
        if not (found.trace and found.trace.asks and len(found.trace.asks.choices) == 1):
            return found
        found = found.trace.asks.choices  # only shown
    if len(found) > 1:
        return targets.ask_which(route, found)
    if not asked.has("get_note_content"):
        return call_tool("get_note_content", noteId=found[0].id)
    if not (read := asked.of("get_note_content")):
        return list_answers.tell_refusal(asked, route)
    note = read[0].content["note"]
    remains = view_words.asks_what_remains(asked.message, _written(route))
    text = (remains and _open_items(note["markdown"])) or note["markdown"].rstrip()
    shown = (
        text if len(text) <= found_texts.BEGINNING else f"{text[: found_texts.BEGINNING].rstrip()}…"
    )
    return Step(f"{note_link(note['id'], note['title'])}\n\n{shown}", trace=Trace(about=found))


def _open_items(text: str) -> str:
    """Return what is not ticked of a list; empty where all is, or nothing can be."""
    return "\n".join(one.strip() for one in _OPEN_ITEM.findall(text))


def _written(route: Route) -> str:
    return route.get("written") or route.language


def summarise(asked: Asked, route: Route) -> Step:
    """Read the note, or the newest notes of the folder, and tell what they say in short."""
    if route.get("folder"):
        return _folder(asked, route)
    target = route.get("target")
    if not asked.has("search_notes"):
        query = resolve_reference.name_query(target)
        return call_tool("search_notes", query=query, limit=note_searches.HITS)
    if not asked.has("get_note_content"):
        hits = found_texts.hits(asked)
        fitting = resolve_reference.fitting_rows(target, hits) or hits[:1]
        if not fitting:
            return list_answers.refusal_or(
                asked, route, route.phrase("nothing", owner=asked.persona.owner)
            )
        if len(fitting) > 1:
            return targets.ask_which(route, list_answers.things("note", fitting))
        return call_tool("get_note_content", noteId=fitting[0]["id"])
    return list_answers.refusal_or(asked, route, _in_short(asked, route, most=extracts.CHOSEN))


def _folder(asked: Asked, route: Route) -> Step:
    if not asked.has("list_folders"):
        return call_tool("list_folders")
    if not asked.has("list_notes"):
        folder = resolve_reference.find_folder(
            route.get("folder"),
            [row for result in asked.of("list_folders") for row in result.content["folders"]],
        )
        if folder is None:
            return list_answers.refusal_or(
                asked, route, route.phrase("none_fits", words=route.get("folder"))
            )
        return call_tool("list_notes", folderId=folder["id"], recursive=True, limit=FOLDER_NOTES)
    notes = [row for result in asked.of("list_notes") for row in result.content["notes"]]
    if notes and not asked.has("get_note_content"):
        return Step(
            calls=tuple(("get_note_content", {"noteId": row["id"]}) for row in notes[:FOLDER_NOTES])
        )
    said = (
        _in_short(asked, route, most=2)
        if notes
        else route.phrase("nothing", owner=asked.persona.owner)
    )
    return list_answers.refusal_or(asked, route, said)


def _in_short(asked: Asked, route: Route, *, most: int) -> str:
    lines = [route.phrase("summary")]
    for text in (
        note for result in asked.of("get_note_content") if (note := found_texts.read_note(result))
    ):
        lines.append(f"\n{note_link(text.note_id, text.title)}")
        lines += [
            f"- {plain_text.plain(one.text)[: answer_passages.LONGEST]}"
            for one in extracts.extract(text.content, most=most)
        ]
    return "\n".join(lines)


def _searched(asked: Asked, route: Route, question: Question) -> Step:
    if not question.terms:
        return Step(route.phrase("help", owner=asked.persona.owner))
    text = told_parts.text_asked(asked, route)
    read = "get_note_content" in asked.tools
    again = [("get_note_content", {"noteId": one}) for one in references.quoted_last(asked) if read]
    found = note_searches.searches(text, question.terms, limit=note_searches.HITS)
    return Step(calls=(*found, *again))


def _unanswered(asked: Asked, route: Route, question: Question, notes: list[Text]) -> Step:
    nothing = route.phrase("nothing", owner=asked.persona.owner)
    if not notes:
        none = list_answers.refusal_or(asked, route, nothing)
        return msgspec.structs.replace(none, empty=True)
    if step := _left_of_named(asked, route, question, notes):
        return step
    nearest = _nearest(asked, question, notes)
    if not nearest:
        return Step(nothing, empty=True)
    titles = {note.note_id: note.title for note in notes}
    shown = tuple(Thing("note", one, titles[one]) for one in nearest)
    trace = Trace(intent="ask", shown=shown)
    text = "\n".join([route.phrase("unanswered"), *nearest.values()])
    return Step(text, trace=trace, empty=True)


def _left_of_named(
    asked: Asked, route: Route, question: Question, notes: list[Text]
) -> Step | None:
    """Return what is not ticked of the one list whose name a question after that says."""
    if not view_words.asks_what_remains(asked.message, _written(route)):
        return None
    lists = [
        (note, items)
        for note in notes
        if nearest_texts.is_named(question, note.title) and (items := _open_items(note.content))
    ]
    if len(lists) != 1:
        return None
    note, items = lists[0]
    about = (Thing("note", note.note_id, note.title),)
    return Step(f"{note_link(note.note_id, note.title)}\n\n{items}", trace=Trace(about=about))


def _nearest(asked: Asked, question: Question, notes: list[Text]) -> dict[int, str]:
    """Return a line for each of the nearest notes, by their ids, with its sentences that have most
    to do with the question: of those that it names, that lead or were just spoken of, most.

    Others than the owner are shown none that only nears by meaning.
    """
    question = note_searches.in_likely_words_of(question, notes)
    ranked = answer_passages.rank_passages(question, notes)
    named = [note.note_id for note in notes if nearest_texts.is_named(question, note.title)]
    named = named if len(named) <= NEAREST else []
    spoken = [] if question.names else [*references.quoted_just_before(asked)]
    near = dict.fromkeys(one.note.note_id for one in ranked)
    leading = list(dict.fromkeys([*named, *(() if named else [*near][:1]), *spoken]))
    rest = [] if asked.persona.owner else [note.note_id for note in notes]
    shown = {note.note_id: note for note in notes}
    order = dict.fromkeys(one for one in (*leading, *near, *rest) if one in shown)
    listed = list(order)[:NEAREST]
    first = shown[listed[0]] if listed and not near and not leading else None
    if first and nearest_texts.has_to_do(question, first):
        leading = listed[:1]
    texts = {}
    for one in listed:
        most = SHOWN // len(leading) if one in leading else 0
        texts[one] = nearest_texts.nearest_text(question, shown[one], ranked, most)
    return {
        note_id: f"- {note_link(note_id, shown[note_id].title)}" + _shown(text)
        for note_id, text in texts.items()
    }


def _shown(snippet: str) -> str:
    text = plain_text.plain(snippet)
    return f": {text}" if text else ""
