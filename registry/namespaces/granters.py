"""Who gives roles and keys in a namespace, as refusals and pages say it."""

from django.utils.translation import gettext

from registry.namespaces.models import Membership, Namespace, Role
from registry.namespaces.role_memory import remembered

__all__ = ["describe_granters"]


@remembered
def describe_granters(namespace: Namespace) -> str:
    """The sentence that says who gives roles and keys in the namespace."""
    admins = Membership.objects.filter(namespace=namespace, role=Role.ADMIN, person__is_active=True)
    names = list(admins.order_by("person__username").values_list("person__username", flat=True)[:3])
    if not names:
        return gettext("{namespace} has no admin at the moment who could give it.").format(namespace=namespace.name)
    return gettext("Ask an admin of {namespace}: {names}.").format(namespace=namespace.name, names=", ".join(names))
