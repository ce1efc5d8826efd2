"""Pages that compare documents stay fast on documents designed to be slow to compare."""

import time

import pytest

from frontend.diff import part_diffs
from frontend.diff import text as diff_text
from promptuary.renderer.syntax import sequence_diff
from promptuary.renderer.syntax.sequence_diff import diff_words
from promptuary.renderer.syntax.three_way_merge import merge_texts
from registry.changes import review_drafts, threads
from registry.changes import services as change_services
from registry.changes.line_anchors import Anchors
from registry.changes.threads import Place
from registry.templates import save as template_save
from tests.frontend.conftest import REPLY, read_html
from tests.renderer.syntax.test_sequence_diff import HARD

pytestmark = pytest.mark.slow
LOTS = 120_000
# Seconds of processor time that a page may take here: a fifth of what one of these took a thousandth of the size
# before.
PAGE = 2.5


def document(body):
    return f"---\nformat: text\n---\n{body}"


def seconds(call):
    """CPU seconds of a call on a machine that counts ten million numbers in COUNTING; a busy machine takes as many."""
    return _cpu_seconds(call) / max(_cpu_seconds(_count) / COUNTING, 1)


COUNTING = 0.2


def _count():
    for _ in range(10_000_000):
        pass


def _cpu_seconds(call):
    began = time.process_time()
    call()
    return time.process_time() - began


@pytest.mark.parametrize("name", HARD)
def test_a_diff_with_words_marked_takes_less_than_a_second(name):
    assert seconds(lambda: diff_text.build_folded_diff(*HARD[name])) < 1


@pytest.mark.parametrize("name", HARD)
def test_a_merge_takes_less_than_a_second(name):
    old, new = HARD[name]
    assert seconds(lambda: merge_texts(old, new, new[: len(new) // 2])) < 1.5
    assert merge_texts(old, old, new).text == new
    assert merge_texts(old, new, old).text == new
    assert merge_texts(old, new, new).text == new


@pytest.mark.parametrize("name", HARD)
def test_lines_are_found_again_in_less_than_a_second(name):
    old, new = HARD[name]
    assert seconds(lambda: Anchors(old, new).find(1, 1)) < 1
    anchors = Anchors(old, new)
    assert seconds(lambda: [anchors.find(line, line + 1) for line in range(1, 1000)]) < 0.1


@pytest.mark.parametrize(
    "lines",
    [
        [" ".join(["word", str(number % 3)] * 60) for number in range(400)],
        ["a b " * 74 for _ in range(400)],
        [("x" * (number % 7) + " ") * 80 for number in range(400)],
        ["." * 300 for _ in range(400)],
    ],
)
def test_many_edited_lines_are_marked_in_less_than_a_second(lines):
    old = "\n".join(lines)
    new = "\n".join(f"{line[::-1]} new" for line in lines)
    assert seconds(lambda: diff_text.compare_lines(old, new)) < 1


def test_one_long_line_is_marked_as_a_whole():
    assert seconds(lambda: diff_text.compare_lines("a b " * 60_000, "b a " * 60_000)) < 1
    assert seconds(lambda: diff_words("." * 250_000, "," * 250_000)) < 1


def test_thousands_of_parts_are_compared_in_less_than_a_second():
    old = [{"name": str(number), "role": "user", "content": "text"} for number in range(5000)]
    assert seconds(lambda: part_diffs.compare_parts(old, old[::-1])) < 1
    others = [{**part, "name": f"x{part['name']}"} for part in old]
    assert seconds(lambda: part_diffs.compare_parts(old, others)) < 1
    same_name = [{**part, "name": "one"} for part in old]
    assert seconds(lambda: part_diffs.compare_parts(same_name, same_name)) < 1


def test_thousands_of_lines_with_a_value_each_are_compared_in_less_than_a_second():
    spans = [{"start": 4 * at, "end": 4 * at + 3, "expression": "x", "kind": "input"} for at in range(5000)]
    old, new = ({"name": "a", "role": "user", "content": f"{word}\n" * 5000, "spans": spans} for word in ("one", "two"))
    assert seconds(lambda: part_diffs.compare_parts([old], [new])) < 1


def test_a_long_diff_shows_its_beginning_and_the_lines_that_are_talked_of():
    entries = diff_text.fold_unchanged(diff_text.compare_lines("", "line\n" * 5000))
    shown = diff_text.shorten_diff(entries, {4000})
    assert [getattr(entry, "new", None) for entry in shown[-3:]] == [None, 4000, None]
    assert [entry.size for entry in shown if isinstance(entry, diff_text.Gap)] == [1999, 1000]
    rest, counts = diff_text.build_folded_diff("", "line\n" * 5000)
    assert counts == diff_text.Counts(5000, 0)
    assert [getattr(entry, "new", None) for entry in diff_text.shorten_diff(rest, {10, 4000})[-3:]] == [
        None,
        4000,
        None,
    ]
    hidden = [entry.size for entry in diff_text.shorten_diff(rest, {10, 4000}) if isinstance(entry, diff_text.Gap)]
    assert sum(hidden) == 5000 - 1 - sum(isinstance(entry, diff_text.Line) for entry in rest)
    folded = diff_text.fold_unchanged(diff_text.compare_lines("same\n" * 5000, "same\n" * 5000 + "new\n"))
    assert sum(entry.size for entry in diff_text.shorten_diff(folded) if isinstance(entry, diff_text.Gap)) == 5001


@pytest.fixture
def planted(desk):
    """A request whose head is slow to compare with earlier versions, with many threads and unsent remarks."""
    desk.save(document("a\n" * LOTS))
    change = desk.propose(1)
    actor = desk.actor("reviewer")
    for line in range(100, 130):
        place = Place(1, line)
        threads.open_thread(actor=actor, number=change.number, place=place, text="Why?", suggestion="b")
        review_drafts.save_remark(actor=actor, number=change.number, place=Place(1, line + 100), text="And this?")
    desk.save(document("b\n" + "a\nc\n" * (LOTS // 2)))
    return change_services.set_head(actor=desk.actor("author"), number=change.number, version=2)


@pytest.mark.parametrize("view", ["source", "conversation"])
def test_the_page_of_a_change_is_quick_on_a_planted_pair(planted, browser, view):
    person, address = browser("reviewer"), f"/changes/{planted.number}?view={view}"
    person.get(address)  # the first page of a process loads modules and templates
    sequence_diff.clear_cache()
    assert seconds(lambda: person.get(address)) < PAGE


def test_the_diff_of_two_versions_is_quick_on_a_planted_pair(planted, browser):
    person = browser("reader")
    sequence_diff.clear_cache()
    assert seconds(lambda: person.get(f"/t/{REPLY}/-/diff?from=1&to=2")) < PAGE
    page = read_html(person.get(f"/t/{REPLY}/-/diff?from=1&to=2"))
    assert "not shown: this difference is too long for a page." in page


def test_the_threads_of_a_change_are_quick_on_a_planted_pair(planted, browser):
    person = browser("reader")
    sequence_diff.clear_cache()
    began = time.process_time()
    answer = person.get(f"/api/v1/changes/{planted.number}/threads")
    assert time.process_time() - began < PAGE
    assert len(answer.json()["results"]) == 30


@pytest.mark.parametrize("step", [1, 40])
def test_the_merge_page_is_quick_on_documents_that_are_slow_to_bring_together(desk, browser, step):
    base = "".join("a\n" if line % step else f"line {line}\n" for line in range(LOTS // 6))
    first = desk.save(document(base))
    desk.publish(1)
    desk.save(document(base.replace("line", "theirs").replace("a\n", "a\nx\n", 9)))
    desk.publish(2)
    ours = document(base.replace("line", "ours").replace("a\n", "b\na\n"))
    template_save.save_version(
        actor=desk.actor("author"), name=REPLY, document=ours, message="", base=first.digest, parallel=True
    )
    change = desk.propose(3)
    person = browser("author")
    sequence_diff.clear_cache()
    assert seconds(lambda: person.get(f"/changes/{change.number}/merge")) < PAGE
    assert seconds(lambda: person.get(f"/api/v1/changes/{change.number}/merge")) < PAGE
