"""Sums with the amounts of notes: only where each is surely the one that is meant."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.passages import questions
from app.agent.rules.passages.answer_passages import Text
from app.agent.rules.passages.sentences import split_sentences, split_words
from app.agent.rules.phrases import phrases
from app.agent.rules.reckoning import note_amounts, numbers, sum_value, sum_wishes, sums, words
from app.agent.rules.reckoning.note_amounts import Fact
from app.agent.rules.reckoning.numbers import Number
from app.agent.rules.reckoning.sum_tokens import Amount
from app.agent.rules.reckoning.sum_wishes import Solved, Wanted

_SHORTEST = 3
"""A word of more letters may begin that of something: “forest” of “forest honey”."""


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
    return bool(
        wanted.numbers or sum_wishes.has_sign(wanted) or sum_wishes.period_of(wanted) or joins
    )


def asks_remaining(message: str, language: Language) -> bool:
    """Return whether a message asks how much of an amount is still to be paid."""
    wanted = sum_wishes.read(message, language)
    is_amount = questions.read_question(message).kind in ("number", "price")
    return is_amount and wanted.says("remaining") and bool(wanted.names)


def goes_on(message: str, language: Language, told: str) -> bool:
    """Return whether a message only says what is to be reckoned with an amount that was told."""
    if len(message) > sums.LONGEST or not re.search(r"\d", told):
        return False
    wanted = sum_wishes.read(message, language)
    if wanted.names:
        return False
    if wanted.says("difference") or wanted.says("remaining"):
        return True
    table, period = words.table_of(language), sum_wishes.period_of(wanted)
    if period and period[1] in table.per:
        priced = words.whole(language, table.per[period[1]])
        if priced.search(words.folded(told)):
            return True  # “for two nights?” of a price a night
    base = Amount(Decimal(1))
    if sums.reckon(message, language, base) is not None:
        return True
    pattern = words.whole(language, table.base)
    return len(wanted.numbers) == 1 and pattern.search(words.folded(told)) is not None


def solve(
    message: str,
    language: Language,
    notes: Sequence[Text],
    before: Sequence[int] = (),
    told: str = "",
    asked_before: str = "",
) -> Solved | None:
    """Return the sum that a message asks for with the amounts of one of the notes; None where
    none or several notes would give one.

    `told` was quoted of the notes `before`, and `asked_before` what was asked then.
    """
    wanted = sum_wishes.read(message, language)
    if not all(one.sure for one in wanted.numbers):
        return None
    if not wanted.names:
        notes = [one for one in notes if one.note_id in before]
    found = []
    for note in notes:
        known = note_amounts.facts(note, language)
        if known and (one := _of_note(wanted, note, known, told, asked_before)):
            found.append(one)
    return found[0] if len(found) == 1 else None


def _of_note(
    wanted: Wanted, note: Text, known: list[Fact], told: str, asked_before: str
) -> Solved | None:
    """Return the first of the kinds of sums that a message asks for, of one note."""
    money = [one for one in known if one.amount.unit in words.MONEY]
    if wanted.says("remaining") and not wanted.numbers:
        return _remaining(wanted, note, money)
    if wanted.says("difference") and not wanted.numbers:
        return _difference(wanted, note, money)
    if wanted.says("each") and (found := _each(wanted, note, money)):
        return found
    quoted = [one for one in known if one.sentence.text in told]
    if wanted.says("of_them") and quoted:
        spoken_of = [one for one in money if one in quoted]
        return _of_them(wanted, note, spoken_of, asked_before)
    if wanted.names:
        return _listed(wanted, note, money) or _with_one(wanted, known)
    period = sum_wishes.period_of(wanted)
    priced = [one for one in quoted if period and one.per == period[1]]
    fact = _one_of(priced or quoted, asked_before, wanted.language)
    if fact is None:
        return None
    return _in_proportion(wanted, fact) or _of_period(wanted, fact) or _from(wanted, fact)


def _all_held(names: Sequence[str], note: Text) -> bool:
    text = words.folded(f"{note.title} {note.content}")
    return all(note_amounts.holds(one, text) for one in names)


def _remaining(wanted: Wanted, note: Text, money: list[Fact]) -> Solved | None:
    """Return a price without what was paid before."""
    deposit = words.table_of(wanted.language).deposit
    text = words.without(wanted.language, wanted.text, deposit)
    if not _all_held(sum_wishes.names_in(text, wanted.language, ()), note):
        return None
    paid = [one for one in money if one.is_deposit]
    whole = [one for one in money if not one.is_deposit]
    if len(paid) != 1 or len(whole) != 1 or paid[0].per or whole[0].per not in ("", "piece"):
        return None
    count = _pieces(whole[0], wanted.language) if whole[0].per else Decimal(1)
    if count is None or paid[0].amount.value > count * whole[0].amount.value:
        return None
    return sum_wishes.put_together([(count, whole[0]), (-1, paid[0])], wanted)


def _pieces(fact: Fact, asked: Language) -> Decimal | None:
    """Return of how many pieces a note tells the price of each: “60 cups at 14 euros apiece”."""
    language = note_amounts.language_of(fact.note, asked)
    counts = [one for one in numbers.find(fact.said, language) if one.unit in ("", "piece")]
    return counts[0].value if len(counts) == 1 and counts[0].sure else None


def _of_them(wanted: Wanted, note: Text, quoted: list[Fact], asked_before: str) -> Solved | None:
    """Return the price of so many of what was asked for before: “what do three of those cost?”"""
    names = sum_wishes.read(asked_before, wanted.language).names
    if len(quoted) > 1:
        # “Forest?” may be said of the forest honey.
        quoted = [f for f in quoted if any(_begins(one, f.said) for one in names)]
    if len(quoted) != 1 or len(wanted.numbers) != 1 or quoted[0].per not in ("", "piece"):
        return None
    count = wanted.numbers[0]
    told = note_amounts.language_of(note, wanted.language)
    percents = (one for one in split_sentences(note.content) if "%" in one.text)
    least = [n.value for one in percents for n in numbers.find(words.folded(one.text), told)]
    if count.unit not in ("", "piece") or any(one <= count.value for one in least):
        return None  # with a discount from so many on
    return sum_wishes.times(quoted[0], [("*", count.value)], wanted)


def _begins(name: str, said: str) -> bool:
    return note_amounts.touches(name, said) or any(
        len(name) > _SHORTEST and one.startswith(name) for one in split_words(said)
    )


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


def _each(wanted: Wanted, note: Text, money: list[Fact]) -> Solved | None:
    """Return the share of each of an amount, by as many as the message or the note says."""
    fact = note_amounts.named(wanted.names, money)
    if fact is None or fact.per:
        return None
    heads = {one.value for one in wanted.numbers}
    if not heads:
        heads = _shared_by(note, wanted.language)
    if len(heads) != 1 or not (count := heads.pop()) or count != count.to_integral_value():
        return None
    return sum_wishes.times(fact, [("/", count)], wanted)


def _shared_by(note: Text, asked: Language) -> set[Decimal]:
    """Return by how many a note says that something is shared."""
    language = note_amounts.language_of(note, asked)
    pattern = words.whole(language, words.table_of(language).shared)
    found = set()
    for one in pattern.finditer(words.folded(note.content)):
        said = next((text for name, text in one.groupdict().items() if text), "")
        found |= {number.value for number in numbers.find(said, language)}
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
            if not _all_held(names, note):
                return None
            continue  # “by the list of prices”
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
    plus = [table.signs.get("+", ""), table.weak.get("+", "")]
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


def _of_period(wanted: Wanted, fact: Fact) -> Solved | None:
    """Return the price for some nights, months or other units of one that is for each."""
    period = sum_wishes.period_of(wanted)
    if period is None or fact.per not in sum_wishes.EACH or not sum_wishes.only_adds(wanted):
        return None
    count, unit = period
    times = 1 if unit == fact.per else sum_wishes.TIMES.get((unit, fact.per))
    if count == 1 and (parts := sum_wishes.TIMES.get((fact.per, unit))):
        return sum_wishes.times(fact, [("/", Decimal(parts))], wanted)
    if times is None or (times == 1 and count == 1):
        return None
    return sum_wishes.times(fact, [("*", count * times)], wanted)


def _with_one(wanted: Wanted, known: list[Fact]) -> Solved | None:
    """Return the sum of an amount that is named with what the message says: “half of the rent”."""
    fact = note_amounts.named(wanted.names, known, alone=len(known) == 1)
    if fact and fact.per and (found := _of_period(wanted, fact)):
        return found
    # Half a year is no half of what each month costs.
    others = [
        one
        for one in sum_wishes.units_said(wanted.text, wanted.language)
        if fact and one != fact.per
    ]
    if fact is None or (fact.per and others):
        return None
    return _from(wanted, fact) or _in_proportion(wanted, fact)


def _from(wanted: Wanted, fact: Fact) -> Solved | None:
    """Return what a message reckons with an amount, its own numbers being shares or factors."""
    text = wanted.text
    for name in wanted.names:
        text = text.replace(name, " ")
    found = sums.reckon(text, wanted.language, fact.amount)
    own = sum_value.plain_number(fact.amount.value, wanted.language)
    return Solved(found, (fact,)) if found and fact.sure and own in found.shown else None


def _one_of(quoted: list[Fact], asked_before: str, language: Language) -> Fact | None:
    """Return the one amount of what was quoted that was asked for."""
    if len(quoted) == 1:
        return quoted[0] if quoted[0].sure else None
    names = sum_wishes.read(asked_before, language).names
    names = [one for one in names if any(note_amounts.touches(one, f.said) for f in quoted)]
    return note_amounts.named(names, quoted) if names else None


def _in_proportion(wanted: Wanted, fact: Fact) -> Solved | None:
    """Return an amount for another number than that for which a note tells it: “for twenty”."""
    if len(wanted.numbers) != 1 or sum_wishes.has_sign(wanted):
        return None
    count = wanted.numbers[0]
    language = note_amounts.language_of(fact.note, wanted.language)
    pattern = words.whole(language, words.table_of(language).base)
    text = words.folded(fact.sentence.text)
    bases = {
        number.value
        for one in pattern.finditer(text)
        for said in one.groupdict().values()
        if said
        for number in numbers.find(said, language)
    }
    if len(bases) != 1 or count.unit not in ("", "piece", "person") or not count.value:
        return None
    if "%" in wanted.text or words.says(wanted.language, "split", wanted.text):
        return None
    base = bases.pop()
    if not base or base == count.value:
        return None
    return sum_wishes.times(fact, [("*", count.value), ("/", base)], wanted)
