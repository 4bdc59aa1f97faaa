"""What a reader is told of a message, by which it weighs what is wished and what the slots are."""

from collections.abc import Iterator, Sequence

from app.agent.rules.reader.lines import Line

START, END = ("<s2>", "<s1>"), ("</s1>", "</s2>", "</s3>")
LONG = 4
"""A longer word is also known by its letters."""


def of_line(line: Line, before: str) -> list[str]:
    """Return what is known of a whole message after a turn that was about something."""
    row = list(_without_names(line))
    found = {"bias", f"before={before}", f"first={''.join(row[:1])}|{before}"}
    framed = ["^", *row, "$"]
    for length in (1, 2) if line.is_spaced else (1, 2, 3):
        found |= {
            f"{length}:{'|'.join(framed[at : at + length])}"
            for at in range(len(framed) - length + 1)
        }
    for word in line.words:
        found.add(f"word={word}")
        if line.is_spaced and len(word) > LONG:
            marked = f"<{word}>"
            found |= {f"~{marked[at : at + LONG]}" for at in range(len(marked) - LONG + 1)}
    found |= {f"{before}|{word}" for word in row}
    for at, names in enumerate(line.classes):
        begins = "first" if at == 0 else "begins" if _begins(line, at) else "within"
        found |= {f"class={name}|{begins}" for name in names}
        found |= {f"class={name}|{before}" for name in names} | {f"class={name}" for name in names}
        if at == 0 or _begins(line, at):
            found.add(f"clause={line.words[at]}")
            found.add(f"clause2={'|'.join(line.words[at : at + 2])}")
    size = min(len(line.words) // (6 if line.is_spaced else 3), 6)
    held = ["day"] * any(line.days) + sorted(set(line.names) - {""})
    found |= {f"size={size}", f"holds={'|'.join(held)}|{before}"}
    found |= {f"holds={one}" for one in held} | {f"holds={one}|{before}" for one in held}
    return sorted(found)


def _without_names(line: Line) -> Iterator[str]:
    """Yield the words of a line, and once for each day and name that there is one."""
    last = ""
    for word, day, name in zip(line.words, line.days, line.names, strict=True):
        shown = "<day>" if day else f"<{name}>" if name else word
        if shown != last or shown == word:
            yield shown
        last = shown


def of_pieces(line: Line, intent: str) -> list[list[str]]:
    """Return what is known of each piece of a message that wishes something."""
    words = [
        "<number>" if day and word[0].isdigit() else word
        for word, day in zip(line.words, line.days, strict=True)
    ]
    row = [*START, *words, *END]
    ends = _clause_ends(line)
    return [
        [
            *_words_around(row, at + len(START), intent, is_spaced=line.is_spaced),
            *_what_it_is(line, at, intent),
            *_where_it_is(line, at, intent, ends),
        ]
        for at in range(len(words))
    ]


def _words_around(row: Sequence[str], at: int, intent: str, *, is_spaced: bool) -> list[str]:
    before, word, after = row[at - 1], row[at], row[at + 1]
    found = [
        "bias",
        f"w={word}",
        f"-1={before}",
        f"+1={after}",
        f"-2={row[at - 2]}",
        f"+2={row[at + 2]}",
        f"-1w={before}|{word}",
        f"w+1={word}|{after}",
        f"-2-1={row[at - 2]}|{before}",
        f"+1+2={after}|{row[at + 2]}",
        f"{intent}|w={word}",
        f"{intent}|-1={before}",
        f"{intent}|+1={after}",
    ]
    if is_spaced:
        return (
            [*found, f"p={word[:3]}", f"e={word[-3:]}", f"e2={word[-2:]}"]
            if len(word) > LONG
            else found
        )
    return [
        *found,
        f"-2w={row[at - 2]}{before}{word}",
        f"w+2={word}{after}{row[at + 2]}",
        f"-1+1={before}{word}{after}",
        f"+3={row[at + 3] if at + 3 < len(row) else ''}",
        f"{intent}|-1w={before}{word}",
        f"{intent}|w+1={word}{after}",
        f"script={_script(word)}",
    ]


def _script(word: str) -> str:
    if "\u3400" <= word <= "\u9fff":
        return "han"
    if "\u30a0" <= word <= "\u30ff":
        return "katakana"
    return "hiragana" if "\u3040" <= word <= "\u309f" else "other"


def _what_it_is(line: Line, at: int, intent: str) -> list[str]:
    day, name = line.days[at], line.names[at]
    said = line.text[slice(*line.places[at])]
    found = [
        f"shape={_shape(said)}",
        f"day={day}",
        f"name={name}",
        intent,
        f"{intent}|day={day}",
        f"{intent}|name={name}",
        *(f"class={one}" for one in line.classes[at]),
        *(f"{intent}|class={one}" for one in line.classes[at]),
    ]
    if at:
        found += [f"day-={line.days[at - 1]}{day}", f"name-={line.names[at - 1]}"]
        found += [f"class-={one}" for one in line.classes[at - 1]]
    if at + 1 < len(line.words):
        found += [f"day+={line.days[at + 1]}", f"name+={line.names[at + 1]}"]
        found += [f"class+={one}" for one in line.classes[at + 1]]
    return found


def _shape(said: str) -> str:
    if said[0].isdigit():
        return "digit"
    if not said[0].isalnum():
        return "mark"
    if said.isupper() and len(said) > 1:
        return "capitals"
    return "capital" if said[0].isupper() else "small"


def _where_it_is(line: Line, at: int, intent: str, ends: dict[int, int]) -> list[str]:
    clause = line.clauses[at]
    start = line.clauses.index(clause)
    mine = range(start, ends[clause])
    is_last = clause == line.clauses[-1]
    place = "0" if clause == 0 else "last" if is_last else "mid"
    holds = "d" * any(line.days[one] for one in mine) + "n" * any(line.names[one] for one in mine)
    found = [
        f"clause={place}{'1' if line.clauses[-1] == 0 else 'n'}",
        f"begins={line.words[start]}",
        f"begins2={'|'.join(line.words[start : start + 2])}",
        f"{intent}|clause={place}{holds}",
        f"in={min(at - start, 3)}",
        f"left={min(ends[clause] - at - 1, 3)}",
    ]
    if at == len(line.words) - 1:
        found.append("last")
    for name, marks in (("quoted", line.quoted), ("colon", line.after_colon)):
        if marks[at]:
            found += [name, f"{intent}|{name}"]
    return found


def _clause_ends(line: Line) -> dict[int, int]:
    return {clause: at + 1 for at, clause in enumerate(line.clauses)}


def _begins(line: Line, at: int) -> bool:
    """Return whether a clause begins with a piece, after a mark or a word that joins two."""
    return at > 0 and (line.clauses[at] != line.clauses[at - 1] or "join" in line.classes[at - 1])
