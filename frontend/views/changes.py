"""Change requests: the list, one of them with everything needed to decide, and the form that opens one."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from frontend import asks
from frontend.crumbs import crumbs_of
from frontend.discussion import Discussion, discuss
from frontend.forms import ProposeForm, add_errors
from frontend.htmx import asks_for, show
from frontend.ledger import live_label
from frontend.pages import signed_in, status_of
from frontend.views.compare import diff_context
from frontend.waiting import title_of
from registry.access import TABLE, Actor, Role, Verb
from registry.errors import Conflict, Invalid, NotAllowed, NotFound, PromptuaryError
from registry.models import ChangeRequest, Version
from registry.queries import changes as changes_query
from registry.queries import labels, namespaces, progress, standings, templates, versions
from registry.queries.standings import Stand
from registry.services import changes, suggestions, threads, verdicts
from registry.services.threads import Place

__all__ = ["listing", "propose", "show_change"]

STATES = {"pending": "Open", "published": "Published", "withdrawn": "Withdrawn", "all": "All"}
DONE = {
    "approve": "You approved it.",
    "acknowledge": "The break of the contract is accepted, in your name.",
    "request_changes": "Your wish for edits is kept.",
    "comment": "Your comment is kept.",
    "publish": "Published: the label moved.",
    "withdraw": "Withdrawn.",
    "reopen": "Open again; it needs its approvals anew.",
    "set_version": "The request has a new head; earlier approvals are void.",
    "rerun": "The checks that have not finished run again.",
    "thread": "Said on its line.",
    "suggest": "Your suggestion stands under its line.",
    "reply": "Your reply is kept.",
    "resolve": "The thread is resolved.",
    "unresolve": "The thread is open again.",
    "apply": "Applied as the next version, which is the head now; earlier approvals are void.",
}
THREAD_ACTS = ("thread", "suggest", "reply", "resolve", "unresolve", "apply")
MOST_DIGITS = 8


@signed_in
def listing(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Requests by state, newest first, with whose turn each is."""
    state = request.GET.get("state", "pending")
    state = state if state in STATES else "pending"
    page = changes_query.listing(
        actor,
        state=None if state == "all" else state,
        namespace=request.GET.get("namespace") or None,
        template=request.GET.get("template") or None,
        cursor=request.GET.get("cursor"),
    )
    roles = {space.pk: role for space, role in namespaces.mine(actor)}
    kept = {key: request.GET[key] for key in ("namespace", "template") if request.GET.get(key)}
    context = {
        "section": "changes",
        "rows": [_row(stand, actor, roles) for stand in standings.of_many(page.items, actor)],
        "state": state,
        "tabs": [
            {"word": word, "url": f"?{urlencode({**kept, 'state': key})}", "on": key == state}
            for key, word in STATES.items()
        ],
        "kept": kept,
        "next_url": f"?{urlencode({**kept, 'state': state, 'cursor': page.next})}" if page.next else "",
    }
    return show(request, "changes.html", context, regions={"changes": "_changes.html"})


@require_http_methods(["GET", "POST"])
@signed_in
def show_change(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    """One request; a POST is one of its actions, and a refused one brings the page back with what was typed."""
    refused: PromptuaryError | None = None
    if request.method == "POST":
        try:
            _act(request, actor, number)
        except NotFound:
            raise
        except PromptuaryError as error:
            refused = error
        else:
            messages.success(request, DONE[request.POST["do"]])
            return redirect(_place_after(request, number))
    change = changes_query.get(actor, number)
    change.version = versions.get(actor, change.template.name, change.version.number)
    blockers = changes_query.blockers(change, actor)
    act = asks.acts_of(change, actor, blockers)
    newest = change.template.latest.number if change.template.latest else change.version.number
    checks = asks.checks_of(change)
    context = {
        "section": "changes",
        "change": change,
        "title": title_of(change),
        "more": change.message.partition("\n")[2].strip(),
        "obstacles": asks.obstacles(change, blockers, act, newest),
        "turn": asks.turn_of(blockers, actor),
        "act": act,
        "opinions": asks.opinions(change),
        "standing": changes_query.standing(change),
        "needed": change.template.namespace.approvals,
        "talk": _talk(change),
        "checks": checks,
        "failing": any(blocker.code.startswith("check:") for blocker in blockers),
        "waits": any(check.word == "running" for check in checks),
        "checks_sum": _sum(checks),
        "riding": progress.riding_along(change) if change.is_open else [],
        "overlapping": changes_query.overlapping(change) if change.is_open else [],
        "newer": range(newest, change.version.number, -1)[:20] if act.set_version else [],
        "refused": refused,
        "text": request.POST.get("text", ""),
    }
    if not any(asks_for(request, region) for region in ("checks", "blockers")):
        context |= diff_context(request, actor, _baseline(actor, change), change.version)
        context |= {
            "discussion": _discussion(request, change, context, act),
            "suggestion": request.POST.get("suggestion"),
        }
    status = status_of(refused) if refused else 200
    regions = {"diff": "_diff.html", "checks": "_checks.html", "blockers": "_blockers.html"}
    return show(request, "change.html", context, regions=regions, status=status)


@require_http_methods(["GET", "POST"])
@signed_in
def propose(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """Ask that a protected label move: which, to what, and why."""
    template = templates.find(actor, Verb.PROPOSE, name)
    protected = template.namespace.protected_labels
    standing = labels.numbers_of(template)
    newest = template.latest.number if template.latest else 1
    wanted = request.GET.get("label", "")
    first = {
        "label": wanted if wanted in protected else live_label(template.namespace),
        "version": request.GET.get("version") or newest,
    }
    form = ProposeForm(request.POST or None, initial=first, labels=protected, newest=newest, standing=standing)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                change = changes.propose(actor=actor, name=name, **form.cleaned_data)
            except (Invalid, Conflict, NotAllowed) as error:
                add_errors(form, error)
                status = status_of(error)
            else:
                return redirect("change", change.number)
    recent = versions.history(actor, name, limit=20).items
    context = {
        "section": "templates",
        "template": template,
        "crumbs": crumbs_of(name),
        "form": form,
        "standing": standing,
        "recent": recent,
        "free": not protected,
        "approvals": template.namespace.approvals,
    }
    return show(request, "propose.html", context, status=status)


def _act(request: HttpRequest, actor: Actor, number: int) -> None:
    """One action of the page, by the name of the button that was pressed."""
    do, text = request.POST.get("do", ""), request.POST.get("text", "")
    if do in ("approve", "request_changes", "comment", "acknowledge"):
        digest = request.POST.get("digest", "")
        changes.decide(actor=actor, number=number, decision=do, digest=digest, text=text)
    elif do == "publish":
        changes.publish(actor=actor, number=number)
    elif do == "withdraw":
        changes.withdraw(actor=actor, number=number, reason=text)
    elif do == "reopen":
        changes.reopen(actor=actor, number=number)
    elif do == "set_version" and request.POST.get("version", "").isdecimal():
        changes.set_version(actor=actor, number=number, version=int(request.POST["version"]))
    elif do == "rerun":
        verdicts.rerun(actor=actor, number=number)
    elif do in THREAD_ACTS:
        _act_on_thread(request, actor, number)
    else:
        raise Invalid(fields={"do": "the page did not say which button was pressed."})


def _act_on_thread(request: HttpRequest, actor: Actor, number: int) -> None:
    """Begin a thread on a line, answer in one, close it, or take its suggestion over."""
    do, text = request.POST["do"], request.POST.get("text", "")
    thread = _number(request.POST.get("thread"))
    if do in ("thread", "suggest"):
        place = Place(
            version=_number(request.POST.get("version")),
            line=_number(request.POST.get("line")),
            side=request.POST.get("side", ""),
            sample=request.POST.get("sample", ""),
            part=_number(request.POST.get("part")),
        )
        suggestion = request.POST.get("suggestion", "").replace("\r\n", "\n") if do == "suggest" else None
        threads.open_at(actor=actor, number=number, place=place, text=text, suggestion=suggestion)
    elif do == "reply":
        threads.reply(actor=actor, number=number, thread=thread, text=text)
    elif do == "apply":
        comment = _number(request.POST.get("comment"))
        suggestions.apply(actor=actor, number=number, comments=[(thread, comment)])
    else:
        threads.resolve(actor=actor, number=number, thread=thread, resolved=do == "resolve")


def _number(text: str | None) -> int:
    """A number of a form; what is none, or beyond all lines, is nothing's number."""
    return int(text) if text and text.isdecimal() and len(text) < MOST_DIGITS else 0


def _place_after(request: HttpRequest, number: int) -> str:
    """The page again; after an act on a thread, in the view that it was done in and with the thread in sight."""
    address = reverse("change", args=[number])
    if request.POST["do"] not in THREAD_ACTS:
        return address
    kept = {name: request.GET[name] for name in ("view", "sample") if request.GET.get(name)}
    thread = _number(request.POST.get("thread"))
    return f"{address}?{urlencode(kept)}#{f'thread-{thread}' if thread else 'diff'}"


def _discussion(request: HttpRequest, change: ChangeRequest, shown: Mapping[str, Any], act: asks.Act) -> Discussion:
    line = _number(request.GET.get("line"))
    asked = (_number(request.GET.get("part")), line) if line else None
    return discuss(change, shown["view"], shown["sample"], asked, may_comment=act.comment, may_apply=act.set_version)


def _row(stand: Stand, actor: Actor, roles: Mapping[int, Role]) -> dict[str, Any]:
    change, blockers = stand.change, stand.blockers
    role = roles.get(change.template.namespace_id)
    return {
        "change": change,
        "title": title_of(change),
        "cause": blockers[0].cause if blockers else "",
        "more": len(blockers) - 1,
        "turn": asks.turn_of(blockers, actor),
        "mine": any(actor.person.username in blocker.waiting_for for blocker in blockers[:1]),
        "ready": change.is_open and not blockers,
        "may_publish": not blockers and role is not None and role.rank >= TABLE[Verb.PUBLISH].rank,
    }


def _baseline(actor: Actor, change: ChangeRequest) -> Version | None:
    """What the change is set against: what the label held when it was published, else what it holds now."""
    move = changes_query.move_of(change)
    if move is not None:
        number = move.before.number if move.before else None
    else:
        number = labels.numbers_of(change.template).get(change.label)
    return versions.get(actor, change.template.name, number) if number else None


def _sum(checks: Sequence[asks.CheckRow]) -> str:
    """`Checks: 3 passed, 1 failed`, for the status line once the last one came in."""
    counts = [(word, sum(check.word == word for check in checks)) for word in ("passed", "failed", "running")]
    return "Checks: " + ", ".join(f"{count} {word}" for word, count in counts if count)


def _talk(change: ChangeRequest) -> list[Any]:
    return list(change.decisions.select_related("person", "version").defer("version__bundle").order_by("pk"))
