"""The figures that the bulk bar adds up: each ticked template's checks, approvals and affected services."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from frontend.changes.check_summaries import summarize_checks
from registry.changes.promotion_state import PromotionState
from registry.namespaces.rules import read_rules
from registry.templates.models import Template
from registry.usage.service_fetches import list_service_fetches

__all__ = ["PromotionFacts", "read_facts"]


@dataclass(frozen=True)
class PromotionFacts:
    """The effects of promoting one template.

    are_checks_passed: whether the version was checked, and no check failed or is still running. approvals: how many it
    needs. fetches: per day, by service, of those that follow the label.
    """

    are_checks_passed: bool
    approvals: int
    fetches: Mapping[str, int]

    @property
    def fetches_json(self) -> str:
        """The fetches as JSON for the page's script."""
        return json.dumps(self.fetches)


def read_facts(
    templates: Sequence[Template], states: Mapping[int, PromotionState], label: str
) -> dict[str, PromotionFacts]:
    """The facts of promoting each template to the target label, by template name; one query. label: the one to move.

    Only templates that are ready, in namespaces that protect the label.
    """
    fetches = list_service_fetches([template.pk for template in templates])
    facts = {}
    for template in (template for template in templates if _is_ready(states[template.pk])):
        state = states[template.pk]
        checks = summarize_checks(state.checks)
        needed = read_rules(template.namespace).count_needed_approvals(label, template.path)
        served = {row.service: row.per_day for row in fetches.get(template.pk, []) if row.ref == label}
        is_passed = checks is not None and checks.passed == checks.total
        facts[template.name] = PromotionFacts(is_passed, needed, served)
    return facts


def _is_ready(state: PromotionState) -> bool:
    return state.state == "ready" and state.is_protected
