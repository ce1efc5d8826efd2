"""Every entry point that returns a version to a service counts the fetch."""

import base64

import pytest

from registry.accounts.models import Key
from registry.namespaces.key_use import write_key_uses
from registry.serving.fetcher import get_fetcher
from registry.usage import recorder
from registry.usage.models import Fetch
from tests.api.conftest import REPLY, SAMPLES, Caller
from tests.api.test_fetch import Ahead

pytestmark = pytest.mark.dialect

PATH = f"/api/v1/templates/{REPLY}"


@pytest.fixture(autouse=True)
def _start_at_nothing() -> None:
    recorder.process_counts().forget()


@pytest.fixture
def key(cast):
    cast.save()
    cast.publish(1)
    return cast.key(scope="write")


def counted() -> dict[str, int]:
    """Ref to count, of version 1."""
    assert recorder.flush_counts()
    return {row.ref: row.count for row in Fetch.objects.filter(version__number=1)}


def test_a_fetch_counts_by_the_ref_as_it_was_asked_whether_decided_or_ready(key):
    ahead = Ahead(key)
    for ref in ("production", "production", "1", "1", "1"):
        assert ahead(f"{PATH}@{ref}")[0] == "200 OK"
    assert counted() == {"production": 2, "1": 3}


def test_unchanged_fetches_count_and_refused_ones_do_not(key):
    ahead = Ahead(key)
    etag = ahead(f"{PATH}@1")[1]["ETag"]
    for _ in range(2):
        assert ahead(f"{PATH}@1", HTTP_IF_NONE_MATCH=etag)[0] == "304 Not Modified"
    assert ahead(f"{PATH}@9")[0] == "404 Not Found"
    assert counted() == {"1": 3}


def test_a_fetch_of_many_counts_each(key):
    Caller(key=key).post("fetch", {"refs": [f"{REPLY}@1", f"{REPLY}@production"]})
    assert counted() == {"production": 1, "1": 1}


def test_a_bundle_counts_each_version_in_it(key):
    assert Caller(key=key).get("namespaces/support/bundle").status_code == 200
    assert counted() == {"production": 1}


def test_langfuse_counts(client, key):
    basic = base64.b64encode(f"pk:{key}".encode()).decode()
    address = f"/api/public/v2/prompts/{REPLY}?label=production"
    assert client.get(address, headers={"Authorization": f"Basic {basic}"}).status_code == 200
    assert counted() == {"production": 1}


def test_rendering_on_the_server_counts(key):
    fields = {"template": REPLY, "ref": "production", "data": SAMPLES["short"]}
    assert Caller(key=key).post("render", fields).status_code == 200
    assert counted() == {"production": 1}


def test_fetches_of_a_signed_in_person_are_not_counted(cast, caller):
    cast.save()
    assert caller("author", session=True).get(f"templates/{REPLY}@1").status_code == 200
    assert counted() == {}


def test_a_key_was_used_by_every_request(cast, key):
    Caller(key=key).get("templates")
    write_key_uses()
    assert Key.objects.get().last_used_at is not None


def test_counts_of_an_earlier_journal_are_dropped(key):
    Ahead(key)(f"{PATH}@1")
    get_fetcher().follower.head = (get_fetcher().follower.head[0], "sha256:of another journal")
    get_fetcher().follower.mark_due()
    Ahead(key)(f"{PATH}@production")
    assert counted() == {"production": 1}
