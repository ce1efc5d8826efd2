from registry.recent import Recent


def count():
    calls = []

    def work():
        calls.append(1)
        return len(calls)

    return calls, work


def test_the_same_question_is_worked_out_once():
    recent, (_, work) = Recent(2), count()
    assert [recent.get("a", work), recent.get("a", work)] == [1, 1]


def test_the_one_not_asked_for_longest_goes_first():
    recent, (calls, work) = Recent(2), count()
    for key in ("a", "b", "a", "c", "a", "b"):
        recent.get(key, work)
    assert len(calls) == 4


def test_what_shall_not_be_kept_is_worked_out_again():
    recent, (_, work) = Recent(2), count()
    assert [recent.get("a", work, keep=lambda value: value > 1) for _ in range(3)] == [1, 2, 2]
