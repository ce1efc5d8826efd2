"""What all pages of an evaluation run share: the head with the run's state, and the query of the URL."""

from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext, gettext_lazy

from frontend.web.page import build_breadcrumbs
from frontend.web.wording import run_state_word
from registry.accounts.actor import Actor
from registry.evaluations.models import Run
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb

__all__ = [
    "choose_run_style",
    "describe_run",
    "draw_bar",
    "estimate_seconds_left",
    "estimate_time_left",
    "is_unjudged",
    "read_number",
    "tell_time_left",
    "write_query",
    "write_run_address",
]

_STYLES = {
    Run.QUEUED: (gettext_lazy("Waiting"), "clock", ""),
    Run.RUNNING: (gettext_lazy("Running"), "loader", ""),
    Run.DONE: (gettext_lazy("Done"), "circle-check", "ok"),
    Run.FAILED: (gettext_lazy("Failed"), "circle-x", "bad"),
    Run.CANCELLED: (gettext_lazy("Cancelled"), "circle-x", "warn"),
}
_ALL_FAILED = (gettext_lazy("Failed"), "circle-x", "bad")
_SOME_FAILED = (gettext_lazy("Done, not all rows"), "triangle-alert", "warn")
_NOT_JUDGED = (gettext_lazy("Done, not judged"), "triangle-alert", "warn")


def choose_run_style(run: Run) -> tuple[str | Promise, str, str]:
    """The word, icon and look of a run's state: a run with failed rows or a failed judge isn't shown as done."""
    if run.state == Run.DONE and run.failed:
        return _ALL_FAILED if run.failed == run.total else _SOME_FAILED
    if is_unjudged(run):
        return _NOT_JUDGED
    return _STYLES[run.state]


def is_unjudged(run: Run) -> bool:
    """Whether the run is done and its judge scored no row."""
    if run.state != Run.DONE or run.judge_id is None:
        return False
    return not any(targets["judgement"]["scored"] for targets in run.scores.values() if "judgement" in targets)


def describe_run(actor: Actor, run: Run) -> dict[str, Any]:
    """The context of the head of these pages."""
    template = run.template
    return {
        "section": "evaluations",
        "run": run,
        "template": template,
        "crumbs": build_breadcrumbs(template.name),
        "style": choose_run_style(run),
        "answered": run.done - run.failed,
        "is_unjudged": is_unjudged(run),
        "bar": draw_bar(run.done, run.total, run.failed),
        "rows_name": run.dataset_version.dataset.name if run.dataset_version else "",
        "may_run": permissions.is_allowed(actor, Verb.EVALUATE, template.namespace, template.path),
        "sum": _sum(run),
    }


def estimate_time_left(run: Run, now: datetime) -> str:
    """About how long the run will still take, in words; empty while there is too little data."""
    seconds = estimate_seconds_left(run, now)
    return "" if seconds is None else tell_time_left(seconds)


def estimate_seconds_left(run: Run, now: datetime) -> float | None:
    """As `estimate_time_left`, in seconds; None while there is too little data."""
    if run.state != Run.RUNNING or run.started_at is None or run.done < 5:
        return None
    return (now - run.started_at).total_seconds() * (run.total - run.done) / run.done


def tell_time_left(seconds: float) -> str:
    """The remaining time in words."""
    if seconds < 90:
        return gettext("about {count} s left").format(count=max(1, round(seconds)))
    return gettext("about {count} min left").format(count=round(seconds / 60))


def write_query(request: HttpRequest) -> str:
    """The query parameters that links between run and rows preserve."""
    query = {key: request.GET[key] for key in ("against", "by") if request.GET.get(key)}
    return f"?{urlencode(query)}" if query else ""


def write_run_address(address: str) -> str:
    """The URL if it is on this site, else empty."""
    return address if url_has_allowed_host_and_scheme(address, None) else ""


def read_number(text: str | None) -> int | None:
    """The number of another run in a URL; None if it isn't a number."""
    return int(text) if text and text.isdecimal() and len(text) < 19 else None


def _sum(run: Run) -> str:
    words = gettext("Run {number}: {done} of {total}, {failed} failed, {state}")
    state = run_state_word(run.state)
    return words.format(number=run.number, done=run.done, total=run.total, failed=run.failed, state=state)


def draw_bar(done: int, total: int, failed: int) -> dict[str, int]:
    """The segments of the bar in thousandths; a single failure stays visible."""
    permille = round(1000 * done / total) if total else 1000
    failed = max(6, round(1000 * failed / total)) if failed else 0
    return {"answered": max(0, permille - failed), "failed": failed}
