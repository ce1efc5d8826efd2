"""Program for the home of a running server: adds people, and a template whose second version isn't in production.

The people have passwords and email addresses. Everything uses the services, as the pages do.
"""

import django

django.setup()

from registry.accounts.actor import Actor, build_operator_actor
from registry.accounts.models import User
from registry.changes import decisions
from registry.changes import services as change_services
from registry.namespaces import services as namespace_services
from registry.people import administration
from registry.templates import save as template_save

NAME = "support/reply"
DOCUMENT = "---\ninputs:\n  name: {type: string}\n---\n- name: answer\n  content: |\n    Answer {{ name }} %s.\n"


def main() -> None:
    namespace_services.create_namespace(
        actor=build_operator_actor(), name="support", protected_labels=["production"], required_checks=[]
    )
    people = {role: _make_person(role) for role in ("author", "reviewer", "reader", "admin")}
    administration.set_installation_admin(actor=build_operator_actor(), username="admin", is_admin=True)
    author = Actor(people["author"])
    first = template_save.save_version(
        actor=author, name=NAME, document=DOCUMENT % "at once", message="Begin", samples={"plain": {"name": "Ada"}}
    ).version
    change = change_services.propose_change(actor=author, name=NAME, label="production", version=1, message="Begin")
    decisions.decide_on_change(
        actor=Actor(people["reviewer"]), number=change.number, decision="approve", digest=first.digest
    )
    change_services.publish_change(actor=author, number=change.number)
    template_save.save_version(
        actor=author, name=NAME, document=DOCUMENT % "in two days", message="Take time", base=first.digest
    )


def _make_person(role: str) -> User:
    person = User.objects.create(username=role, email=f"{role}@example.org")
    person.set_password(f"{role}-promptuary")
    person.save()
    namespace_services.set_role(actor=build_operator_actor(), namespace="support", username=role, role=role)
    return person


if __name__ == "__main__":
    main()
