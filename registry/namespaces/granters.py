"""The people who give roles and keys in a namespace, as text for errors and pages."""

from contextvars import ContextVar

from django.utils.translation import gettext

from registry.namespaces.models import Membership, Namespace, Role

__all__ = ["describe_granters", "known_granters"]

# Sentences by namespace id, cached in a block of `permissions.remember_roles`; None outside of one.
known_granters: ContextVar[dict[int, str] | None] = ContextVar("known_granters", default=None)


def describe_granters(namespace: Namespace) -> str:
    """The sentence that names the people who give roles and keys in the namespace."""
    granters_by_namespace = known_granters.get()
    if granters_by_namespace is None:
        return _describe_admins(namespace)
    if namespace.pk not in granters_by_namespace:
        granters_by_namespace[namespace.pk] = _describe_admins(namespace)
    return granters_by_namespace[namespace.pk]


def _describe_admins(namespace: Namespace) -> str:
    admins = Membership.objects.filter(namespace=namespace, role=Role.ADMIN, person__is_active=True)
    names = list(admins.order_by("person__username").values_list("person__username", flat=True)[:3])
    if not names:
        return gettext("{namespace} has no admin at the moment who could give it.").format(namespace=namespace.name)
    return gettext("Ask an admin of {namespace}: {names}.").format(namespace=namespace.name, names=", ".join(names))
