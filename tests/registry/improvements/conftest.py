"""The desk at which improvements are requested."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tests.support.improvement_desk import open_desk


@pytest.fixture
def desk(author, settings, tmp_path) -> Callable[..., Any]:
    """A desk whose model makes these proposals; a context manager, since it serves."""
    settings.MODELS_PATH = tmp_path / "models.yml"
    return partial(open_desk, author, settings.MODELS_PATH)
