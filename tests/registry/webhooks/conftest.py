"""A webhook receiver on loopback, and a webhook that sends to it."""

import pytest

from registry.webhooks import services as webhook_services
from tests.support.hook_receiver import receive_hooks


@pytest.fixture
def receiver(settings):
    settings.OUTBOUND_HOSTS = ["127.0.0.1"]
    with receive_hooks() as here:
        yield here


@pytest.fixture
def make(admin, receiver):
    """Make a webhook of the namespace at the receiver."""

    def write(**options):
        return webhook_services.create_webhook(actor=admin, namespace="support", **{"url": receiver.url, **options})

    return write
