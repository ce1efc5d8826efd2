"""The machine on the database, within the test's transaction."""

import pytest

from registry.changes import rules as change_rules
from tests.registry.states.machine import ActMachine


@pytest.fixture
def machine(support, outsider, operator, tmp_path):
    """The machine, in a namespace with the cast that allows emergencies; the outsider isn't a member of it."""
    change_rules.set_rules(actor=operator, namespace="support", break_glass=True)
    return type("Machine", (ActMachine,), {"folder": tmp_path})
