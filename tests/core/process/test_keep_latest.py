"""What a function gave for its latest arguments."""

import gc
import weakref

from app.core.process.caches import LATEST, forget_latest, keep_latest


def test_equal_arguments_are_answered_once_and_the_oldest_are_forgotten() -> None:
    asked: list[int] = []

    @keep_latest
    def double(number: int) -> int:
        asked.append(number)
        return 2 * number

    assert [double(3), double(3), double(4)] == [6, 6, 8]
    assert asked == [3, 4]
    for number in range(10, 10 + LATEST - 1):
        double(number)
    assert (double(4), len(asked)) == (8, LATEST + 1)
    assert (double(3), len(asked)) == (6, LATEST + 2)


def test_all_that_is_kept_can_be_let_go() -> None:
    class Note:
        pass

    kept = keep_latest(lambda note: note)
    kept(note := Note())
    held = weakref.ref(note)
    del note
    assert held() is not None
    forget_latest()
    gc.collect()
    assert held() is None
