"""What a function gave for its latest arguments."""

from app.core.process.caches import LATEST, keep_latest


def test_equal_arguments_are_answered_once_and_the_oldest_are_forgotten() -> None:
    asked: list[dict[str, int]] = []

    @keep_latest
    def double(about: dict[str, int]) -> int:
        asked.append(about)
        return 2 * about["number"]

    assert [double({"number": 3}), double({"number": 3}), double({"number": 4})] == [6, 6, 8]
    assert asked == [{"number": 3}, {"number": 4}]
    for number in range(10, 10 + LATEST - 1):
        double({"number": number})
    assert (double({"number": 4}), len(asked)) == (8, LATEST + 1)
    assert (double({"number": 3}), len(asked)) == (6, LATEST + 2)
