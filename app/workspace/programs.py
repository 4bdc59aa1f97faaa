"""A pattern made ready to search texts for: RE2 programs over UTF-8, line by line, in pieces that no text and no pattern can make long."""

import functools
import time
import unicodedata
from collections.abc import Generator, Iterator
from typing import Any, Literal, NamedTuple

from app.errors import Invalid
from app.workspace import literals, patterns

Mode = Literal["literal", "regex"]
SECONDS = 2.0
SLICE_SECONDS = 0.03
MEMORY = 8 << 20
LONGEST_PIECE = 1 << 18
SHORTEST_PIECE = 1 << 9
STEPS_A_PIECE = 1 << 25
QUICK_SECONDS, SLOW_SECONDS = 0.004, 0.02
Pauses = Generator[None, None, tuple[int, int] | None]


class Hit(NamedTuple):
    """A line that matches: its number from 1, where it lies in the text in bytes, and where the match lies in the line, in characters."""

    line: int
    start: int
    end: int
    first: int
    last: int


class Program(NamedTuple):
    """A pattern: `loose` finds every line that could match, `exact` those of ASCII that do; `marked` judges the others when it is needed."""

    loose: Any
    exact: Any
    marked: Any
    needs: literals.Literals

    def judge(self, line: bytes) -> tuple[int, int] | None:
        """Give where a line matches, in characters."""
        if self.marked is None or line.isascii():
            found = self.exact.search(line)
            return found and (len(line[: found.start()].decode()), len(line[: found.end()].decode()))
        found = self.marked.search(with_marks(line.decode()).encode())
        return found and (len(found.string[: found.start()].decode()) // 3, len(found.string[: found.end()].decode()) // 3)


class Pace:
    """How long pieces may be so that each takes some milliseconds, and how much time is left."""

    def __init__(self, seconds: float) -> None:
        self.left = seconds
        self.piece = SHORTEST_PIECE * 8
        self._slice_began = self._worked = 0.0

    def begin_slice(self) -> None:
        """Begin to count time."""
        self._slice_began, self._worked = time.monotonic(), time.thread_time()

    def slice_over(self) -> bool:
        """Say whether others should have their turn."""
        return time.monotonic() > self._slice_began + SLICE_SECONDS

    def end_slice(self) -> None:
        """Take what this thread has worked in the slice off what is left; raise Invalid when nothing is."""
        self.left -= time.thread_time() - self._worked
        self.require(0.0)

    def require(self, seconds: float) -> None:
        """Raise Invalid when so much more time is not there."""
        if self.left < seconds:
            raise Invalid("pattern needs more than 2 seconds here; give a folder or a rarer pattern.", field="pattern")

    def took(self, seconds: float, size: int) -> None:
        """Learn from a piece of that size."""
        if seconds > SLOW_SECONDS:
            self.piece = max(SHORTEST_PIECE, size // 2)
        elif seconds < QUICK_SECONDS and size >= self.piece:
            self.piece = min(LONGEST_PIECE, 2 * self.piece)


@functools.lru_cache(maxsize=16)
def compiled(pattern: str, mode: Mode, *, case_sensitive: bool, groups: bool = False) -> Program:
    """Give the program for a pattern, `groups` with what its groups hold; raise Invalid with what RE2 has against it."""
    tree = _tree(pattern, mode, case_sensitive=case_sensitive)
    if tree is None:
        exact = _compile("(?m)" + pattern, case_sensitive=case_sensitive, groups=groups)
        return Program(exact, exact, None, literals.Literals(None, ()))
    compile_ = functools.partial(_compile, case_sensitive=case_sensitive, groups=groups)
    exact = compile_("(?m)" + patterns.written(tree))
    if not patterns.looks_at_words(tree):
        return Program(exact, exact, None, literals.required(tree))
    return Program(compile_("(?m)" + patterns.loosely(tree)), exact, compile_("(?m)" + patterns.marked(tree)), literals.required(tree))


def hits(program: Program, text: bytes, pace: Pace) -> Iterator[Hit | None]:
    """Give the lines of a text that match, in order, and None now and then, where it may be left for a while. Line ends are LF alone."""
    plain = program.marked is None or text.isascii()
    search, at, number, counted = program.exact if plain else program.loose, 0, 1, 0
    while (span := (yield from search_lines(search, text, at, pace))) is not None:
        start = text.rfind(b"\n", 0, span[0]) + 1
        end = text.find(b"\n", span[1])
        end = len(text) if end < 0 else end
        if start == len(text):
            return
        line = text[start:end]
        place = (_characters(line, span[0] - start), _characters(line, span[1] - start)) if plain else program.judge(line)
        if place is not None:
            number, counted = number + text.count(b"\n", counted, start), start
            yield Hit(number, start, end, *place)
        else:
            yield None
        at = end + 1


def search_lines(program: Any, text: bytes, at: int, pace: Pace) -> Pauses:
    """Give where a program first matches from `at` on, which is the start of a line; it is searched for in pieces of whole lines."""
    size = len(text)
    most = max(SHORTEST_PIECE, min(LONGEST_PIECE, STEPS_A_PIECE // program.programsize))
    while at < size:
        piece = min(pace.piece, most)
        end = text.find(b"\n", min(at + piece, size))
        end = size if end < 0 else end
        if end - at > 2 * piece:
            yield from _tried(program, text, (at, end), pace)
        begun = time.monotonic()
        found = program.search(text, at, end)
        pace.took(time.monotonic() - begun, end - at)
        if found is not None:
            return tuple(found.span())  # type: ignore[return-value]
        at = end + 1
        yield None
    return None


def with_marks(text: str) -> str:
    """Give a text with each character between two marks that say whether it is of a word."""
    return text.translate(_MARKS)


def joined_lines(text: bytes) -> bytes:
    """Give a text whose lines end in LF alone."""
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in text else text


def _tried(program: Any, text: bytes, line: tuple[int, int], pace: Pace) -> Generator[None, None, None]:
    """Look whether there is time for a line that is too long for one piece: try growing beginnings of it, whose times tell what the whole takes."""
    at, end = line
    size = pace.piece
    while at + size < end:
        begun = time.monotonic()
        if program.search(text, at, at + size) is not None:
            break
        pace.require(2 * (time.monotonic() - begun))
        size *= 2
        yield None


def _tree(pattern: str, mode: Mode, *, case_sensitive: bool) -> patterns.Choice | None:
    """Give the tree of a pattern, None when it is one that only RE2 can read."""
    if "\0" in pattern:
        raise Invalid("pattern must not hold a NUL character; no note does.", field="pattern")
    if mode == "literal":
        return patterns.literal(pattern, fold=not case_sensitive)
    try:
        tree = patterns.read(pattern, fold=not case_sensitive)
    except patterns.Unreadable:
        return None
    _compile(pattern, case_sensitive=case_sensitive, groups=False)  # for what RE2 says of the pattern as it was given
    return tree


def _compile(pattern: str, *, case_sensitive: bool, groups: bool) -> Any:
    import re2

    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = case_sensitive
    options.max_mem = MEMORY
    options.never_nl = True
    options.never_capture = not groups
    try:
        return re2.compile(pattern.encode(), options)
    except UnicodeEncodeError:
        raise Invalid("pattern holds half of a surrogate pair, which is no character.", field="pattern") from None
    except re2.error as error:
        reason = error.args[0].decode(errors="replace") if isinstance(error.args[0], bytes) else str(error.args[0])
        raise Invalid(f"pattern is not a regular expression that RE2 knows: {reason}.", field="pattern") from None
    finally:
        re2.purge()  # its own memory would keep a hundred programs, some of them megabytes large


def _characters(line: bytes, size: int) -> int:
    return size if line.isascii() else len(line[:size].decode())


class _Marks(dict[int, str]):
    def __missing__(self, code: int) -> str:
        character = chr(code)
        of_word = character == "_" or unicodedata.category(character)[0] in "LNM"
        before, after = patterns.WORD_MARKS if of_word else patterns.OTHER_MARKS
        self[code] = marked = f"{before}{character}{after}"
        return marked


_MARKS = _Marks()
