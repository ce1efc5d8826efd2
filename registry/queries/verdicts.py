"""Checks of a change request, with what they found about the digests it stands on now."""

from registry.models import ChangeRequest, Decision, Label, Verdict
from registry.queries import namespaces
from registry.queries import samples as sample_sets
from registry.review import checks
from registry.review.checks import Looked, State
from registry.review.rules import CHECKS

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
    )


def states(change: ChangeRequest) -> list[State]:
    """Every check in its fixed order; one that was not given for these digests yet has no outcome."""
    looked = looked_at(change)
    required = checks.required(namespaces.rules_of(change.template.namespace))
    keys = {checks.key_of(name, looked): name for name in CHECKS}
    given = {verdict.key: verdict for verdict in Verdict.objects.filter(key__in=list(keys))}
    acknowledged = Decision.objects.filter(
        change=change, decision=Decision.ACKNOWLEDGE, round=change.round, digest=change.version.digest
    ).exists()
    return [
        State(
            name=name,
            key=key,
            is_required=name in required,
            outcome=given[key].outcome if key in given else None,
            summary=given[key].summary if key in given else "It has not finished.",
            findings=tuple(given[key].findings) if key in given else (),
            is_acknowledged=name == "contract" and acknowledged,
        )
        for key, name in keys.items()
    ]
