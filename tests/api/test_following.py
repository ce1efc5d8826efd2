"""Following a template in the API: reading it, changing it, and refusals."""

import pytest

from registry.notifications.models import Watch
from tests.api.conftest import DOCUMENT, REPLY

ADDRESS = f"templates/{REPLY}/-/follow"


@pytest.fixture
def reader(cast, caller):
    cast.save(DOCUMENT)
    return caller("reader", session=True)


def test_a_template_is_followed_and_left(reader):
    assert reader.get(ADDRESS).json() == {"follows": False, "topics": []}
    assert reader.put(ADDRESS, {"topics": ["published", "comments"]}).json() == {
        "follows": True,
        "topics": ["published", "comments"],
    }
    assert Watch.objects.get().level == Watch.ALL
    assert reader.put(ADDRESS, {}).json() == {"follows": True, "topics": []}
    assert [reader.call("DELETE", ADDRESS).status_code for _ in range(2)] == [204, 204]
    assert reader.get(ADDRESS).json() == {"follows": False, "topics": []}


@pytest.mark.parametrize(("topics", "status"), [(["weather"], 422), ("published", 400), ([None], 400)])
def test_a_topic_that_there_is_not_is_named(reader, topics, status):
    answer = reader.put(ADDRESS, {"topics": topics})
    assert answer.status_code == status
    assert "topics" in str(answer.json())
    assert not Watch.objects.exists()
