"""A run as one HTML file that needs nothing else: no script, no address, every text escaped."""

import json
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import islice
from typing import Any, NamedTuple

from promptuary.evaluation import interval_svg
from promptuary.evaluation.comparison import Comparison, compare_scores
from promptuary.evaluation.errors import EvaluationError
from promptuary.evaluation.metrics import catalogue
from promptuary.evaluation.results import EvaluationResult, MetricsResult
from promptuary.evaluation.scoring import Score
from promptuary.renderer.syntax import sequence_diff

__all__ = ["mark_words", "to_html"]

Baseline = tuple[EvaluationResult, Mapping[str, MetricsResult]]
_MOST = 50  # rows shown of those that got worse, and of those that failed
_LONGEST = 2_000  # characters of a cell
_WORD_STEPS = 50_000  # of comparing two cells word by word


class Line(NamedTuple):
    """One metric of one target; `before` and `compared` where there is a baseline. `top`: the metric's best value."""

    metric: str
    target: str
    after: Score
    before: Score | None
    compared: Comparison | None
    top: float


def to_html(
    title: str,
    result: EvaluationResult,
    metrics: Mapping[str, MetricsResult],
    baseline: Baseline | None = None,
    names: Sequence[str] = (),
) -> str:
    """The report of a run: its metrics with their intervals as table and plot, its worst rows, its failures.

    Args:
        metrics: by metric, what `calculate_metrics` gave. baseline: another run on the same inputs with the same metrics;
            differences, the rows that got worse and what each run said are shown against it.
        names: the rows' names, in order; a row without one is called by its number.
    """
    if baseline and baseline[0].inputs_digest != result.inputs_digest:
        raise EvaluationError("the baseline ran on other inputs, so its rows can't be set beside these")
    lines = list(_lines(metrics, baseline[1] if baseline else {}))
    head = f"<p class=facts>{escape(str(result.runnable.get('name', '')))}, {_code(result.runnable.get('digest'))}, {len(result)} rows"
    if baseline:
        was = baseline[0].runnable
        head += f"; against {escape(str(was.get('name', '')))}, {_code(was.get('digest'))}"
    body = "".join(
        (
            f"<h1>{escape(title)}</h1>{head}</p>",
            _metrics_table(lines),
            _worst_rows(result, lines, baseline, names),
            _failures(result, names),
        )
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body><main>{body}</main></body></html>\n"
    )


def mark_words(before: str, after: str) -> tuple[str, str]:
    """Both texts as HTML, words that only the first has in <del>, those that only the second has in <ins>."""
    old, new = before.split(" "), after.split(" ")
    left, right = [], []
    for kind, a, b, c, d in sequence_diff.steps(old, new, sequence_diff.Effort(_WORD_STEPS)):
        gone, come = escape(" ".join(old[a:b])), escape(" ".join(new[c:d]))
        if a < b:
            left.append(gone if kind == "equal" else f"<del>{gone}</del>")
        if c < d:
            right.append(come if kind == "equal" else f"<ins>{come}</ins>")
    return " ".join(left), " ".join(right)


def _lines(metrics: Mapping[str, MetricsResult], before: Mapping[str, MetricsResult]) -> Iterator[Line]:
    for metric, targets in metrics.items():
        top = catalogue.find(metric).top if metric in catalogue.names() else 1.0
        earlier = before[metric] if metric in before else MetricsResult()
        for target, after in targets.items():
            was = earlier.get(target)
            yield Line(metric, target, after, was, compare_scores(was, after) if was else None, top)


def _metrics_table(lines: Sequence[Line]) -> str:
    against = any(line.compared for line in lines)
    axis = (
        interval_svg.difference_axis(
            bound / line.top
            for line in lines
            if line.compared
            for bound in (line.compared.difference, line.compared.low, line.compared.high)
            if bound is not None
        )
        if against
        else interval_svg.score_axis()
    )
    columns = ["Metric", "Before", "After", "Difference", "95 % interval"] if against else ["Metric", "Score"]
    heads = "".join(f"<th scope=col{' class=n' if n else ''}>{text}</th>" for n, text in enumerate(columns))
    rows = "".join(_metric_row(line, axis, against=against) for line in lines)
    end = "<th scope=col>Reading</th>" if against else ""
    foot = (
        f"<td colspan={len(columns)}>{_SENTENCE[against]}</td><td class=plot-cell>{interval_svg.draw_ticks(axis)}</td>"
    )
    return (
        f"<h2>Metrics</h2><div class=wide><table><thead><tr>{heads}<th scope=col class=plot-cell>"
        f"{'worse, better' if against else 'Plot'}</th>{end}</tr></thead>"
        f"<tbody>{rows}</tbody><tfoot><tr>{foot}{'<td></td>' if against else ''}</tr></tfoot></table></div>"
    )


_SENTENCE = {
    True: "Paired by row. No winner is named while an interval holds zero. The plot is in shares of each metric's range.",
    False: "The plot is in shares of each metric's range.",
}
_READING = {"better": "Better", "worse": "Worse", "same": "No clear difference"}


def _metric_row(line: Line, axis: interval_svg.Axis, *, against: bool) -> str:
    scored = f"{line.after['scored']} of {line.after['of']} scored"
    target = "" if line.target in ("", "answer") else f" {escape(line.target)}"
    cells = f"<th scope=row>{escape(line.metric)}{target}<small>{scored}</small></th>"
    found = line.compared
    if not against:
        value = line.after["score"]
        share = None if value is None else value / line.top
        return (
            f"<tr>{cells}<td class=n>{_figure(value)}</td>"
            f"<td class=plot-cell>{interval_svg.draw_interval(axis, share, None, None)}</td></tr>"
        )
    kind: interval_svg.Kind = "same"
    if found and found.winner:
        kind = "better" if found.winner == "second" else "worse"
    shares = [
        None if found is None or value is None else value / line.top
        for value in ((found.difference, found.low, found.high) if found else (None,) * 3)
    ]
    between = "none" if found is None or found.low is None else f"{_signed(found.low)} to {_signed(found.high)}"
    return (
        f"<tr>{cells}<td class=n>{_figure(line.before['score'] if line.before else None)}</td>"
        f"<td class=n><b>{_figure(line.after['score'])}</b></td>"
        f"<td class=n><b>{_signed(found.difference if found else None)}</b></td><td class=n>{between}</td>"
        f"<td class=plot-cell>{interval_svg.draw_interval(axis, shares[0], shares[1], shares[2], kind)}</td>"
        f"<td class={kind}>{_READING[kind]}</td></tr>"
    )


def _worst_rows(
    result: EvaluationResult, lines: Sequence[Line], baseline: Baseline | None, names: Sequence[str]
) -> str:
    """The rows that lost most on any metric; without a baseline, those that scored least."""
    drops: dict[int, tuple[float, str]] = {}
    for line in lines:
        for row, value in enumerate(line.after["individual_scores"]):
            was = line.before["individual_scores"][row] if line.before else line.top
            if value is not None and was is not None and (drop := (value - was) / line.top) < 0:
                drops[row] = min(drops.get(row, (0.0, "")), (drop, line.metric))
    worst = sorted(drops, key=lambda row: (drops[row][0], row))[:_MOST]
    if not worst:
        return f"<h2>{'No row got worse' if baseline else 'No row lost anything'}</h2>"
    after = _pick(result, worst)
    before = _pick(baseline[0], worst) if baseline else {}
    shown = "".join(_worst_row(row, drops[row], after[row], before.get(row), names) for row in worst)
    title = "Worst regressions" if baseline else "Lowest rows"
    heads = ("Row", "Inputs", "Expected", *(("Before",) if baseline else ()), "After" if baseline else "Came")
    columns = "".join(f"<th scope=col>{head}</th>" for head in heads)
    return (
        f"<h2>{title}</h2><p class=facts>{len(worst)} of {len(drops)} rows</p><div class=wide><table><thead><tr>{columns}"
        f"<th scope=col class=n>{'Drop' if baseline else 'Short of best'}</th></tr></thead><tbody>{shown}</tbody></table></div>"
    )


def _worst_row(
    row: int, drop: tuple[float, str], after: Mapping[str, Any], before: Mapping[str, Any] | None, names: Sequence[str]
) -> str:
    came = _said(after["actual"])
    was, now = mark_words(_said(before["actual"]), came) if before else ("", escape(came))
    return (
        f"<tr><th scope=row>{_name(row, names)}</th><td>{escape(_said(after['inputs'], every=True))}</td>"
        f"<td>{escape(_said(after['expected']))}</td>{f'<td class=text>{was}</td>' if before else ''}"
        f"<td class=text>{now}</td><td class='n worse'>{_signed(drop[0])}<small>{escape(drop[1])}</small></td></tr>"
    )


def _failures(result: EvaluationResult, names: Sequence[str]) -> str:
    failed = list(islice(result.errors(), _MOST))
    if not failed:
        return ""
    rows = "".join(
        f"<tr><th scope=row>{_name(row, names)}</th><td>{escape(str(error['kind']))}</td>"
        f"<td>{escape(_short(str(error['message'])))}</td></tr>"
        for row, error in failed
    )
    return (
        "<h2>Rows that failed</h2><div class=wide><table><thead><tr><th scope=col>Row</th><th scope=col>Kind</th>"
        f"<th scope=col>What went wrong</th></tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _pick(result: EvaluationResult, rows: Sequence[int]) -> dict[int, dict[str, Any]]:
    wanted = frozenset(rows)
    return {index: row for index, row in enumerate(result.rows()) if index in wanted}


def _said(outputs: Any, *, every: bool = False) -> str:
    """The answer among outputs, or all of them, as text."""
    if outputs is None:
        return ""
    if isinstance(outputs, Mapping) and not every and isinstance(outputs.get("answer"), str):
        return _short(outputs["answer"])
    if isinstance(outputs, Mapping) and len(outputs) == 1:
        outputs = next(iter(outputs.values()))
    return _short(outputs if isinstance(outputs, str) else json.dumps(outputs, ensure_ascii=False))


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} … ({len(text) - _LONGEST:,} more)"


def _name(row: int, names: Sequence[str]) -> str:
    return escape(names[row]) if row < len(names) and names[row] else f"row {row + 1}"


def _code(digest: Any) -> str:
    return f"<code>{escape(str(digest or '').removeprefix('sha256:')[:12])}</code>"


def _figure(value: float | None) -> str:
    return "none" if value is None else f"{value:.4g}"


def _signed(value: float | None) -> str:
    if value is None:
        return "none"
    return f"{'+' if value > 0 else chr(0x2212) if value < 0 else ''}{abs(value):.3g}"


_STYLE = """:root{color-scheme:light dark;--paper:#f5f1e8;--ink:#201b14;--ink-2:#564d40;--rule:#dcd3c2;--edge:#8c816f;
--ok:#285f3c;--bad:#98271a;--add:#bcdcb6;--del:#efbfb3}@media (prefers-color-scheme:dark){:root{--paper:#161310;--ink:#ece5d8;
--ink-2:#bdb2a0;--rule:#3a332a;--edge:#817563;--ok:#8ac79a;--bad:#f09c8c;--add:#2b4e34;--del:#66352a}}
body{margin:0;background:var(--paper);color:var(--ink);font:14px/20px "Segoe UI",system-ui,sans-serif}main{max-width:1232px;
margin:0 auto;padding:24px}h1{font:600 26px/32px Georgia,serif;margin:0 0 4px}h2{font:600 17px/24px Georgia,serif;margin:28px 0 4px}
.facts,small,tfoot{color:var(--ink-2);font-size:12px}small{display:block;font-weight:400}.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}th,td{text-align:left;vertical-align:top;
padding:6px 14px 6px 0;border-bottom:1px solid var(--rule)}thead th{font-size:12px;color:var(--ink-2);border-bottom-color:var(--edge)}
.n{text-align:right;white-space:nowrap}.text{font-family:Georgia,serif}.plot-cell{padding:0 14px;white-space:nowrap}.plot{display:block}
.better{color:var(--ok)}.worse{color:var(--bad)}ins{background:var(--add)}del{background:var(--del)}td{overflow-wrap:anywhere;
white-space:pre-wrap}code{font-family:ui-monospace,Consolas,monospace}.plot-grid{stroke:var(--rule)}.plot-zero{stroke:var(--ink-2);
stroke-width:1.5}.plot-tick{fill:var(--ink-2);font-size:11px}.plot-better,.plot-worse,.plot-same{fill:none;stroke:var(--ink-2);
stroke-width:1.75}.plot-better{stroke:var(--ok)}.plot-worse{stroke:var(--bad)}.plot-mark{fill:var(--paper)}
.plot-better.plot-mark{fill:var(--ok)}.plot-worse.plot-mark{fill:var(--bad)}"""
