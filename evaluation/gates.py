"""Thresholds that a run must meet, for checks of change requests and for continuous integration.

A gate is a metric with a floor ("squad_f1 >= 0.8"), or with the most it may fall below a baseline ("squad_f1 - 0.02").
There is no default bound: a gate without one is refused, so that nothing passes by omission.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any
from xml.etree import ElementTree as ET

from promptuary.evaluation.comparison import Comparison, compare_scores
from promptuary.evaluation.errors import EvaluationError
from promptuary.evaluation.results import EvaluationResult
from promptuary.evaluation.scoring import Score

__all__ = ["Gate", "Verdict", "judge", "parse_gate", "to_junit", "to_markdown"]

_FORM = re.compile(r"^\s*([A-Za-z0-9_]+)(?:\[([^\]]+)\])?\s*(>=|-)\s*([0-9]*\.?[0-9]+)\s*$")
_NO_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LIMIT = 20  # failed rows listed in Markdown
_ROUNDING = 1e-9  # binary fractions make 0.8 - 0.1 more than 0.7, which a fall of 0.1 must allow


@dataclass(frozen=True)
class Gate:
    """A bound on one metric: at least `floor`, or at most `fall` below the baseline.

    output: the output whose score is judged, if several have the metric.
    """

    metric: str
    output: str | None = None
    floor: float | None = None
    fall: float | None = None

    def __str__(self) -> str:
        of = f"[{self.output}]" if self.output else ""
        return (
            f"{self.metric}{of} >= {self.floor:g}" if self.floor is not None else f"{self.metric}{of} - {self.fall:g}"
        )

    def find_lowest(self, baseline: float | None) -> float | None:
        """The lowest score that passes: the floor, or the baseline's score less the fall; None if that is None."""
        if self.floor is not None:
            return self.floor
        return None if baseline is None else baseline - (self.fall or 0.0)

    def passes(self, score: float, baseline: float | None) -> bool | None:
        """Whether the score passes; None if the gate compares with a baseline whose score is None."""
        lowest = self.find_lowest(baseline)
        return None if lowest is None else score >= lowest - _ROUNDING


@dataclass(frozen=True)
class Verdict:
    """One gate's result for one target, also in words."""

    gate: str
    target: str
    passed: bool
    score: float | None
    baseline: float | None
    scored: int
    of: int
    finding: str
    comparison: Comparison | None = None

    def to_dict(self) -> dict[str, Any]:
        """The verdict as plain JSON."""
        return asdict(self)


def parse_gate(text: str) -> Gate:
    """Parse `metric >= 0.8`, `metric - 0.02` (at most that much worse than the baseline), or `metric[output] >= 1`."""
    match = _FORM.match(text)
    if not match:
        raise EvaluationError(
            f"{text!r} is not a gate: write 'squad_f1 >= 0.8', or 'squad_f1 - 0.02' against a baseline"
        )
    metric, output, sign, number = match.groups()
    limit = float(number)
    return Gate(metric, output, limit, None) if sign == ">=" else Gate(metric, output, None, limit)


def judge(result: EvaluationResult, gates: Sequence[Gate], baseline: EvaluationResult | None = None) -> list[Verdict]:
    """Return the verdict of every gate. A gate fails if no row could be scored."""
    return [verdict for gate in gates for verdict in _judge_gate(result, gate, baseline)]


def _judge_gate(result: EvaluationResult, gate: Gate, baseline: EvaluationResult | None) -> list[Verdict]:
    if gate.fall is not None:
        if baseline is None:
            raise EvaluationError(f"the gate '{gate}' needs a baseline to compare with")
        if baseline.inputs_digest != result.inputs_digest:
            raise EvaluationError("the baseline ran on other inputs, so it can't be compared with")
    metrics = result.calculate_metrics(gate.metric, output=gate.output)
    before = baseline.calculate_metrics(gate.metric, output=gate.output) if baseline and gate.fall is not None else {}
    return [_judge_target(gate, target, score, before.get(target)) for target, score in metrics.items()]


def _judge_target(gate: Gate, target: str, score: Score, before: Score | None) -> Verdict:
    value = score["score"]
    was = before["score"] if before else None
    comparison = compare_scores(before, score) if before else None
    if value is None:
        passed, finding = False, "no row could be scored"
    elif gate.floor is not None:
        passed = bool(gate.passes(value, None))
        finding = f"{value:.4g}, at least {gate.floor:g} is asked for"
    elif was is None or comparison is None:
        passed, finding = False, "the baseline could score no row"
    else:
        passed = bool(gate.passes(value, was))
        better, worse = comparison.better, comparison.worse
        finding = (
            f"{value:.4g} against {was:.4g} ({value - was:+.4g}; {better} row{'s' if better != 1 else ''} better, "
            f"{worse} worse), at most {gate.fall:g} less is allowed"
        )
    missing = score["of"] - score["scored"]
    if missing and score["of"] > 1:  # for a single row the finding already says so
        finding += f"; {missing} of {score['of']} rows not scored"
    return Verdict(str(gate), target, passed, value, was, score["scored"], score["of"], finding, comparison)


Errors = Sequence[tuple[int, Mapping[str, Any]]]
"""Failed rows, in the form of `EvaluationResult.errors`."""


def to_markdown(title: str, verdicts: Sequence[Verdict], errors: Errors = ()) -> str:
    """A table for a pull request comment, followed by the failed rows."""
    lines = [f"## {_escape_markdown(title)}", "", "| | gate | output | finding |", "| --- | --- | --- | --- |"]
    for verdict in verdicts:
        mark = "passed" if verdict.passed else "**failed**"
        lines.append(
            f"| {mark} | `{verdict.gate}` | {_escape_markdown(verdict.target)} | {_escape_markdown(verdict.finding)} |"
        )
    if errors:
        lines += ["", f"{len(errors)} row{'s' if len(errors) != 1 else ''} failed:", ""]
        lines += [
            f"* row {row + 1}: {_escape_markdown(error['kind'])}: {_escape_markdown(error['message'])}"
            for row, error in errors[:_LIMIT]
        ]
    if len(errors) > _LIMIT:
        lines.append(f"* and {len(errors) - _LIMIT} more")
    return "\n".join(lines) + "\n"


def to_junit(title: str, verdicts: Sequence[Verdict], errors: Errors = ()) -> str:
    """JUnit XML for CI servers: one test case per verdict and one per failed row."""
    failed = sum(not verdict.passed for verdict in verdicts)
    counts = {"tests": len(verdicts) + len(errors), "failures": failed, "errors": len(errors)}
    title = _replace_unprintable(title)
    suite = ET.Element("testsuite", {"name": title} | {name: str(count) for name, count in counts.items()})
    for verdict in verdicts:
        case = ET.SubElement(
            suite, "testcase", classname=title, name=_replace_unprintable(f"{verdict.gate} {verdict.target}")
        )
        if verdict.passed:
            ET.SubElement(case, "system-out").text = _replace_unprintable(verdict.finding)
        else:
            ET.SubElement(case, "failure", message=_replace_unprintable(verdict.finding))
    for row, error in errors:
        case = ET.SubElement(suite, "testcase", classname=title, name=f"row {row + 1}")
        ET.SubElement(case, "error", type=str(error["kind"]), message=_replace_unprintable(str(error["message"])))
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suite, encoding="unicode") + "\n"


def _escape_markdown(text: Any) -> str:
    """Escape the text as one line of Markdown."""
    return re.sub(r"([\\`*_\[\]<>|])", r"\\\1", " ".join(str(text).split()))


def _replace_unprintable(text: str) -> str:
    """Replace each character that XML can't hold."""
    return _NO_XML.sub("\N{REPLACEMENT CHARACTER}", text)
