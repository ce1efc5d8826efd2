"""The choice of a judge: the template version that judges each row of a run, its model, and its paths in a row."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from promptuary.evaluation.metrics.judgements import NAMES
from promptuary.renderer.document.parser import parse_document
from registry.accounts.actor import Actor
from registry.connections import queries as connection_queries
from registry.connections.refused_settings import describe_refused_settings
from registry.core import names
from registry.core.errors import Invalid
from registry.evaluations import judge_calls
from registry.journal.event import compute_digest, format_canonical_json
from registry.templates import version_queries
from registry.templates.models import Version

__all__ = ["JUDGE_METRICS", "JudgeChoice", "find_judge"]

JUDGE_METRICS = frozenset(NAMES)
"""The names of a judge's scores."""


@dataclass(frozen=True)
class JudgeChoice:
    """A judge with the model it asks. `model_digest` identifies the model as it is now."""

    version: Version
    model: str
    model_digest: str
    paths: Mapping[str, str]

    @property
    def digest(self) -> str:
        """The digest of everything that decides its judgements."""
        return compute_digest(format_canonical_json([self.version.digest, self.model_digest, dict(self.paths)]))

    def columns(self) -> dict[str, Any]:
        """The values of a run's judge columns."""
        return {
            "judge": self.version,
            "judge_model": self.model,
            "judge_model_digest": self.model_digest,
            "judge_paths": dict(self.paths),
        }


def find_judge(
    actor: Actor, namespace: str, judge: str | None, model: str | None, paths: Mapping[str, str]
) -> JudgeChoice | None:
    """The judge at `namespace/name@ref`, or None if none is named. Raises Invalid with the field at fault."""
    if not judge:
        if model or paths:
            raise Invalid(fields={"judge": gettext("name the template that judges: namespace/name@ref.")})
        return None
    name, ref = names.split_address(judge)
    version = version_queries.resolve_version(actor, name, ref)
    if not model:
        raise Invalid(fields={"judge_model": gettext("name the model that the judge is asked of.")})
    if unknown := sorted(set(paths) - set(judge_calls.PATHS)):
        raise Invalid(
            fields={
                "judge_paths": gettext("{value!r} is not one of {names}.").format(
                    value=unknown[0], names=", ".join(judge_calls.PATHS)
                )
            }
        )
    inputs = parse_document(version.document).inputs
    if inputs is not None and "documents" not in inputs:
        raise Invalid(
            fields={"judge": gettext("{name} takes no documents, so it can't judge answers.").format(name=name)}
        )
    endpoint = connection_queries.find_endpoint(model, namespace)
    if sentence := describe_refused_settings(endpoint, json.loads(version.settings)):
        raise Invalid(fields={"judge_model": sentence})
    return JudgeChoice(version, endpoint.name, endpoint.digest, dict(paths))
