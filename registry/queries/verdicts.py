"""Checks of a change request, with what they found about the digests it stands on now."""

from collections.abc import Sequence

from registry.models import ChangeRequest, Decision, Label, Verdict
from registry.queries import attachments, callers, inclusions, measuring, namespaces
from registry.queries import samples as sample_sets
from registry.review import checks
from registry.review.checks import Looked, State

__all__ = ["looked_at", "states"]


def looked_at(change: ChangeRequest) -> Looked:
    """The digests that count for the request now."""
    rows = Label.objects.filter(template=change.template)
    served = dict(rows.values_list("name", "version__digest"))
    samples = sample_sets.current(change.template)
    return Looked(
        template=change.template.name,
        version=change.version.digest,
        samples=samples.digest if samples else None,
        against=served.get(change.label),
        served=tuple(sorted(set(served.values()))),
        fetched=callers.pinned([change.template_id]).get(change.template_id, ()),
        dependants=inclusions.digests_of_many([change.template]).get(change.template.name, ()),
        evaluations=tuple(plan.to_dict() for plan in attachments.plans(change.template)),
    )


def states(change: ChangeRequest) -> list[State]:
    """Every check in its fixed order; one that was not given for these digests yet has no outcome."""
    looked = looked_at(change)
    required = checks.required(namespaces.rules_of(change.template.namespace))
    keys = {checks.key_of(name, looked): name for name in checks.shown(looked, required)}
    given = {verdict.key: verdict for verdict in Verdict.objects.filter(key__in=list(keys))}
    if not change.takes_decisions:  # nothing is run for it any more, so what it never had it does not wait for
        keys = {key: name for key, name in keys.items() if name != "evaluation" or key in given}
    return [_state(change, name, key, looked, required, given.get(key)) for key, name in keys.items()]


def _state(
    change: ChangeRequest, name: str, key: str, looked: Looked, required: Sequence[str], given: Verdict | None
) -> State:
    if given is not None:
        outcome, summary, action = given.outcome, given.summary, ""
    elif checks.is_void(name, looked):
        outcome, summary, action = Verdict.PASSED, checks.VOID[name], ""
    elif name == "evaluation":
        outcome, (summary, action) = None, measuring.progress(change, looked.against)
    else:
        outcome, summary, action = None, "It has not finished.", ""
    return State(
        name=name,
        key=key,
        is_required=name in required,
        outcome=outcome,
        summary=summary,
        findings=tuple(given.findings) if given else (),
        is_acknowledged=name == "contract" and _is_acknowledged(change),
        action=action,
    )


def _is_acknowledged(change: ChangeRequest) -> bool:
    return Decision.objects.filter(
        change=change, decision=Decision.ACKNOWLEDGE, round=change.round, digest=change.version.digest
    ).exists()
