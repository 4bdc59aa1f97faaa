"""A pattern made ready to search texts for.

RE2 programs over UTF-8, line by line, in pieces that no text and no pattern can make long.
"""

import bisect
import functools
import itertools
import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

import msgspec

from app.errors import Invalid
from app.workspace.search.grep import literals, regex_patterns
from app.workspace.search.grep.regex_patterns import Token

Mode = Literal["literal", "regex"]
SECONDS = 2.0
SLICE_SECONDS = 0.03
MEMORY = 3 << 20
SMALL_PROGRAM = 3_000
LONGEST_PIECE = 1 << 18
SHORTEST_PIECE = 1 << 9
STEPS_A_PIECE = 1 << 25
HITS_BETWEEN_PAUSES = 64
MOST_TRIES = 20_000
QUICK_SECONDS, SLOW_SECONDS = 0.004, 0.02


class Hit(msgspec.Struct, frozen=True):
    """A line that matches: its number from 1, where it lies in the text in bytes, and where the
    match lies in the line, in characters.
    """

    line: int
    start: int
    end: int
    first: int
    last: int


class Program(msgspec.Struct, frozen=True):
    """A pattern: `exact` matches what it means, `widened` finds every line that could match.

    `exact` is wrong about word boundaries beyond ASCII; there `marked` judges, None for a pattern
    that looks at no words. `widened` is `exact` itself where that is small and looks at no words.
    """

    exact: Any
    widened: Any
    marked: Any
    needs: literals.Literals

    def match_line(self, line: bytes) -> tuple[int, int] | None:
        """Return where a line matches, in characters."""
        if self.marked is not None and not line.isascii():
            return _match_marked_line(self.marked, put_marks_between(line.decode()).encode())
        found = self.exact.search(line)
        return found and (
            _count_characters(line, 0, found.start()),
            _count_characters(line, 0, found.end()),
        )


class TimeBudget:
    """How long pieces may be so that each takes some milliseconds, and how much time is left."""

    def __init__(self, seconds: float) -> None:
        self.left = seconds
        self.piece = SHORTEST_PIECE * 8
        self._slice_began = self._worked = 0.0

    def begin_slice(self) -> None:
        """Begin to count time."""
        self._slice_began, self._worked = time.monotonic(), time.thread_time()

    def is_slice_over(self) -> bool:
        """Return whether others should have their turn."""
        return time.monotonic() > self._slice_began + SLICE_SECONDS

    def end_slice(self) -> None:
        """Take the slice off what is left, by what this thread has worked, or half the time if
        that is more; raise Invalid when nothing is left.
        """
        # Waiting for a processor is no fault of the pattern; half of it counts, or a busy machine
        # would let a search go on for long.
        self.left -= max(
            time.thread_time() - self._worked, (time.monotonic() - self._slice_began) / 2
        )
        self._require(self.left)

    def require(self, seconds: float) -> None:
        """Raise Invalid when so much more time will not be there."""
        self._require(self.left - (time.monotonic() - self._slice_began) - seconds)

    def _require(self, left: float) -> None:
        if left < 0:
            raise _too_slow_error()

    def learn(self, seconds: float, size: int) -> None:
        """Learn from a piece of that size."""
        if seconds > SLOW_SECONDS:
            self.piece = max(SHORTEST_PIECE, size // 2)
        elif seconds < QUICK_SECONDS and size >= self.piece:
            self.piece = min(LONGEST_PIECE, 2 * self.piece)


# 10 milliseconds for a pattern with Unicode classes; page after page asks for the same.
@functools.lru_cache(maxsize=16)
def compile_program(
    pattern: str, mode: Mode, *, case_sensitive: bool, groups: bool = False
) -> Program:
    """Return the program for a pattern, `groups` with what its groups hold.

    Raise Invalid with what RE2 has against it.
    """
    tokens = _tokens(pattern, mode, case_sensitive=case_sensitive)
    compile_ = functools.partial(_compile, case_sensitive=case_sensitive, groups=groups)
    exact = compile_("(?m)" + regex_patterns.written(tokens))
    marked = (
        compile_("(?m)" + regex_patterns.marked(tokens))
        if regex_patterns.looks_at_words(tokens)
        else None
    )
    widened = (
        exact
        if marked is None and exact.programsize <= SMALL_PROGRAM
        else compile_("(?m)" + regex_patterns.widened(tokens, _ascii_members))
    )
    return Program(exact, widened, marked, literals.required_literals(tokens))


class Texts:
    """Texts that are searched as if they were one, since most hold nothing and each search costs
    something; LF stands between them.

    Their lines end in LF alone; where others did, the texts are changed.
    """

    def __init__(self, whole: bytes, sizes: Callable[[], Sequence[int]]) -> None:
        self.whole = whole
        self._sizes = sizes
        if b"\r" in whole:
            parts = [
                self[which].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
                for which in range(len(self.starts) - 1)
            ]
            self.whole = b"\n".join(parts)
            self._sizes = lambda: [len(part) for part in parts]
            del self.starts

    @functools.cached_property
    def starts(self) -> list[int]:
        """Where each text begins in the whole, and where one more would."""
        return list(itertools.accumulate((size + 1 for size in self._sizes()), initial=0))

    def __getitem__(self, which: int) -> bytes:
        return self.whole[self.starts[which] : self.starts[which + 1] - 1]


def join_texts(contents: Sequence[bytes]) -> Texts:
    """Return texts as they are searched."""
    return Texts(b"\n".join(contents), lambda: [len(content) for content in contents])


def find_hits(
    program: Program, texts: Texts, budget: TimeBudget
) -> Iterator[tuple[int, Hit] | None]:
    """Return the lines that match, in order, each with the place of its text among all.

    None now and then, where it may be left for a while.
    """
    whole = texts.whole
    small = program.exact.programsize <= SMALL_PROGRAM
    search = program.exact if small and whole.isascii() else program.widened
    which, line, counted, base, limit = -1, 1, 0, 0, 0
    for place in _matching_lines(search, whole, budget):
        if place is None:
            yield None
            continue
        start, end, first, last = place
        if start >= limit:
            which = bisect.bisect_right(texts.starts, start) - 1
            base, limit = texts.starts[which : which + 2]
            line, counted = 1, base
        if start == limit - 1 and (start == base or whole[start - 1] == 10):
            continue  # what follows the last end of a line is no line when it is empty
        matched: tuple[int, int] | None
        if search is program.exact or (program.marked is None and whole[start:end].isascii()):
            matched = _count_characters(whole, start, first), _count_characters(whole, start, last)
        else:
            # RE2 cannot be interrupted, so a line that is long is tried in growing pieces first.
            if end - start > 2 * budget.piece:
                yield from _check_long_line(program.exact, whole, (start, end), budget)
            matched = program.match_line(whole[start:end])
        if matched is None:
            yield None
            continue
        line, counted = line + whole.count(b"\n", counted, start), start
        yield which, Hit(line, start - base, end - base, *matched)


def _matching_lines(
    program: Any, text: bytes, budget: TimeBudget
) -> Iterator[tuple[int, int, int, int] | None]:
    """Return where the lines lie that match and where their first matches do.

    None after each piece of whole lines that was searched.
    """
    size, at, number = len(text), 0, 0
    most = max(SHORTEST_PIECE, min(LONGEST_PIECE, STEPS_A_PIECE // program.programsize))
    while at < size:
        piece = min(budget.piece, most)
        stop = text.find(b"\n", at + piece) if at + piece < size else -1
        stop = size if stop < 0 else stop
        if stop - at > 2 * piece:
            yield from _check_long_line(program, text, (at, stop), budget)
        begun, from_ = time.monotonic(), at
        found = program.search(text, at, stop)
        budget.learn(time.monotonic() - begun, stop - from_)
        while found is not None:
            first, last = found.span()
            start = text.rfind(b"\n", at, first) + 1 or at
            end = text.find(b"\n", last, stop)
            end = stop if end < 0 else end
            yield start, end, first, last
            at = end + 1
            if (number := number + 1) % HITS_BETWEEN_PAUSES == 0:
                yield None
            found = program.search(text, at, stop) if at <= stop and at < size else None
        at = stop + 1
        yield None


def put_marks_between(text: str) -> str:
    """Return a text with each character between two marks that say whether it is of a word."""
    return text.translate(_MARKS)


def _match_marked_line(marked: Any, line: bytes) -> tuple[int, int] | None:
    """Return where a line between marks matches, in characters of the line without them.

    An empty match can lie between a mark and its character, where there is no place in the line;
    then the search goes on behind it.
    """
    at = 0
    for _ in range(MOST_TRIES):
        found = marked.search(line, at)
        if found is None:
            return None
        start, end = found.span()
        if start in (0, len(line)) or (line[start - 1] in b"1\x02" and line[start] in b"0\x01"):
            return len(line[:start].decode()) // 3, len(line[:end].decode()) // 3
        at = start + 1
    raise _too_slow_error()


def _too_slow_error() -> Invalid:
    return Invalid(
        "pattern needs more than 2 seconds here; give a folder or a rarer pattern.", field="pattern"
    )


def _check_long_line(
    program: Any, text: bytes, line: tuple[int, int], budget: TimeBudget
) -> Iterator[None]:
    """Check whether there is time for a line that is too long for one piece.

    Try growing beginnings of it, whose times tell what the whole takes.
    """
    at, end = line
    size = budget.piece
    while at + size < end:
        begun = time.monotonic()
        if program.search(text, at, at + size) is not None:
            break
        budget.require(2 * (time.monotonic() - begun))
        size *= 2
        yield None


def _tokens(pattern: str, mode: Mode, *, case_sensitive: bool) -> list[Token]:
    """Return the tokens of a pattern. Raise Invalid with what RE2 has against it."""
    if "\0" in pattern:
        raise Invalid("pattern must not hold a NUL character; no note does.", field="pattern")
    if mode == "literal":
        return regex_patterns.literal_tree(pattern, fold=not case_sensitive)
    _compile(pattern, case_sensitive=case_sensitive, groups=False)
    return regex_patterns.parse_regex(pattern, fold=not case_sensitive)


@functools.lru_cache(maxsize=512)
def _ascii_members(char: Token) -> str:
    """Return the ASCII characters that one may be, as the inside of a class."""
    program = _compile(char.source, case_sensitive=not char.fold, groups=False)
    return "".join(
        f"\\x{{{code:X}}}" for code in range(128) if program.fullmatch(bytes([code])) is not None
    )


def _compile(pattern: str, *, case_sensitive: bool, groups: bool) -> Any:
    import re2

    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = case_sensitive
    # RE2 refuses a larger program: a short pattern of counted repeats may need gigabytes.
    options.max_mem = MEMORY
    options.never_nl = True
    options.never_capture = not groups
    try:
        return re2.compile(pattern.encode(), options)
    except UnicodeEncodeError:
        raise Invalid(
            "pattern holds half of a surrogate pair, which is no character.", field="pattern"
        ) from None
    except re2.error as error:
        said = error.args[0]
        reason = said.decode(errors="replace") if isinstance(said, bytes) else str(said)
        raise Invalid(regex_patterns.explain_refusal(reason), field="pattern") from None
    finally:
        re2.purge()  # its own memory would keep a hundred programs, some of them megabytes large


def _count_characters(text: bytes, start: int, end: int) -> int:
    """Return how many characters lie between two places."""
    part = text[start:end]
    return end - start if part.isascii() else len(part.decode(errors="ignore"))


class _Marks(dict[int, str]):
    def __missing__(self, code: int) -> str:
        character = chr(code)
        of_word = character == "_" or unicodedata.category(character)[0] in "LNM"
        before, after = regex_patterns.WORD_MARKS if of_word else regex_patterns.OTHER_MARKS
        self[code] = marked = f"{before}{character}{after}"
        return marked


_MARKS = _Marks()
