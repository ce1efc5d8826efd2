"""The people and namespaces with which tests start, the same in every folder."""

from registry.accounts.actor import Actor, build_operator_actor
from registry.accounts.models import User
from registry.namespaces import services as namespace_services
from registry.namespaces.models import Namespace
from tests.support.recorded_rows import write_or_insert

__all__ = ["ROLES", "load_people", "load_support"]

ROLES = ("reader", "author", "reviewer", "admin")


def load_support() -> Namespace:
    """The namespace `support`, made by the operator, with one person of each role; `production` is protected."""
    write_or_insert("support", _write_support)
    return Namespace.objects.get(name="support")


def load_people() -> dict[str, User]:
    """People by name: one of each role in `support` and `demo`, and `outsider`, the admin of `other`.

    `support` protects `production`, `demo` nothing. The password is the name with "-promptuary".
    """
    write_or_insert("people", _write_people)
    names = (*ROLES, "outsider")
    people = User.objects.in_bulk(names, field_name="username")
    return {name: people[name] for name in names}


def _write_support() -> None:
    operator = build_operator_actor()
    namespace_services.create_namespace(
        actor=operator, name="support", protected_labels=["production"], required_checks=[]
    )
    for role in ("author", "reviewer", "reader", "admin"):
        User.objects.create(username=role)
        namespace_services.set_role(actor=operator, namespace="support", username=role, role=role)


def _write_people() -> None:
    people = {name: User.objects.create(username=name) for name in (*ROLES, "outsider")}
    for name, person in people.items():
        person.set_password(f"{name}-promptuary")
        person.save()
    admin = Actor(people["admin"])
    for name, protected in (("support", ["production"]), ("demo", [])):
        namespace_services.create_namespace(actor=admin, name=name, protected_labels=protected, required_checks=[])
        for role in ROLES[:-1]:
            namespace_services.set_role(actor=admin, namespace=name, username=role, role=role)
    namespace_services.create_namespace(actor=Actor(people["outsider"]), name="other")
