"""The arguments that a provider's call accepts: read from its signature, or else known for the provider's API.

This never imports a provider's package, but inspects it if the process has already loaded it.
"""

import importlib
import inspect
import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = [
    "ANTHROPIC_MESSAGES",
    "OPENAI_CHAT",
    "OPENAI_COMPLETIONS",
    "OPENAI_RESPONSES",
    "Call",
    "ProviderCall",
    "SettingIgnored",
]

Call = Callable[..., Any]


class SettingIgnored(UserWarning):
    """A setting of the document that the provider's call doesn't accept, so it was not sent."""


@dataclass(frozen=True)
class ProviderCall:
    """A call of a provider's client: where it is in the package, and the arguments that all recent versions accept."""

    title: str
    module: str
    owner: str
    known: frozenset[str]

    def parameters(self, call: Call | None = None) -> frozenset[str] | None:
        """Return the names of its arguments; None if it takes any (`**kwargs`).

        They are read from `call`, else from the package if the process has loaded it, else they are `known`.
        """
        call = call or self._load_call()
        if call is None:
            return self.known
        try:
            parameters = inspect.signature(call).parameters.values()
        except (TypeError, ValueError):  # a callable without a signature, such as a builtin
            return None
        if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters):
            return None
        return frozenset(parameter.name for parameter in parameters) - {"self"}

    def keep_known(self, settings: Mapping[str, Any], call: Call | None = None) -> dict[str, Any]:
        """Return the settings that the call takes. Warns of the others by name (SettingIgnored), never by value."""
        names = self.parameters(call)
        if names is None:
            return dict(settings)
        ignored = sorted(name for name in settings if name not in names)
        if ignored:
            sentence = f"not sent, because {self.title} doesn't take it: {', '.join(ignored)}"
            warnings.warn(sentence, SettingIgnored, stacklevel=4)
        return {name: value for name, value in settings.items() if name in names}

    def _load_call(self) -> Call | None:
        if self.module.partition(".")[0] not in sys.modules:
            return None
        try:
            owner = getattr(importlib.import_module(self.module), self.owner)
        except (ImportError, AttributeError):  # the installed version has it elsewhere
            return None
        call: Call | None = getattr(owner, "create", None)
        return call


_ALWAYS = "model extra_body extra_headers extra_query timeout "
OPENAI_CHAT = ProviderCall(
    "OpenAI's chat completions",
    "openai.resources.chat.completions",
    "Completions",
    frozenset(
        (
            _ALWAYS
            + "audio frequency_penalty logit_bias logprobs max_completion_tokens max_tokens metadata modalities n "
            "parallel_tool_calls prediction presence_penalty prompt_cache_key reasoning_effort response_format "
            "safety_identifier seed service_tier stop store stream stream_options temperature tool_choice tools "
            "top_logprobs top_p user verbosity web_search_options"
        ).split()
    ),
)
OPENAI_COMPLETIONS = ProviderCall(
    "OpenAI's completions",
    "openai.resources.completions",
    "Completions",
    frozenset(
        (
            _ALWAYS
            + "best_of echo frequency_penalty logit_bias logprobs max_tokens n presence_penalty seed stop stream "
            "stream_options suffix temperature top_p user"
        ).split()
    ),
)
OPENAI_RESPONSES = ProviderCall(
    "OpenAI's responses",
    "openai.resources.responses",
    "Responses",
    frozenset(
        (
            _ALWAYS + "background conversation include instructions max_output_tokens max_tool_calls metadata "
            "parallel_tool_calls previous_response_id prompt_cache_key reasoning safety_identifier service_tier store "
            "stream stream_options temperature text tool_choice tools top_logprobs top_p truncation user"
        ).split()
    ),
)
ANTHROPIC_MESSAGES = ProviderCall(
    "Anthropic's messages",
    "anthropic.resources.messages",
    "Messages",
    frozenset(
        (
            _ALWAYS + "cache_control container inference_geo max_tokens metadata output_config service_tier "
            "stop_sequences stream thinking tool_choice tools"
        ).split()
    ),
)
