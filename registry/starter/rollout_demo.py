"""Rollout part of the demo: a reply on late refunds that 5 % of the customers get, with the scores of both sides."""

from collections.abc import Iterator
from pathlib import Path

from promptuary.renderer.rollouts import is_on_candidate_side
from promptuary.renderer.syntax.yaml_reader import compose, read_value
from registry.accounts.actor import Actor
from registry.rollouts import services as rollout_services
from registry.rollouts.models import Rollout
from registry.starter.versions import approve_once, publish_once, save_once
from registry.usage import outcomes
from registry.usage.outcomes import OutcomeEntry

__all__ = ["CUSTOMERS", "TEMPLATE", "load_rollout_demo", "report_scores"]

TEMPLATE = "support/refunds/delay"
CUSTOMERS = 1_600
_FOLDER = Path(__file__).parent / "support/refunds"
_MESSAGES = ("Say when the money comes", "Say sorry first: many customers wrote twice")
_SALT = "refund-delay"  # the same customers in every demo
_BY_HAND = ({"share": 500, "hours": None}, {"share": 2_500, "hours": None})
_STOP_RULE = {"metric": "helpful", "below": 0.7}


def load_rollout_demo(author: Actor, reviewer: Actor) -> None:
    """Publish the first version, and roll the second out to the first step; each once."""
    samples = read_value(compose((_FOLDER / "delay.samples.yml").read_text(encoding="utf-8")))
    for number, message in enumerate(_MESSAGES, start=1):
        document = (_FOLDER / f"delay.v{number}.yml.j2").read_text(encoding="utf-8")
        save_once(author, TEMPLATE, number, document, message, samples=samples)
        if number == 1:
            publish_once(author, reviewer, TEMPLATE, number, message)
    change = approve_once(author, reviewer, TEMPLATE, 2, _MESSAGES[1])
    if not Rollout.objects.filter(change=change).exists():
        # By hand, so that the rollout is there whenever somebody looks at the demo.
        rollout_services.start_rollout(
            actor=author, change=change.number, steps=_BY_HAND, stop_rule=_STOP_RULE, salt=_SALT
        )


def report_scores(service: Actor) -> None:
    """Report made-up scores of both versions, as a service of the shop would; scores of earlier loads are replaced.

    service: acts with a key.
    """
    rollout = Rollout.objects.select_related("stable", "candidate").get(template__name=TEMPLATE)
    outcomes.add_outcomes(actor=service, entries=list(_make_scores(rollout)))


def _make_scores(rollout: Rollout) -> Iterator[OutcomeEntry]:
    """One score of each customer, for the version that this customer gets."""
    for number in range(CUSTOMERS):
        bucket = f"customer-{number}"
        is_candidate = is_on_candidate_side(rollout.salt, bucket, rollout.share)
        version = rollout.candidate if is_candidate else rollout.stable
        is_helpful = number % (11 if is_candidate else 6) != 0
        yield OutcomeEntry(TEMPLATE, version.digest, "helpful", float(is_helpful), f"delay-{number}", bucket)
