"""The LRU cache: what it keeps, drops and computes again."""

from registry.core import lru
from registry.core.lru import Recent


def count():
    calls = []

    def work():
        calls.append(1)
        return len(calls)

    return calls, work


def test_the_same_question_is_worked_out_once():
    recent: Recent[str, int] = Recent(2)
    _, work = count()
    assert [recent.get("a", work), recent.get("a", work)] == [1, 1]


def test_the_one_not_asked_for_longest_goes_first():
    recent: Recent[str, int] = Recent(2)
    calls, work = count()
    for key in ("a", "b", "a", "c", "a", "b"):
        recent.get(key, work)
    assert len(calls) == 4


def test_a_value_that_is_not_kept_is_computed_again():
    recent: Recent[str, int] = Recent(2)
    _, work = count()
    assert [recent.get("a", work, keep=lambda value: value > 1) for _ in range(3)] == [1, 2, 2]


def test_all_memories_of_the_process_are_emptied_together():
    memory: Recent[str, str] = Recent(2)
    emptied: list[bool] = []
    memory.get("a", lambda: "text")
    lru.register_cache(lambda: emptied.append(True))
    lru.forget_all()
    assert memory.get("a", lambda: "new") == "new"
    assert emptied


def test_a_value_computed_during_a_clear_is_returned_and_not_kept():
    memory: Recent[str, str] = Recent(2)

    def work():
        lru.forget_all()
        return "old"

    assert memory.get("a", work) == "old"
    assert memory.get("a", lambda: "new") == "new"
