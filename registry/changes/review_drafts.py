"""Draft reviews: remarks kept while a person reviews a request, and sent together, with or without a decision."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext, ngettext

from registry.accounts.actor import Actor
from registry.changes import decisions, locking, threads
from registry.changes import queries as change_queries
from registry.changes.models import ChangeRequest, Decision
from registry.changes.places import Place, quote_lines
from registry.changes.queries import lock_change
from registry.changes.rendered_suggestions import place_suggestion
from registry.changes.thread_models import Remark, Thread
from registry.core.errors import Invalid, NotAllowed, NotFound
from registry.journal import log
from registry.namespaces.verbs import Verb

__all__ = ["SentReview", "discard_remark", "save_remark", "send_review"]

_LIMIT = 200


@dataclass(frozen=True)
class SentReview:
    """The result of sending a review: how many remarks were sent, and the decision, None without one."""

    remarks: int
    decision: Decision | None


def save_remark(  # the place, and the suggested text
    *,
    actor: Actor,
    number: int,
    text: str,
    place: Place | None = None,
    thread: int | None = None,
    suggestion: str | None = None,
    remark: int | None = None,
) -> Remark:
    """Keep a remark on these lines, or a reply in a thread, until the review is sent; only its author sees it.

    A suggestion on rendered lines is mapped to the document, as in `threads.open_thread`.

    remark: the id of one of the actor's own to replace. Drafts and remarks are not in the journal.
    """
    _require_person(actor)
    change = change_queries.find_change(actor, Verb.COMMENT, number)
    if not change.takes_decisions:
        raise locking.build_closed_conflict(change)
    if thread is not None:
        facts = _check_reply(actor, change, thread, text, suggestion)
    elif place is not None:
        place, suggestion = place_suggestion(actor, change, place, suggestion)
        facts = _check_place(actor, change, place, text, suggestion)
    else:
        raise Invalid(fields={"line": gettext("say which lines it is about.")})
    facts |= {"text": text.strip(), "suggestion": suggestion, "updated_at": log.now()}
    return _store_remark(actor, change, facts, remark)


def _check_place(
    actor: Actor, change: ChangeRequest, place: Place, text: str, suggestion: str | None
) -> dict[str, object]:
    threads.check_comment(text, suggestion, place.side)
    version, quote = quote_lines(actor, change, place)
    return {
        "version": version,
        "side": place.side,
        "line": place.line,
        "end_line": place.last_line,
        "sample": place.sample,
        "part": place.part,
        "quote": quote,
    }


def _store_remark(actor: Actor, change: ChangeRequest, facts: Mapping[str, object], replaced: int | None) -> Remark:
    """Store a new remark, or replace the actor's own remark with the id `replaced`."""
    own = Remark.objects.filter(person=actor.person, change=change)
    with transaction.atomic():
        if replaced is None:
            if own.count() >= _LIMIT:
                raise Invalid(
                    fields={
                        "text": gettext("at most {most} remarks wait in one review: send these first.").format(
                            most=_LIMIT
                        )
                    }
                )
            return Remark.objects.create(person=actor.person, change=change, **facts)
        remark = own.filter(pk=replaced).first()
        if remark is None:
            raise NotFound(
                gettext("You have no remark {remark} on change {number}.").format(remark=replaced, number=change.number)
            )
        for column, value in facts.items():
            setattr(remark, column, value)
        remark.save()
    return remark


def discard_remark(*, actor: Actor, number: int, remark: int) -> None:
    """Discard one of the actor's remarks; a no-op if it doesn't exist."""
    Remark.objects.filter(person=actor.person, change__number=number, pk=remark).delete()


def send_review(*, actor: Actor, number: int, digest: str, decision: str = "", text: str = "") -> SentReview:
    """Send all of the actor's remarks on the request, and the decision if one is given, in one transaction.

    decision: as in `decisions.decide_on_change`, or empty for the remarks alone. digest: of the head that the actor
    looked at. Appends one event per remark, as for threads, then that of the decision.
    """
    _require_person(actor)
    with transaction.atomic():
        decides = decision in (Decision.APPROVE, Decision.REQUEST_CHANGES, Decision.ACKNOWLEDGE)
        change = lock_change(actor, Verb.APPROVE if decides else Verb.COMMENT, number)
        remarks = list(
            Remark.objects.filter(person=actor.person, change=change).select_related("version", "thread").order_by("pk")
        )
        for remark in remarks:
            _send(actor, change, remark)
        if remarks:
            Remark.objects.filter(pk__in=[remark.pk for remark in remarks]).delete()
        silent = decision in ("", Decision.COMMENT) and not text.strip()
        if silent and remarks:
            return SentReview(len(remarks), None)
        if decision == Decision.REQUEST_CHANGES and remarks and not text.strip():
            text = ngettext("See my remark on the lines.", "See my {count} remarks on the lines.", len(remarks))
            text = text.format(count=len(remarks))
        decision = decision or Decision.COMMENT
        decisions.check_decision(decision, text)
        recorded = decisions.record_decision(actor, change, decision=decision, digest=digest, text=text)
    return SentReview(len(remarks), recorded)


def _check_reply(
    actor: Actor, change: ChangeRequest, number: int, text: str, suggestion: str | None
) -> dict[str, object]:
    thread = Thread.objects.filter(change=change, number=number).first()
    if thread is None:
        raise NotFound(gettext("Change {change} has no thread {number}.").format(change=change.number, number=number))
    threads.check_comment(text, suggestion, thread.side)
    columns = ("version", "side", "line", "end_line", "sample", "part", "quote")
    return {"thread": thread, **{column: getattr(thread, column) for column in columns}}


def _send(actor: Actor, change: ChangeRequest, remark: Remark) -> None:
    if remark.thread is not None:
        threads.reply_to_thread(
            actor=actor,
            number=change.number,
            thread=remark.thread.number,
            text=remark.text,
            suggestion=remark.suggestion,
        )
        return
    place = Place(remark.version.number, remark.line, remark.end_line, remark.side, remark.sample, remark.part)
    threads.create_thread(
        actor,
        change,
        place,
        version=remark.version,
        quoted=remark.quote,
        text=remark.text,
        suggestion=remark.suggestion,
    )


def _require_person(actor: Actor) -> None:
    if actor.key is not None:
        raise NotAllowed(gettext("A review is kept and sent by a person who signed in."))
