"""The starter library: what a newcomer finds, and a load that goes on where an earlier one stopped."""

import pytest

from registry.models import ChangeRequest, Key, Label, Template, User
from registry.starter import library

pytestmark = pytest.mark.usefixtures("db")


@pytest.fixture(autouse=True)
def a_home_of_its_own(settings, tmp_path):
    settings.PROMPTUARY_HOME = tmp_path


def load() -> list[str]:
    said: list[str] = []
    library.load(said.append)
    return said


def test_the_reply_stands_at_three_versions_with_production_on_the_second():
    said = load()
    reply = Template.objects.get(name=library.REPLY)
    assert reply.latest.number == 3
    assert Label.objects.get(template=reply, name="production").version.number == 2
    assert set(ChangeRequest.objects.values_list("state", flat=True)) == {"published"}
    assert any("demo/summarise (" in line for line in said)
    again = (Template.objects.count(), Key.objects.count(), ChangeRequest.objects.count())
    load()
    assert (Template.objects.count(), Key.objects.count() - 1, ChangeRequest.objects.count()) == again
    for role in library.PEOPLE:
        assert User.objects.get(username=role).check_password(f"{role}-promptuary")
    assert library.is_loaded()
    assert library.read_key().startswith("pb_")


def test_a_load_that_stopped_halfway_is_gone_on_with():
    class Enough(Exception):
        pass

    def stop(line):
        if line.startswith("support/"):
            raise Enough

    with pytest.raises(Enough):
        library.load(stop)
    assert not library.is_loaded()
    load()
    assert library.is_loaded()
    assert Template.objects.get(name=library.REPLY).latest.number == 3
