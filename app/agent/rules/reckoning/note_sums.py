"""Sums with the amounts of notes: only where each is surely the one that is meant."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.passages import questions
from app.agent.rules.passages.answer_passages import Text
from app.agent.rules.phrases import phrases
from app.agent.rules.reckoning import note_amounts, numbers, sum_wishes, sums, told_sums, words
from app.agent.rules.reckoning.note_amounts import Fact
from app.agent.rules.reckoning.numbers import Number
from app.agent.rules.reckoning.sum_tokens import Amount
from app.agent.rules.reckoning.sum_wishes import Solved, Wanted

ASKING = ("?", "？", "呢", "は")
"""How a question ends that says nothing but what it is of."""


def may_ask(message: str, language: Language) -> bool:
    """Return whether a message may ask for a sum with amounts of a note."""
    if len(message) > sums.LONGEST:
        return False
    wanted = sum_wishes.read(message, language)
    if any(wanted.says(one) for one in ("each", "remaining", "difference")):
        return True
    if not wanted.says("asks"):
        return False
    plus = words.table_of(language).weak.get("+", "(?!)")
    joins = words.whole(language, plus).search(wanted.text) and len(wanted.names) > 1
    counts = wanted.numbers or sum_wishes.has_sign(wanted) or sum_wishes.period_of(wanted)
    return bool(counts or joins or (wanted.says("total") and wanted.names))


def asks_remaining(message: str, language: Language) -> bool:
    """Return whether a message asks how much of an amount is still to be paid."""
    wanted = sum_wishes.read(message, language)
    is_amount = questions.read_question(message).kind in ("number", "price")
    return is_amount and wanted.says("remaining") and bool(wanted.names)


def asks_total(message: str, language: Language) -> bool:
    """Return whether a message asks what all comes to, and names nothing."""
    wanted = sum_wishes.read(message, language)
    return wanted.says("total") and not wanted.names and not wanted.numbers


def goes_on(message: str, language: Language, told: str, asked_before: Sequence[str]) -> bool:
    """Return whether a message says what is to be reckoned with an amount that was told: nothing
    else, or it asks, and its words are those of a sum that can be told.
    """
    if len(message) > sums.LONGEST or not re.search(r"\d", told):
        return False
    wanted = sum_wishes.read(message, language)
    deposit = words.table_of(language).deposit
    named = sum_wishes.names_in(words.without(language, wanted.text, deposit), language, ())
    if not named and (wanted.says("difference") or wanted.says("remaining")):
        return True
    if asks_total(message, language):
        return True
    quoted = note_amounts.facts(Text(0, "", told, whole=True), language)
    if wanted.names and not (wanted.says("asks") or message.rstrip().endswith(ASKING)):
        return False
    if told_sums.solve(wanted, quoted, asked_before) is not None:
        return True
    if wanted.names:
        return bool(quoted) and told_sums.is_more(wanted)
    if sums.reckon(message, language, Amount(Decimal(1))) is not None:
        return True
    pattern = words.whole(language, words.table_of(language).base)
    return len(wanted.numbers) == 1 and pattern.search(words.folded(told)) is not None


def solve(
    message: str,
    language: Language,
    notes: Sequence[Text],
    before: Sequence[int] = (),
    told: Sequence[str] = (),
    asked_before: Sequence[str] = (),
) -> Solved | None:
    """Return the sum that a message asks for with the amounts of one of the notes; None where
    none or several notes would give one.

    `told` was quoted last of the notes `before`, and before that; `asked_before` what was asked.
    """
    wanted = sum_wishes.read(message, language)
    if not all(one.sure for one in wanted.numbers):
        return None
    # “I use five sheets, how many are left?”
    counted = {one.unit for one in wanted.numbers if wanted.says("remaining")} - {""}
    units = note_amounts.MEASURES | counted
    listed = [(one, note_amounts.facts(one, language, units)) for one in notes]
    before_first = [(note, known) for note, known in listed if note.note_id in before]
    found = [
        _of_note(wanted, one, known) for one, known in (listed if wanted.names else before_first)
    ]
    found = [one for one in found if one] or [
        one for _, known in before_first if (one := _of_told(wanted, known, told, asked_before))
    ]
    return found[0] if len(found) == 1 else None


def _of_note(wanted: Wanted, note: Text, known: list[Fact]) -> Solved | None:
    """Return the first of the kinds of sums that a message asks for, of one note."""
    money = [one for one in known if one.amount.unit in words.MONEY]
    if wanted.says("remaining") and not wanted.numbers:
        return _remaining(wanted, note, money)
    if wanted.says("difference") and not wanted.numbers:
        return _difference(wanted, note, money)
    if wanted.says("each") and (found := _each(wanted, money)):
        return found
    if not wanted.names:
        return None
    found = _listed(wanted, note, money) or _with_one(wanted, known)
    return found or _altogether(wanted, money)


def _of_told(
    wanted: Wanted, known: Sequence[Fact], told: Sequence[str], asked_before: Sequence[str]
) -> Solved | None:
    """Return the sum of a message with what was quoted of a note before: with one amount of it, or
    with others that the message names: “with the worktop?”
    """
    quoted = [one for one in known if told and one.sentence.text in told[0]]
    if wanted.says("remaining") and wanted.numbers and not sum_wishes.has_sign(wanted):
        return told_sums.left_of(wanted, quoted, asked_before)
    if wanted.says("each") and not wanted.numbers and len(quoted) == 1 and not quoted[0].per:
        return _among(quoted[0], wanted)
    if found := told_sums.solve(wanted, quoted, asked_before):
        return found
    if not wanted.names and wanted.says("total"):
        return told_sums.together(wanted, known, told, asked_before)
    if not told_sums.is_more(wanted):
        return None
    return told_sums.with_another(wanted, quoted, known, asked_before)


def _all_held(names: Sequence[str], note: Text) -> bool:
    text = words.folded(f"{note.title} {note.content}")
    return all(note_amounts.holds(one, text) for one in names)


def _remaining(wanted: Wanted, note: Text, money: list[Fact]) -> Solved | None:
    """Return a price without what was paid before."""
    deposit = words.table_of(wanted.language).deposit
    text = words.without(wanted.language, wanted.text, deposit)
    if not _all_held(sum_wishes.names_in(text, wanted.language, ()), note):
        return None
    if found := _without_named(wanted, money):
        return found
    paid = [one for one in money if one.is_deposit]
    whole = [one for one in money if not one.is_deposit]
    if len(paid) != 1 or len(whole) != 1 or paid[0].per or whole[0].per not in ("", "piece"):
        return None
    count = _pieces(whole[0], wanted.language) if whole[0].per else Decimal(1)
    if count is None or paid[0].amount.value > count * whole[0].amount.value:
        return None
    return sum_wishes.put_together([(count, whole[0]), (-1, paid[0])], wanted)


def _altogether(wanted: Wanted, money: list[Fact]) -> Solved | None:
    """Return the price of all of which a note tells how many they are and what each costs."""
    if not wanted.says("total") or wanted.numbers:
        return None
    found = []
    for fact in money:
        language = note_amounts.language_of(fact.note, wanted.language)
        units = {fact.per, "" if fact.per == "piece" else fact.per}
        text = fact.sentence.text if "" in units else fact.note.content
        listed = numbers.find(words.hide_codes(words.folded(text)), language)
        counts = {one.value for one in listed if one.unit in units}
        if (
            fact.per in ("person", "piece")
            and len(counts) == 1
            and _all_held(wanted.names, fact.note)
        ):
            found.append((fact, counts.pop()))
    return sum_wishes.times(found[0][0], [("*", found[0][1])], wanted) if len(found) == 1 else None


def _without_named(wanted: Wanted, money: list[Fact]) -> Solved | None:
    """Return the greatest of several amounts that a message names without the others: “what is left
    of the budget after the teapot?”
    """
    listed = [one for one in money if _tells_apart(wanted.names, one, money)]
    listed.sort(key=lambda one: -one.amount.value)
    if len(listed) < 2 or any(one.per for one in listed):
        return None
    if sum(one.amount.value for one in listed[1:]) > listed[0].amount.value:
        return None
    return sum_wishes.put_together([(1, listed[0]), *((-1, one) for one in listed[1:])], wanted)


def _pieces(fact: Fact, asked: Language) -> Decimal | None:
    """Return of how many pieces a note tells the price of each: “60 cups at 14 euros apiece”."""
    language = note_amounts.language_of(fact.note, asked)
    counts = [one for one in numbers.find(fact.said, language) if one.unit in ("", "piece")]
    return counts[0].value if len(counts) == 1 and counts[0].sure else None


def _difference(wanted: Wanted, note: Text, money: list[Fact]) -> Solved | None:
    """Return by how much the two amounts of a note differ."""
    if len(money) > 2:
        money = [one for one in money if _tells_apart(wanted.names, one, money)]
    if len(money) != 2 or not _all_held(wanted.names, note) or money[0].per != money[1].per:
        return None
    more, less = sorted(money, key=lambda one: -one.amount.value)
    return sum_wishes.put_together([(1, more), (-1, less)], wanted)


def _tells_apart(names: Sequence[str], fact: Fact, others: Sequence[Fact]) -> bool:
    """Return whether one of the words stands beside an amount and not beside all others."""
    return any(
        note_amounts.touches(one, fact.said)
        and not all(note_amounts.touches(one, other.said) for other in others)
        for one in names
    )


def _each(wanted: Wanted, money: list[Fact]) -> Solved | None:
    """Return the share of each of an amount, by as many as the message or the note says."""
    fact = note_amounts.named(wanted.names, money)
    if fact is None or fact.per:
        return None
    return _among(fact, wanted)


def _among(fact: Fact, wanted: Wanted) -> Solved | None:
    """Return the share of each of an amount."""
    heads = {one.value for one in wanted.numbers} or _shared_by(fact, wanted.language)
    if len(heads) != 1 or not (count := heads.pop()) or count != count.to_integral_value():
        return None
    return sum_wishes.times(fact, [("/", count)], wanted)


def _shared_by(fact: Fact, asked: Language) -> set[Decimal]:
    """Return by how many a note says that an amount is shared, or beside it how many we are."""
    language = note_amounts.language_of(fact.note, asked)
    pattern = words.whole(language, words.table_of(language).shared)
    found = set()
    for text, ours in ((fact.note.content, False), (fact.sentence.text, True)):
        for one in pattern.finditer(words.folded(text)):
            said = [
                of for name, of in one.groupdict().items() if of and name.startswith("we") == ours
            ]
            found |= {number.value for of in said[:1] for number in numbers.find(of, language)}
    return found


def _listed(wanted: Wanted, note: Text, known: list[Fact]) -> Solved | None:
    """Return amounts that are named, put together, so many of each as is said: “the deposit plus
    two months of rent”, “two tunings and a repair”.
    """
    if not sum_wishes.only_adds(wanted):
        return None
    parts: list[tuple[Decimal, Fact]] = []
    for factor, text in _parts(wanted):
        counts = numbers.find(text, wanted.language)
        names = sum_wishes.names_in(text, wanted.language, counts)
        if not counts and not any(note_amounts.touches(n, f.said) for n in names for f in known):
            # “By the list of prices”; “what do I pay for the flat, rent plus heating?”
            beside = words.says(wanted.language, "asks", text) or wanted.numbers
            if not _all_held(names, note) and not beside:
                return None
            continue
        fact = note_amounts.named(names, known) if names else None
        times = _count(text, counts, names, fact, wanted.language) if fact else None
        if fact is None or times is None or (counts and not _is_beside(names, fact)):
            return None
        parts.append((factor * times, fact))
    distinct = {one.said for _, one in parts}
    if len(parts) != len(distinct) or not parts or (len(parts) == 1 and parts[0][0] == 1):
        return None
    if parts[0][0] < 0:
        return None
    return sum_wishes.put_together(parts, wanted)


def _is_beside(names: Sequence[str], fact: Fact) -> bool:
    return any(note_amounts.touches(one, fact.said) for one in names)


def _parts(wanted: Wanted) -> Iterator[tuple[int, str]]:
    """Yield what stands between the signs of a list of amounts, with 1 or -1 for its sign."""
    table = words.table_of(wanted.language)
    plus = [r"\+", table.signs.get("+", ""), table.weak.get("+", "")]
    spaced = phrases.is_spaced(wanted.language)
    ends = (r"(?<![^\W_])", r"(?![^\W_])") if spaced else ("", "")
    marks = ", " if spaced else "[,，、]"
    cut = f"{ends[0]}(?:{language_data.either(plus)}){ends[1]}|{marks}"
    minus = f"{ends[0]}(?:{language_data.join_pattern(table.signs.get('-', '(?!)'))}){ends[1]}"
    text = words.hide_codes(wanted.text)
    for part in re.split(cut, text):
        first, *others = re.split(minus, part)
        yield 1, first
        yield from ((-1, one) for one in others)


def _count(
    text: str, counts: Sequence[Number], names: Sequence[str], fact: Fact, language: Language
) -> Decimal | None:
    """Return how many of an amount a text says, 1 without a number; None where that is unsure."""
    if not counts:
        said = [unit for unit in sum_wishes.units_said(text, language) if unit != fact.per]
        times = sum_wishes.TIMES.get((said[0], fact.per)) if said else 1
        return Decimal(times) if times and len(said) < 2 else None
    count = counts[0]
    if len(counts) != 1 or count.value % 1:
        return None
    if count.unit in sum_wishes.EACH and fact.per:
        times = 1 if count.unit == fact.per else sum_wishes.TIMES.get((count.unit, fact.per))
        return count.value * times if times else None
    # “Model 241” is no count of models.
    behind = sum_wishes.names_in(text[count.end :], language, ())
    if count.unit not in ("", "piece") or fact.per not in ("", "piece") or fact.is_deposit:
        return None
    return count.value if behind == list(names) or not phrases.is_spaced(language) else None


def _with_one(wanted: Wanted, known: list[Fact]) -> Solved | None:
    """Return the sum of an amount that is named with what the message says: “half of the rent”."""
    fact = note_amounts.named(wanted.names, known, alone=len(known) == 1)
    if fact and fact.per and (found := told_sums.of_period(wanted, fact)):
        return found
    # Half a year is no half of what each month costs.
    others = [
        one
        for one in sum_wishes.units_said(wanted.text, wanted.language)
        if fact and one != fact.per
    ]
    if fact is None or (fact.per and others):
        return None
    return told_sums.reckoned_from(wanted, fact) or told_sums.in_proportion(wanted, fact)
