"""What renamed templates lose of webhooks: patterns that no longer match, so that events aren't sent."""

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from django.utils.translation import gettext

from registry.namespaces.models import Namespace
from registry.templates.rename_losses import Loss, MovedPath
from registry.webhooks.models import Webhook

__all__ = ["find_rename_losses"]


def find_rename_losses(namespace: Namespace, paths: Sequence[MovedPath]) -> Iterator[tuple[str, Loss]]:
    """Yield a loss for each webhook that no longer gets a template's events."""
    webhooks = list(Webhook.objects.filter(namespace=namespace).exclude(template="").order_by("pk"))
    for before, after in paths:
        for webhook in webhooks:
            if fnmatchcase(before, webhook.template) and not fnmatchcase(after, webhook.template):
                sentence = gettext("The webhook {webhook} to {host} will no longer get the events of {name}.")
                yield before, Loss(sentence, (("webhook", webhook.pk), ("host", webhook.host)))
