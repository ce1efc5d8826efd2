"""Connections: created, changed, tested and removed by admins; their keys are encrypted and in no event."""

import json

import pytest

from registry.connections import queries, services
from registry.connections.models import Connection
from registry.core.encryption import unseal
from registry.core.errors import Conflict, Invalid, NotAllowed, NotFound
from registry.journal.models import Event
from tests.registry.connections.conftest import KEY
from tests.support.slow_server import serve_slowly


def test_a_connection_is_among_the_models_that_runs_may_ask(connect):
    connect(prompt_price="0.15", completion_price="0.60")
    endpoint = queries.find_endpoint("small", "support")
    assert (endpoint.model, endpoint.protocol, str(endpoint.price.prompt)) == ("small-1", "openai", "0.150000")
    assert [each.name for each in queries.list_endpoints("support")] == ["small", "echo"]
    assert [each.name for each in queries.list_endpoints("demo")] == ["echo"]


def test_the_key_is_sealed_and_in_no_event(connect):
    row = connect()
    assert KEY not in row.sealed_key
    assert unseal(row.sealed_key) == KEY
    assert KEY not in "".join(Event.objects.values_list("text", flat=True))


def test_the_repr_of_an_endpoint_holds_no_key(connect):
    assert connect().sealed_key not in repr(queries.find_endpoint("small", "support"))


def test_a_connection_of_the_namespace_comes_before_the_operators_model_of_that_name(connect, settings, tmp_path):
    settings.MODELS_PATH = tmp_path / "models.yml"
    settings.MODELS_PATH.write_text("small: {base_url: 'https://models.example/v1', model: other}\n")
    connect()
    assert queries.find_endpoint("small", "support").model == "small-1"
    assert queries.find_endpoint("small", "demo").model == "other"


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("name", "Small Model", "lower-case letters"),
        ("name", "echo", "every namespace has"),
        ("base_url", "https://10.0.0.1/v1", "not a public address"),
        ("base_url", "http://models.example/v1", "https://"),
        ("base_url", "https://models.example/v1?key=x", "without"),
        ("model", " ", "id of the model"),
        ("protocol", "grpc", "openai, responses, anthropic"),
        ("key", "two words", "no blanks"),
        ("prompt_price", "-1", "an amount"),
        ("prompt_price", "cheap", "an amount"),
        ("prompt_price", "NaN", "an amount"),
        ("prompt_price", "1", "both prices"),
        ("currency", "dollar", "capital letters"),
        ("timeout", 0, "from 1 to 600"),
        ("concurrency", 33, "from 1 to 32"),
        ("per_second", 0, "from 0.01"),
    ],
)
def test_a_wrong_field_is_named_and_nothing_is_stored(connect, field, value, sentence):
    with pytest.raises(Invalid) as caught:
        connect(**{field: value})
    assert sentence in " ".join(caught.value.fields.values())
    assert not Connection.objects.exists()


def test_a_name_is_taken_once(connect):
    connect()
    with pytest.raises(Conflict, match="small already"):
        connect()


def test_only_admins_manage_connections(author, outsider, connect, server):
    values = {"namespace": "support", "name": "a", "base_url": server.url, "model": "m"}
    with pytest.raises(NotAllowed):
        services.create_connection(actor=author, **values)
    with pytest.raises(NotFound):
        services.create_connection(actor=outsider, **values)
    row = connect()
    with pytest.raises(NotAllowed):
        services.change_connection(actor=author, connection_id=row.id, model="other")
    with pytest.raises(NotFound, match="There is no connection"):
        services.remove_connection(actor=outsider, connection_id=row.id)


def test_a_change_keeps_what_is_not_given(admin, connect):
    row = connect(prompt_price="1", completion_price="2")
    changed = services.change_connection(actor=admin, connection_id=row.id, model="small-2")
    assert (changed.model, changed.name, str(changed.completion_price)) == ("small-2", "small", "2.000000")
    assert unseal(changed.sealed_key) == KEY


def test_another_host_drops_the_key(admin, connect, settings):
    row = connect()
    settings.OUTBOUND_HOSTS = ["127.0.0.1", "localhost"]
    changed = services.change_connection(actor=admin, connection_id=row.id, base_url="http://localhost:9/v1")
    assert (changed.has_key, changed.sealed_key) == (False, "")


def test_another_host_takes_the_key_that_comes_with_it(admin, connect, settings):
    row = connect()
    settings.OUTBOUND_HOSTS = ["127.0.0.1", "localhost"]
    address = {"base_url": "http://localhost:9/v1", "key": "sk-other"}
    changed = services.change_connection(actor=admin, connection_id=row.id, **address)
    assert unseal(changed.sealed_key) == "sk-other"
    assert json.loads(Event.objects.latest("number").text)["body"]["rotated"] is True


def test_a_connection_that_is_tried_answers(admin, connect):
    result = services.try_connection(actor=admin, connection_id=connect().id)
    assert (result.text, result.prompt_tokens, result.completion_tokens) == ("ready", 100, 10)


def test_a_connection_to_nothing_says_so_when_it_is_tried(admin, connect):
    row = connect(base_url="http://127.0.0.1:9/v1")
    with pytest.raises(Conflict, match=r"nothing answers at 127\.0\.0\.1 on port 9\.$"):
        services.try_connection(actor=admin, connection_id=row.id)


def test_a_model_that_answers_bit_by_bit_holds_no_page(admin, connect, monkeypatch):
    monkeypatch.setattr(services, "_MAX_TRY_SECONDS", 0.3)
    with serve_slowly([b"HTTP/1.1 200 OK\r\nX: ", *[b"x"] * 100]) as url:
        row = connect(base_url=url)
        with pytest.raises(Conflict, match=r"took longer than 0\.6 s\.$"):
            services.try_connection(actor=admin, connection_id=row.id)


def test_an_address_that_is_allowed_no_more_is_not_asked(admin, connect, server, settings):
    row = connect()
    settings.OUTBOUND_HOSTS = []
    with pytest.raises(Conflict, match="the address must start with https"):
        services.try_connection(actor=admin, connection_id=row.id)
    assert not server.answered


def test_a_connection_whose_key_was_lost_says_who_enters_it(admin, connect):
    row = connect()
    Connection.objects.update(sealed_key="")  # as after a restore
    with pytest.raises(Conflict, match="needs its key again"):
        services.try_connection(actor=admin, connection_id=row.id)


def test_a_connection_sealed_under_another_secret_key_says_who_enters_its_key(admin, connect, settings):
    row = connect()
    settings.SECRET_KEY = "another"
    with pytest.raises(Conflict, match="needs its key again"):
        services.try_connection(actor=admin, connection_id=row.id)


def test_a_removed_connection_is_gone_with_its_key(admin, connect):
    services.remove_connection(actor=admin, connection_id=connect().id)
    assert not Connection.objects.exists()
    assert [endpoint.name for endpoint in queries.list_endpoints("support")] == ["echo"]
