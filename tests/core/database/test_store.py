"""The store: all or nothing, whoever hangs up, whatever fails, however full the disk is."""

import asyncio
import gc
import random
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.database import sqlite_setup, upkeep
from app.core.database.events import Events
from app.core.database.readers import READERS
from app.core.database.store import Store, open_store
from app.core.database.tx import Tx, utc_now
from app.core.database.writer import BATCH
from app.core.process.background_tasks import Tasks, shielded
from app.errors import NotFound, StorageFull, Unavailable
from app.settings import Settings

pytestmark = pytest.mark.anyio

UNSYNCED = Settings(durability="normal")
TABLE = "CREATE TABLE marks (id INTEGER PRIMARY KEY, who TEXT NOT NULL, body TEXT)"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "marks.db"
    make(file)
    return file


@pytest.fixture
async def store(path: Path) -> AsyncIterator[Store]:
    async with open_store(path) as opened:
        yield opened


def make(file: Path) -> None:
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute(TABLE)
    connection.close()


def mark(tx: Tx, who: str, body: str | None = None) -> str:
    tx.run("INSERT INTO marks (who, body) VALUES (:who, :body)", who=who, body=body)
    return who


def mark_and_fail(tx: Tx, who: str) -> None:
    mark(tx, who)
    raise ValueError(who)


def fail(tx: Tx, who: str) -> None:
    raise ValueError(who)


def marks(tx: Tx) -> list[str]:
    return [row["who"] for row in tx.all("SELECT who FROM marks ORDER BY id")]


def on_disk(path: Path) -> list[str]:
    """What another process sees."""
    connection = sqlite3.connect(path)
    try:
        return [row[0] for row in connection.execute("SELECT who FROM marks ORDER BY id")]
    finally:
        connection.close()


async def on_writer(store: Store, function: Callable[[sqlite3.Connection], Any]) -> Any:
    """Do something to the writer's connection that no transaction may do."""
    return await store._writer.connection.start(function)


async def traced(store: Store) -> list[str]:
    """Give the list into which every statement of the writer will come."""
    statements: list[str] = []
    await on_writer(store, lambda connection: connection.set_trace_callback(statements.append))
    return statements


def grown(path: Path, size: int) -> None:
    while path.stat().st_size < size:
        time.sleep(0.01)


async def hurry(rounds: int) -> None:
    for _ in range(rounds):
        await asyncio.sleep(0)


async def test_a_storm_of_cancelled_writes_leaves_none_half_written_and_loses_no_answered_one(
    store: Store, path: Path
) -> None:
    chance = random.Random(20)

    def three(tx: Tx, who: str) -> str:
        for _ in range(3):
            mark(tx, who)
        return who

    answered: set[str] = set()
    cancelled = 0
    for wave in range(20):
        tasks = [
            asyncio.create_task(store.write(three, f"{wave}.{number}")) for number in range(100)
        ]
        for task in tasks:
            await hurry(chance.randrange(3))
            if chance.random() < 0.3:
                task.cancel()
        for result in await asyncio.gather(*tasks, return_exceptions=True):
            assert isinstance(result, str | asyncio.CancelledError)
            cancelled += isinstance(result, asyncio.CancelledError)
            answered |= {result} if isinstance(result, str) else set()
    assert 20 < cancelled < 900  # some 600 where commits are slow, fewer in a folder of memory
    assert await asyncio.wait_for(store.write(mark, "after"), 5) == "after"
    counted = Counter(on_disk(path))
    assert counted.pop("after") == 1
    assert set(counted.values()) == {3}
    assert answered <= set(counted)


async def test_each_answer_comes_after_its_commit(store: Store, path: Path) -> None:
    async def one(who: str) -> bool:
        await store.write(mark, who)
        return who in await asyncio.to_thread(on_disk, path)

    assert all(await asyncio.gather(*(one(str(number)) for number in range(40))))


@pytest.mark.parametrize(("writes", "commits"), [(1, 1), (50, 1), (BATCH, 1), (1 + BATCH, 2)])
async def test_writes_that_wait_together_share_one_commit(
    store: Store, writes: int, commits: int
) -> None:
    statements = await traced(store)
    await asyncio.gather(*(store.write(mark, str(number)) for number in range(writes)))
    assert statements.count("COMMIT") == commits
    assert statements.count("BEGIN IMMEDIATE") == commits
    assert len(store.quick(marks)) == writes


async def test_a_write_whose_asker_left_before_its_turn_is_not_run(store: Store) -> None:
    first = asyncio.create_task(store.write(mark, "first"))
    gone = [
        asyncio.create_task(store.write(mark, f"gone {number}")) for number in range(BATCH + 10)
    ]
    last = asyncio.create_task(store.write(mark, "last"))
    await hurry(1)
    for task in gone:
        task.cancel()
    await asyncio.gather(first, last)
    assert store.quick(marks) == ["first", "last"]


async def test_a_write_that_fails_after_a_change_takes_nobody_with_it(store: Store) -> None:
    statements = await traced(store)
    jobs = [
        (mark, "a"),
        (mark, "b"),
        (mark_and_fail, "bad"),
        (mark, "c"),
        (fail, "idle"),
        (mark, "d"),
    ]
    results = await asyncio.gather(
        *(store.write(function, who) for function, who in jobs), return_exceptions=True
    )
    assert [str(result) for result in results] == [who for _, who in jobs]
    assert [type(result) for result in results] == [str, str, ValueError, str, ValueError, str]
    assert sorted(store.quick(marks)) == ["a", "b", "c", "d"]
    assert "SAVEPOINT part" in statements


async def test_a_write_that_fails_before_any_change_costs_no_savepoint(store: Store) -> None:
    statements = await traced(store)
    results = await asyncio.gather(
        store.write(mark, "a"),
        store.write(fail, "x"),
        store.write(mark, "b"),
        return_exceptions=True,
    )
    assert isinstance(results[1], ValueError)
    assert store.quick(marks) == ["a", "b"]
    assert not [sql for sql in statements if "SAVEPOINT" in sql or "ROLLBACK" in sql]


async def test_a_failed_write_leaves_the_store_open_for_the_next(store: Store) -> None:
    for number in range(5):
        with pytest.raises(ValueError, match=f"bad {number}"):
            await store.write(mark_and_fail, f"bad {number}")
        await store.write(mark, f"good {number}")
    assert store.quick(marks) == [f"good {number}" for number in range(5)]


class Dropped(Exception):
    """What a part raises that its surroundings catch."""


Step = str | tuple[bool, list[Any]]
"""A mark, or a part: whether it fails at its end, and its steps."""

steps = st.recursive(
    st.lists(st.sampled_from(["m", "e"]), max_size=3),
    lambda inner: st.lists(st.one_of(st.just("m"), st.tuples(st.booleans(), inner)), max_size=4),
)


def play(tx: Tx, script: list[Step]) -> None:
    for step in script:
        if step == "m":
            mark(tx, "m")
        elif step == "e":
            tx.emit("heard")
        else:
            play_part(tx, fails=step[0], script=list(step[1]))


def play_part(tx: Tx, *, fails: bool, script: list[Step]) -> None:
    try:
        with tx.savepoint():
            play(tx, script)
            drop_if(fails)
    except Dropped:
        return


def drop_if(fails: bool) -> None:
    if fails:
        raise Dropped


def expected(script: list[Step]) -> Counter[str]:
    """How many marks and events a script leaves when failed parts count for nothing."""
    found: Counter[str] = Counter()
    for step in script:
        if isinstance(step, str):
            found[step] += 1
        elif not step[0]:
            found += expected(list(step[1]))
    return found


@settings(max_examples=80, derandomize=True, deadline=None)
@given(script=steps, beside=st.sampled_from([mark, mark_and_fail, fail]))
def test_a_part_that_fails_is_undone_with_its_events_and_nothing_else_is(
    tmp_path_factory: pytest.TempPathFactory, script: list[Step], beside: Callable[[Tx, str], Any]
) -> None:
    path = tmp_path_factory.mktemp("parts") / "marks.db"
    make(path)
    heard: list[Any] = []
    events = Events()
    events.on("heard", heard.append)

    async def run() -> list[str]:
        async with open_store(path, settings=UNSYNCED, events=events) as store:
            await asyncio.gather(
                store.write(mark, "first"),
                store.write(play, script),
                store.write(beside, "beside"),
                return_exceptions=True,
            )
            return store.quick(marks)

    left = Counter(asyncio.run(run()))
    wanted = expected(script)
    assert (left["m"], len(heard)) == (wanted["m"], wanted["e"])
    assert (left["first"], left["beside"]) == (1, int(beside is mark))


async def test_events_are_heard_after_the_commit_and_only_of_writes_that_were_committed(
    path: Path,
) -> None:
    heard: list[tuple[str, bool]] = []
    events = Events()
    events.on(
        "marked", lambda payload: heard.append((payload["who"], payload["who"] in on_disk(path)))
    )

    def tell(tx: Tx, who: str, broken: bool) -> None:
        tx.emit("marked", who=who)
        mark(tx, who)
        if broken:
            raise ValueError

    async with open_store(path, events=events) as store:
        await asyncio.gather(
            *(store.write(tell, str(number), number % 3 == 1) for number in range(9)),
            return_exceptions=True,
        )
    assert heard == [(str(number), True) for number in range(9) if number % 3 != 1]


async def test_an_event_is_heard_even_if_its_asker_left(store: Store) -> None:
    heard: list[Any] = []
    store.events.on("marked", heard.append)
    begun, go_on = threading.Event(), threading.Event()

    def slow(tx: Tx) -> None:
        begun.set()
        assert go_on.wait(5)
        mark(tx, "slow")
        tx.emit("marked", who="slow")

    task = asyncio.create_task(store.write(slow))
    await asyncio.to_thread(begun.wait, 5)
    task.cancel()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    await store.write(mark, "next")
    assert (heard, store.quick(marks)) == ([{"who": "slow"}], ["slow", "next"])


async def test_a_listener_that_fails_harms_neither_the_write_nor_the_next_listener(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[Any] = []

    def broken(_: Any) -> None:
        raise RuntimeError("deaf")

    store.events.on("marked", broken)
    store.events.on("marked", heard.append)

    def tell(tx: Tx) -> str:
        tx.emit("marked")
        return mark(tx, "told")

    assert await store.write(tell) == "told"
    assert heard == [{}]
    assert "a listener of marked failed" in caplog.text


async def test_a_read_that_writes_is_refused_by_the_database(store: Store) -> None:
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        await store.read(mark, "no")
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        store.quick(mark, "no")
    assert await store.read(marks) == store.quick(marks) == []


async def test_a_read_sees_one_state_though_others_write_meanwhile(store: Store) -> None:
    looked, written = threading.Event(), threading.Event()

    def twice(tx: Tx) -> tuple[int, int]:
        before = len(marks(tx))
        looked.set()
        assert written.wait(5)
        return before, len(marks(tx))

    reading = asyncio.create_task(store.read(twice))
    await asyncio.to_thread(looked.wait, 5)
    await store.write(mark, "meanwhile")
    written.set()
    assert await reading == (0, 0)
    assert await store.read(twice) == (1, 1)


async def test_a_quick_read_sees_one_state_though_others_write_meanwhile(
    store: Store, path: Path
) -> None:
    def twice(tx: Tx) -> tuple[int, int]:
        before = len(marks(tx))
        visitor = sqlite3.connect(path)
        visitor.execute("INSERT INTO marks (who) VALUES ('visitor')")
        visitor.commit()
        visitor.close()
        return before, len(marks(tx))

    assert store.quick(twice) == (0, 0)
    assert store.quick(marks) == ["visitor"]


async def test_a_failing_read_leaves_its_connection_usable(store: Store) -> None:
    for _ in range(2 * READERS):
        with pytest.raises(ValueError, match="x"):
            await store.read(fail, "x")
        with pytest.raises(ValueError, match="x"):
            store.quick(fail, "x")
    assert await store.read(marks) == store.quick(marks) == []


async def test_cancelled_reads_use_up_no_reader(store: Store) -> None:
    chance = random.Random(4)
    for _ in range(60):
        tasks = [asyncio.create_task(store.read(marks)) for _ in range(5)]
        await hurry(chance.randrange(6))
        for task in chance.sample(tasks, 3):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    together = threading.Barrier(READERS)
    met = await asyncio.gather(*(store.read(lambda _: together.wait(5)) for _ in range(READERS)))
    assert sorted(met) == list(range(READERS))
    assert len(store._readers._connected) == READERS


async def test_closing_finishes_the_writes_that_were_asked_for(path: Path) -> None:
    async with open_store(path) as store:
        tasks = [asyncio.create_task(store.write(mark, str(number))) for number in range(2 * BATCH)]
        await hurry(1)
    assert [await task for task in tasks] == on_disk(path)
    assert len(tasks) == 2 * BATCH


async def test_a_closed_store_refuses_instead_of_keeping_its_asker_waiting(path: Path) -> None:
    async with open_store(path) as store:
        await store.write(mark, "in time")
        await store.read(marks)
    for late in (store.write(mark, "late"), store.read(marks)):
        with pytest.raises(Unavailable):
            await asyncio.wait_for(late, 5)
    with pytest.raises(Unavailable):
        store.quick(marks)
    assert on_disk(path) == ["in time"]


async def test_closing_folds_the_journal_into_the_file(path: Path) -> None:
    async with open_store(path) as store:
        await store.write(mark, "kept")
        assert path.with_name(path.name + "-wal").exists()
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert on_disk(path) == ["kept"]


async def test_the_journal_is_folded_back_when_nobody_writes(store: Store, path: Path) -> None:
    await store.write(mark, "large", "x" * (2 * upkeep.CHECKPOINT_BYTES))
    await asyncio.wait_for(asyncio.to_thread(grown, path, 2 * upkeep.CHECKPOINT_BYTES), 10)


async def test_a_large_journal_is_begun_anew_though_writes_never_pause(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "RESTART_BYTES", 1 << 20)
    journal = path.with_name(path.name + "-wal")
    for number in range(40):
        await store.write(mark, str(number), "x" * (1 << 18))
    assert journal.stat().st_size < 5 << 20
    assert len(store.quick(marks)) == 40


async def test_a_full_disk_refuses_the_write_and_nothing_else(store: Store, path: Path) -> None:
    await store.write(mark, "before")
    full = await on_writer(
        store, lambda connection: connection.execute("PRAGMA page_count").fetchone()[0]
    )
    await on_writer(
        store, lambda connection: connection.execute(f"PRAGMA max_page_count={full + 2}").fetchone()
    )
    for _ in range(3):
        with pytest.raises(StorageFull):
            await store.write(mark, "too much", "x" * 100_000)
        assert await store.read(marks) == store.quick(marks) == ["before"]
    await on_writer(
        store, lambda connection: connection.execute("PRAGMA max_page_count=1000000").fetchone()
    )
    await store.write(mark, "after", "x" * 100_000)
    assert on_disk(path) == ["before", "after"]


async def test_on_a_full_disk_what_was_answered_is_there_and_what_was_refused_is_not(
    store: Store, path: Path
) -> None:
    await on_writer(
        store, lambda connection: connection.execute("PRAGMA max_page_count=20").fetchone()
    )
    results = await asyncio.gather(
        *(store.write(mark, str(number), "x" * 9_000) for number in range(30)),
        return_exceptions=True,
    )
    refused = [result for result in results if not isinstance(result, str)]
    assert refused
    assert {type(result) for result in refused} == {StorageFull}
    assert on_disk(path) == [result for result in results if isinstance(result, str)]
    assert sqlite3.connect(path).execute("PRAGMA integrity_check").fetchone() == ("ok",)


async def test_a_failing_disk_is_told_as_unavailable(store: Store) -> None:
    def broken(tx: Tx) -> None:
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode = sqlite3.SQLITE_IOERR_WRITE
        raise error

    await store.write(mark, "before")
    for write in (broken, lambda tx: mark(tx, "next")):
        with pytest.raises(Unavailable, match="restarted"):
            await store.write(write)
    assert store.health.report(full=False).state == "failing"
    assert await store.read(marks) == store.quick(marks) == ["before"]


async def test_a_store_whose_disk_failed_leaves_the_journal_to_the_next_start(path: Path) -> None:
    """Pages of a sync that failed may be lost though they look written, so the journal, which
    has them too, must stay.
    """

    def broken(tx: Tx) -> None:
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode = sqlite3.SQLITE_IOERR_FSYNC
        raise error

    async with open_store(path) as store:
        await store.write(mark, "answered")
        with pytest.raises(Unavailable):
            await store.write(broken)
    assert path.with_name(path.name + "-wal").stat().st_size > 0
    assert on_disk(path) == ["answered"]


async def test_an_error_inside_the_commit_is_told_to_all_and_stores_nothing(
    store: Store, path: Path
) -> None:
    await store.write(
        lambda tx: tx.run(
            "CREATE TABLE debts (id INTEGER PRIMARY KEY, mark_id INTEGER NOT NULL "
            "REFERENCES marks DEFERRABLE INITIALLY DEFERRED)"
        )
    )

    def owe(tx: Tx) -> None:
        tx.run("INSERT INTO debts (mark_id) VALUES (404)")

    waiting = [store.write(mark, "first"), store.write(mark, "beside"), store.write(owe)]
    results = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(result) for result in results] == [sqlite3.IntegrityError] * 3
    assert on_disk(path) == []
    assert await asyncio.wait_for(store.write(mark, "next"), 5) == "next"


async def test_all_of_a_transaction_has_one_moment(store: Store) -> None:
    def moments(tx: Tx) -> set[str]:
        return {tx.now for _ in range(1000)}

    assert len(await store.write(moments)) == len(await store.read(moments)) == 1


async def test_idle_work_that_fails_is_told_once_and_tried_again_after_the_next_write(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "IDLE_SECONDS", 0.001)
    told: list[str] = []
    tried = asyncio.Semaphore(0)
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: told.append(context["message"]))

    def work(tx: Tx) -> bool:
        mark(tx, "half")
        loop.call_soon_threadsafe(tried.release)
        raise ValueError

    store.idle_work.append(work)
    for number in range(1, 4):
        await store.write(mark, "whole")
        await asyncio.wait_for(tried.acquire(), 5)
        await asyncio.sleep(0.05)  # time enough for many more tries, if there were any
        assert told == ["the idle work failed"] * number
    assert store.quick(marks) == ["whole"] * 3


async def test_a_store_that_is_closed_while_its_askers_leave_still_closes(path: Path) -> None:
    store = Store(path, settings=UNSYNCED, clock=utc_now, events=Events())
    await store.open()
    askers = [asyncio.ensure_future(store.write(mark, str(number))) for number in range(5)]
    await asyncio.sleep(0)
    for asker in askers:
        asker.cancel()
    await asyncio.wait_for(store.close(), 5)


async def test_pages_that_nothing_uses_go_back_to_the_disk(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "IDLE_SECONDS", 0.001)
    async with open_store(data / "hearth.db", settings=UNSYNCED) as store:
        await store.write(lambda tx: tx.run("CREATE TABLE large (text TEXT)"))
        await store.write(
            lambda tx: tx.run(
                "INSERT INTO large SELECT zeroblob(1000000) FROM json_each('[1,2,3,4,5,6,7,8,9]')"
            )
        )
        await store.write(lambda tx: tx.run("DELETE FROM large"))
        for _ in range(500):
            if store.quick(lambda tx: tx.value("PRAGMA freelist_count")) <= sqlite_setup.TRIM_PAGES:
                break
            await asyncio.sleep(0.01)
        assert store.quick(lambda tx: tx.value("PRAGMA freelist_count")) <= sqlite_setup.TRIM_PAGES


async def test_a_reader_that_is_being_opened_when_its_asker_leaves_is_closed_with_the_store(
    path: Path,
) -> None:
    others = set(threading.enumerate())
    store = Store(path, settings=UNSYNCED, clock=utc_now, events=Events())
    await store.open()
    before = threading.active_count()
    asker = asyncio.ensure_future(store.read(lambda tx: tx.value("SELECT 1")))
    while threading.active_count() == before:  # noqa: ASYNC110 - a thread's beginning sets no event
        await asyncio.sleep(0)
    asker.cancel()
    await asyncio.wait_for(store.close(), 5)
    left = [
        thread
        for thread in threading.enumerate()
        if "_connection_worker_thread" in thread.name and thread not in others
    ]
    for thread in left:
        await asyncio.to_thread(
            thread.join, 5
        )  # one that was told to end may need a moment; one that was lost never ends
    assert not [thread for thread in left if thread.is_alive()]


@pytest.fixture
async def complaints() -> AsyncIterator[list[dict[str, Any]]]:
    """What the loop complains of, with what was left unheard until the end of the test."""
    heard: list[dict[str, Any]] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: heard.append(context))
    yield heard
    loop.set_exception_handler(None)


@pytest.mark.parametrize(
    ("failure", "told"), [(NotFound("There is no such note."), 0), (ValueError("a fault"), 1)]
)
async def test_a_refusal_whose_asker_has_left_is_no_news_and_a_fault_is(
    store: Store, complaints: list[dict[str, Any]], failure: Exception, told: int
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def refuse(_: Tx) -> None:
        begun.set()
        go_on.wait(5)
        raise failure

    asker = asyncio.create_task(store.read(refuse))
    await asyncio.to_thread(begun.wait, 5)
    asker.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asker
    go_on.set()
    together = threading.Barrier(READERS)
    await asyncio.gather(
        *(store.read(lambda _: together.wait(5)) for _ in range(READERS))
    )  # so that no thread holds what it did before
    del asker
    gc.collect()
    assert [context["message"] for context in complaints] == ["a background task failed"] * told


async def test_a_refusal_of_a_task_that_goes_on_by_itself_is_not_told_to_the_log(
    complaints: list[dict[str, Any]],
) -> None:
    tasks = Tasks()

    async def refuse(error: Exception) -> None:
        raise error

    for error in (
        NotFound("There is no such note."),
        StorageFull("The disk is full."),
        ValueError("a fault"),
    ):
        with pytest.raises(type(error)):
            await shielded(tasks.start(refuse(error)))
    assert [type(context["exception"]) for context in complaints] == [StorageFull, ValueError]
