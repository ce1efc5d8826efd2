"""The HTML report: one file, everything escaped, figures and words next to the plot."""

import re
from html.parser import HTMLParser

import pytest

from promptuary.evaluation import EvaluationError, FunctionRunnable, Judge, interval_svg, reports, run
from promptuary.evaluation.html_report import Segment, mark_words

EVIL = '<script>alert("x")</script>'


def answered(answers, name="reply"):
    rows = [{"n": n, "note": EVIL} for n in range(len(answers))]
    return run(FunctionRunnable(name, lambda n, note: {"answer": answers[n]}), rows, [{"answer": "yes"}] * len(answers))


def page(after, before=None, names=()):
    baseline = (before, {"squad_f1": before.calculate_metrics("squad_f1")}) if before else None
    return reports.to_html("Report", after, {"squad_f1": after.calculate_metrics("squad_f1")}, baseline, names)


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.seen, self.attributes = [], set(), []

    def handle_starttag(self, tag, attributes):
        self.seen.add(tag)
        self.attributes += [name for name, _ in attributes]
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.seen.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def tags(text):
    tags = Tags()
    tags.feed(text)
    assert tags.open == []
    return tags


def test_texts_of_rows_are_escaped_everywhere():
    found = tags(page(answered([EVIL, "yes"], name=EVIL), answered(["yes", "yes"]), names=[EVIL]))
    assert "script" not in found.seen
    assert not any(name.startswith("on") or name in ("src", "href", "style") for name in found.attributes)


def test_the_file_asks_for_nothing_else():
    assert re.search(r"https?:|url[(]|@import", page(answered(["yes"]))) is None


def test_a_worse_run_shows_its_worst_rows_with_the_words_that_changed():
    text = page(answered(["yes it is", "no"] * 10), answered(["yes", "yes"] * 10), names=["first"])
    assert ">Worse<" in text
    assert "Worst regressions" in text
    assert "<ins>no</ins>" in text
    assert text.index("row 2") < text.index("first")


def test_a_run_without_a_baseline_shows_its_scores_and_lowest_rows():
    text = page(answered(["yes", "no"]))
    assert "Lowest rows" in text
    assert "2 of 2 scored" in text


def test_rows_that_failed_are_listed():
    failed = run(FunctionRunnable("broken", lambda n: 1 / n), [{"n": 0}], [{"answer": "x"}])
    assert "ZeroDivisionError" in reports.to_html("Report", failed, {})


def test_a_baseline_on_other_inputs_is_refused():
    with pytest.raises(EvaluationError, match="other inputs"):
        page(answered(["yes"]), answered(["yes", "no"]))


def test_a_judges_scores_are_reported_too():
    judge = Judge(FunctionRunnable("judge", lambda: {"reply": "{}"}), documents="inputs.note")
    result = answered(["yes"])
    assert "faithfulness" in reports.to_html("Report", result, {"judge": result.calculate_metrics(judge)})


def test_changed_words_are_marked_on_both_sides():
    before, after = mark_words("a <b> c", "a d c")
    assert before == [Segment("a "), Segment("<b>", "del"), Segment(" c")]
    assert after == [Segment("a "), Segment("d", "ins"), Segment(" c")]


@pytest.mark.parametrize("extent", [0, 0.001, 0.07, 0.3, 1, 7])
def test_an_axis_holds_what_it_shows(extent):
    axis = interval_svg.build_difference_axis([extent, None, -extent / 2])
    assert all(axis.low < tick < axis.high for tick in axis.ticks)
    assert 0 <= axis.locate(-extent) <= axis.locate(0) <= axis.locate(extent) <= interval_svg.WIDTH
