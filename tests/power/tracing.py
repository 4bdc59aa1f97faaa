"""Record what SQLite asks of the disk.

Each write, truncation, sync, creation and deletion, in order, by a layer between it and its own
file system.

The layer is made of the very functions of the SQLite that this process has, with a few of them
exchanged; it needs no compiler and no package. It can also let a call fail as a broken disk
would.
"""

import _sqlite3
import contextlib
import ctypes
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

OK = 0
OPEN_CREATE = 0x00000004
METHODS = ("close", "read", "write", "truncate", "sync")
POINTER = ctypes.sizeof(ctypes.c_void_p)
METHODS_SIZE = 8 + 18 * POINTER
VFS_SIZE = 3 * 4 + 4 + 3 * POINTER + 16 * POINTER
VFS_NAME, VFS_OPEN, VFS_DELETE = 16 + POINTER, 16 + 3 * POINTER, 16 + 4 * POINTER

File = ctypes.c_void_p
WRITE = ctypes.CFUNCTYPE(ctypes.c_int, File, ctypes.c_void_p, ctypes.c_int, ctypes.c_int64)
TRUNCATE = ctypes.CFUNCTYPE(ctypes.c_int, File, ctypes.c_int64)
SYNC = ctypes.CFUNCTYPE(ctypes.c_int, File, ctypes.c_int)
OPEN = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, File, ctypes.c_int, ctypes.c_void_p
)
DELETE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int)


class Event(NamedTuple):
    """Something that happened: `create`, `write`, `truncate`, `sync` or `delete` of a file, or
    what a server was asked and answered.
    """

    kind: str
    name: str
    offset: int = 0
    data: bytes = b""


Fails = Callable[[str, str], int]
"""Says with which error code of SQLite a call (its kind, the file's name) shall fail; 0 lets it
be done.
"""


class Tracer:
    """The layer while it is in place; `events` is what was recorded."""

    def __init__(self, *, fails: Fails = lambda kind, name: OK) -> None:
        self.events: list[Event] = []
        self._fails = fails
        self._names: dict[int, str] = {}
        self._patched: dict[int, Any] = {}
        self._kept: list[Any] = []
        library: Any = ctypes.CDLL(getattr(_sqlite3, "__file__", None))
        library.sqlite3_vfs_find.restype = ctypes.c_void_p
        library.sqlite3_vfs_register.argtypes = [ctypes.c_void_p, ctypes.c_int]
        library.sqlite3_vfs_unregister.argtypes = [ctypes.c_void_p]
        self._library = library
        below = library.sqlite3_vfs_find(None)
        self._vfs = ctypes.create_string_buffer(ctypes.string_at(below, VFS_SIZE), VFS_SIZE)
        self._title = ctypes.create_string_buffer(b"traced")
        self._put(self._vfs, VFS_NAME, ctypes.addressof(self._title))
        self._open = OPEN(_pointer(below, VFS_OPEN))
        self._delete = DELETE(_pointer(below, VFS_DELETE))
        for place, function in (
            (VFS_OPEN, OPEN(self._opened)),
            (VFS_DELETE, DELETE(self._deleted)),
        ):
            self._kept.append(function)
            self._put(self._vfs, place, ctypes.cast(function, ctypes.c_void_p).value or 0)

    @contextlib.contextmanager
    def in_place(self) -> Iterator["Tracer"]:
        """Stand between SQLite and the disk for every database that is opened while the block
        runs.
        """
        self._library.sqlite3_vfs_register(self._vfs, 1)
        try:
            yield self
        finally:
            self._library.sqlite3_vfs_unregister(self._vfs)

    def note(self, kind: str, name: str) -> None:
        """Record something else that happened at this moment."""
        self.events.append(Event(kind, name))

    def _opened(self, vfs: int, name: int | None, file: int, flags: int, out: int | None) -> int:
        text = Path(ctypes.string_at(name).decode()) if name else None
        fresh = text is not None and bool(flags & OPEN_CREATE) and not text.exists()
        code: int = self._open(vfs, name, file, flags, out)
        methods = _pointer(file, 0)
        if code == OK and methods and text is not None:
            self._names[file] = text.name
            if fresh:
                self.note("create", text.name)
            ctypes.c_void_p.from_address(file).value = ctypes.addressof(self._of(methods))
        return code

    def _deleted(self, vfs: int, name: bytes, synced: int) -> int:
        code: int = self._delete(vfs, name, synced)
        if code == OK:
            self.events.append(Event("delete", Path(name.decode()).name, synced))
        return code

    def _of(self, methods: int) -> Any:
        """Give the methods of a file with those exchanged that change it."""
        if methods in self._patched:
            return self._patched[methods]
        table = ctypes.create_string_buffer(ctypes.string_at(methods, METHODS_SIZE), METHODS_SIZE)
        write, truncate, sync = (
            kind(_pointer(methods, 8 + POINTER * METHODS.index(name))) for kind, name in _CHANGING
        )

        def written(file: int, data: int, size: int, offset: int) -> int:
            if code := self._fails("write", self._names[file]):
                return code
            self.events.append(
                Event("write", self._names[file], offset, ctypes.string_at(data, size))
            )
            return int(write(file, data, size, offset))

        def truncated(file: int, size: int) -> int:
            if code := self._fails("truncate", self._names[file]):
                return code
            self.events.append(Event("truncate", self._names[file], size))
            return int(truncate(file, size))

        def synced(file: int, flags: int) -> int:
            code = self._fails("sync", self._names[file]) or int(sync(file, flags))
            if code == OK:
                self.note("sync", self._names[file])
            return code

        for (kind, name), function in zip(_CHANGING, (written, truncated, synced), strict=True):
            made = kind(function)
            self._kept.append(made)
            self._put(
                table,
                8 + POINTER * METHODS.index(name),
                ctypes.cast(made, ctypes.c_void_p).value or 0,
            )
        self._patched[methods] = self._patched[ctypes.addressof(table)] = table
        return table

    @staticmethod
    def _put(buffer: Any, offset: int, value: int) -> None:
        ctypes.c_void_p.from_buffer(buffer, offset).value = value


_CHANGING: tuple[tuple[Any, str], ...] = ((WRITE, "write"), (TRUNCATE, "truncate"), (SYNC, "sync"))


def _pointer(base: int, offset: int) -> int:
    return ctypes.c_void_p.from_address(base + offset).value or 0
