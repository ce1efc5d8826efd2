"""Settings of a prompt that the protocol of a model's endpoint doesn't support, found before anything is sent."""

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
    """A sentence that names the settings that the endpoint would refuse; empty if it refuses none."""
    names = list_refused_settings(endpoint.protocol, settings) if endpoint.kind == "http" else []
    if not names:
        return ""
    return gettext(
        "{model} speaks {protocol}, which does not take the setting {names}: remove it, or choose another model."
    ).format(model=endpoint.name, protocol=_TITLES[endpoint.protocol], names=", ".join(names))
