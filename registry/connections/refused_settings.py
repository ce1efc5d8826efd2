"""Settings of a prompt that the protocol of a model's endpoint does not take: found before anything is asked."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

from promptuary.evaluation.protocols import list_refused_settings
from registry.connections.endpoint import Endpoint

__all__ = ["describe_refused_settings"]

_TITLES = {
    "openai": "OpenAI chat completions",
    "responses": "OpenAI responses",
    "anthropic": "Anthropic messages",
}


def describe_refused_settings(endpoint: Endpoint, settings: Mapping[str, Any]) -> str:
    """Which of the settings the endpoint would refuse, in a sentence; empty if there is none."""
    names = list_refused_settings(endpoint.protocol, settings) if endpoint.kind == "http" else []
    if not names:
        return ""
    return gettext(
        "{model} speaks {protocol}, which does not take the setting {names}: remove it, or choose another model."
    ).format(model=endpoint.name, protocol=_TITLES[endpoint.protocol], names=", ".join(names))
