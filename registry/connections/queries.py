"""Queries of connections: the models that can be called in a namespace, and its connections for its admins."""

from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.connections.endpoint import ECHO, Endpoint, Price
from registry.connections.models import Connection, SpendingCap
from registry.connections.operator_models import list_operator_models
from registry.core.errors import Invalid, NotFound
from registry.namespaces import permissions
from registry.namespaces.models import Namespace
from registry.namespaces.verbs import Verb

__all__ = [
    "find_cap",
    "find_connection",
    "find_endpoint",
    "find_spending_caps",
    "list_connections",
    "list_endpoints",
    "make_endpoint",
]

_ATTEMPTS = 5
_echo = Endpoint(ECHO, "echo", model=ECHO)


def list_endpoints(namespace: str) -> list[Endpoint]:
    """The models that can be called in the namespace: its connections and the operator's models, by name, and last the
    echo model. If names are equal, the connection wins.
    """
    rows = Connection.objects.filter(namespace__name=namespace)
    by_name = {endpoint.name: endpoint for endpoint in list_operator_models(namespace)}
    by_name |= {row.name: make_endpoint(row) for row in rows}
    return [*(by_name[name] for name in sorted(by_name)), _echo]


def find_endpoint(name: str, namespace: str) -> Endpoint:
    """The model of that name. Raises Invalid with the existing names."""
    endpoints = list_endpoints(namespace)
    for endpoint in endpoints:
        if endpoint.name == name:
            return endpoint
    names = ", ".join(endpoint.name for endpoint in endpoints)
    sentence = gettext(
        "{namespace} has no model {value!r}; it has {names}. An admin of the namespace connects models."
    ).format(namespace=namespace, value=name[:80], names=names)
    raise Invalid(fields={"model": sentence})


def make_endpoint(row: Connection) -> Endpoint:
    """A connection as a model that can be called."""
    price = None
    if row.prompt_price is not None and row.completion_price is not None:
        price = Price(row.prompt_price, row.completion_price, row.currency)
    return Endpoint(
        row.name,
        "http",
        protocol=row.protocol,
        model=row.model,
        base_url=row.base_url,
        sealed_key=row.sealed_key,
        needs_key=row.has_key,
        is_guarded=True,
        price=price,
        concurrency=row.concurrency,
        per_second=row.per_second,
        timeout=float(row.timeout),
        attempts=_ATTEMPTS,
    )


def list_connections(actor: Actor, namespace: str) -> list[Connection]:
    """All connections of the namespace by name; for its admins."""
    space = permissions.find_namespace(actor, Verb.MANAGE, namespace)
    return list(space.connections.select_related("created_by", "namespace").order_by("name"))


def find_connection(actor: Actor, connection_id: str, namespace: str = "") -> Connection:
    """The connection, after checking the right to manage it. Raises NotFound if the actor may not know of it, or if it
    is not in the namespace that is given.
    """
    row = Connection.objects.select_related("namespace", "created_by").filter(id=connection_id).first()
    unknown = NotFound(
        gettext("There is no connection {value}, or you may not manage it.").format(value=connection_id[:20])
    )
    if row is None or namespace not in ("", row.namespace.name):
        raise unknown
    try:
        permissions.require_verb(actor, Verb.MANAGE, row.namespace)
    except NotFound as error:
        raise unknown from error
    return row


def find_spending_caps(actor: Actor, namespace: str) -> SpendingCap:
    """The caps of the namespace of that name; for its admins."""
    return find_cap(permissions.find_namespace(actor, Verb.MANAGE, namespace))


def find_cap(namespace: Namespace) -> SpendingCap:
    """The caps of the namespace; an unsaved row without caps if none was set."""
    return SpendingCap.objects.filter(namespace=namespace).first() or SpendingCap(namespace=namespace)
