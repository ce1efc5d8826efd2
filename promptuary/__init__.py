"""Fetch prompt templates from a Promptuary registry and render them."""

from promptuary.client import AsyncPromptuary, Promptuary
from promptuary.errors import (
    BadAnswer,
    ConfigurationError,
    Conflict,
    DigestMismatch,
    Gone,
    Invalid,
    NotAllowed,
    NotFound,
    PromptuaryError,
    Refused,
    Unavailable,
)
from promptuary.fakes import AsyncFakeTransport, FakeTransport
from promptuary.fetching import Fetched
from promptuary.template import Template
from promptuary.version import VERSION

__version__ = VERSION

__all__ = [
    "AsyncFakeTransport",
    "AsyncPromptuary",
    "BadAnswer",
    "ConfigurationError",
    "Conflict",
    "DigestMismatch",
    "FakeTransport",
    "Fetched",
    "Gone",
    "Invalid",
    "NotAllowed",
    "NotFound",
    "Promptuary",
    "PromptuaryError",
    "Refused",
    "Template",
    "Unavailable",
    "__version__",
]
