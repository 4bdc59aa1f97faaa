"""Sums with an amount that was told before, whatever else a message says of its numbers."""

from collections.abc import Sequence
from decimal import Decimal

from app.agent.rules.languages import language_data
from app.agent.rules.passages.sentences import split_sentences, split_words
from app.agent.rules.reckoning import note_amounts, numbers, sum_value, sum_wishes, sums, words
from app.agent.rules.reckoning.note_amounts import Fact
from app.agent.rules.reckoning.sum_value import Reckoned
from app.agent.rules.reckoning.sum_wishes import Solved, Wanted

_SHORTEST = 3
"""A word of more letters may begin that of something: “forest” of “forest honey”."""


def solve(wanted: Wanted, known: Sequence[Fact], asked_before: Sequence[str]) -> Solved | None:
    """Return what a message reckons with the one of the amounts that was asked for before; None
    where that is none, or several may be.
    """
    money = [one for one in known if one.amount.unit in words.MONEY]
    period = sum_wishes.period_of(wanted)
    priced = [one for one in money if period and one.per == period[1]]
    fact = _one_of(priced or money or known, wanted, asked_before)
    if fact is None:
        return None
    if found := of_period(wanted, fact):
        return found
    if (found := _so_many(wanted, fact)) or wanted.says("of_them"):
        return found
    return in_proportion(wanted, fact) or reckoned_from(wanted, fact)


def is_more(wanted: Wanted) -> bool:
    """Return whether a message only adds what it names, or takes it off: “plus the worktop?”"""
    table = words.table_of(wanted.language)
    listed = [
        language_data.either([table.signs.get(sign, "(?!)"), table.after.get(sign, "(?!)")])
        for sign in ("+", "-")
    ]
    signs = [words.whole(wanted.language, one).search(wanted.text) for one in listed]
    adds = sum_wishes.only_adds(wanted) and bool(wanted.names) and not wanted.numbers
    return adds and any(signs) and not all(signs)


def with_another(
    wanted: Wanted, quoted: Sequence[Fact], known: Sequence[Fact], asked_before: Sequence[str]
) -> Solved | None:
    """Return the amount that was told with the one other that a message names."""
    money = [one for one in quoted if one.amount.unit in words.MONEY]
    named = [one for one in known if any(_begins(name, one.said) for name in wanted.names)]
    others = [one for one in money if one not in named]
    nothing = Wanted("", wanted.language, [], [])
    fact = _one_of(money, nothing, asked_before) or _one_of(others, nothing, ())
    listed = [one for one in named if one != fact]
    if fact is None or len(listed) != 1 or listed[0].per != fact.per:
        return None
    minus = words.table_of(wanted.language).signs.get("-", "(?!)")
    takes_off = words.whole(wanted.language, minus).search(wanted.text) is not None
    return sum_wishes.put_together([(1, fact), (-1 if takes_off else 1, listed[0])], wanted)


def left_of(wanted: Wanted, quoted: Sequence[Fact], asked_before: Sequence[str]) -> Solved | None:
    """Return what is left of the amount that was told without those that a message says."""
    units = {one.unit for one in wanted.numbers} - {""}
    fitting = [one for one in quoted if units <= {one.amount.unit}]
    fact = _one_of(fitting, wanted, asked_before)
    taken = sum(one.value for one in wanted.numbers)
    if fact is None or taken > fact.amount.value:
        return None
    shown = [sum_value.plain_number(fact.amount.value, wanted.language)]
    shown += [sum_value.plain_number(one.value, wanted.language) for one in wanted.numbers]
    left = fact.amount._replace(value=fact.amount.value - taken)
    return Solved(Reckoned(" - ".join(shown), left), (fact,))


def together(
    wanted: Wanted, known: Sequence[Fact], told: Sequence[str], asked_before: Sequence[str]
) -> Solved | None:
    """Return the sum of the amounts that the last turns told, one each."""
    nothing = Wanted("", wanted.language, [], [])
    facts = []
    for text, asked in zip(told, asked_before, strict=True):
        quoted = [f for f in known if f.amount.unit in words.MONEY and f.sentence.text in text]
        if (fact := _one_of(quoted, nothing, [asked])) is None:
            return None
        facts.append(fact)
    apart = (
        len(facts) > 1 and len(set(facts)) == len(facts) and len({one.per for one in facts}) == 1
    )
    return sum_wishes.put_together([(1, one) for one in reversed(facts)], wanted) if apart else None


def _one_of(known: Sequence[Fact], wanted: Wanted, asked_before: Sequence[str]) -> Fact | None:
    """Return the one amount that was asked for: beside which most of those words stand that tell
    the amounts apart, of this message or of one before.
    """
    if len(known) == 1:
        return known[0] if known[0].sure else None
    for names in (wanted.names, *(sum_wishes.read(o, wanted.language).names for o in asked_before)):
        own = [sum(_begins(name, one.said) for name in names) for one in known]
        if known and max(own) and own.count(max(own)) == 1:
            fact = known[own.index(max(own))]
            return fact if fact.sure else None
    return None


def _begins(name: str, said: str) -> bool:
    return note_amounts.touches(name, said) or any(
        len(name) > _SHORTEST and one.startswith(name) for one in split_words(said)
    )


def _so_many(wanted: Wanted, fact: Fact) -> Solved | None:
    """Return the price of so many of what was told: “what do three of those cost?”, “so eight
    sacks would be?”
    """
    if len(wanted.numbers) != 1 or fact.amount.unit not in words.MONEY:
        return None
    count = wanted.numbers[0]
    behind = sum_wishes.names_in(wanted.text[count.end :], wanted.language, ())[:1]
    of_them = wanted.says("of_them") or count.unit == fact.per == "piece"
    if not of_them and not any(_begins(one, words.folded(fact.sentence.text)) for one in behind):
        return None
    told = note_amounts.language_of(fact.note, wanted.language)
    percents = (one for one in split_sentences(fact.note.content) if "%" in one.text)
    least = [n.value for one in percents for n in numbers.find(words.folded(one.text), told)]
    if count.unit not in ("", "piece", fact.per) or any(one <= count.value for one in least):
        return None  # with a discount from so many on
    return sum_wishes.times(fact, [("*", count.value)], wanted)


def of_period(wanted: Wanted, fact: Fact) -> Solved | None:
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


def reckoned_from(wanted: Wanted, fact: Fact) -> Solved | None:
    """Return what a message reckons with an amount, its own numbers being shares or factors."""
    found = sums.reckon(wanted.text, wanted.language, fact.amount) or sums.reckon(
        _without_names(wanted), wanted.language, fact.amount
    )
    own = sum_value.plain_number(fact.amount.value, wanted.language)
    return Solved(found, (fact,)) if found and fact.sure and own in found.shown else None


def _without_names(wanted: Wanted) -> str:
    text = wanted.text
    for name in wanted.names:
        text = text.replace(name, " ")
    return text


def in_proportion(wanted: Wanted, fact: Fact) -> Solved | None:
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
