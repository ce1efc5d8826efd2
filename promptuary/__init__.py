"""Fetch prompt templates from a Promptuary registry and render them."""

import importlib
from typing import TYPE_CHECKING, Any

from promptuary._fetching import Fetched
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
from promptuary.template import Template
from promptuary.testing import AsyncFakeTransport, FakeTransport
from promptuary.version import VERSION

__version__ = VERSION

if TYPE_CHECKING:
    from promptuary.bounded import BoundedRenderer

__all__ = [
    "AsyncFakeTransport",
    "AsyncPromptuary",
    "BadAnswer",
    "BoundedRenderer",
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


def __getattr__(name: str) -> Any:
    # Few services need it, so it is loaded when first asked for.
    if name == "BoundedRenderer":
        globals()[name] = found = importlib.import_module("promptuary.bounded").BoundedRenderer
        return found
    raise AttributeError(f"module 'promptuary' has no attribute {name!r}")
