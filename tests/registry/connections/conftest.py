"""A model server on loopback, and a connection to it."""

import pytest

from registry.connections import services
from tests.support.fake_model_server import ModelServer

KEY = "sk-connection-0123456789"


@pytest.fixture
def server(settings):
    settings.OUTBOUND_HOSTS = ["127.0.0.1"]
    with ModelServer({"ready": "ready", "policy": "30 days"}) as model_server:
        yield model_server


@pytest.fixture
def connect(admin, server):
    """Connect the namespace to the server."""

    def make(**options):
        values = {"name": "small", "base_url": server.url, "model": "small-1", "key": KEY, **options}
        return services.create_connection(actor=admin, namespace="support", **values)

    return make
