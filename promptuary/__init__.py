"""The client of a Promptuary registry: fetches prompt templates and renders them.

Names are loaded on first use, so `import promptuary.renderer` loads neither the client nor its dependencies.
"""

import importlib
from typing import TYPE_CHECKING, Any

from promptuary.version import VERSION

if TYPE_CHECKING:
    from promptuary._fetching import Fetched
    from promptuary._row_sender import AddedRows
    from promptuary.async_client import AsyncPromptuary
    from promptuary.bounded import BoundedRenderer
    from promptuary.client import Promptuary
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

__version__ = VERSION

__all__ = [
    "AddedRows",
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

_HOMES = {
    "bounded": ("BoundedRenderer",),
    "async_client": ("AsyncPromptuary",),
    "client": ("Promptuary",),
    "errors": (
        "BadAnswer",
        "ConfigurationError",
        "Conflict",
        "DigestMismatch",
        "Gone",
        "Invalid",
        "NotAllowed",
        "NotFound",
        "PromptuaryError",
        "Refused",
        "Unavailable",
    ),
    "testing": ("AsyncFakeTransport", "FakeTransport"),
    "_fetching": ("Fetched",),
    "_row_sender": ("AddedRows",),
    "template": ("Template",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

if not TYPE_CHECKING:  # a type checker that saw this function would accept any misspelt name as Any

    def __getattr__(name: str) -> Any:
        if name not in _HOME_OF:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f"{__name__}.{_HOME_OF[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
