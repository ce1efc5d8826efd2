"""The change used by most of these tests."""

import pytest

from registry.changes.models import ChangeRequest
from tests.frontend.conftest import Desk
from tests.support.recorded_rows import write_or_insert


@pytest.fixture
def change(reply: Desk) -> ChangeRequest:
    """The author's request for version 2, without a decision."""
    number = write_or_insert("change of version two", lambda: reply.propose(2).number)
    return ChangeRequest.objects.select_related("template", "version").get(number=number)
