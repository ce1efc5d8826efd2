"""Program for the home of a running server: adds a namespace with four templates, one of which fails its samples.

The argument is the namespace's name. Everything uses the services, as the pages do.
"""

import sys

import django

django.setup()

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.namespaces import services as namespace_services
from registry.templates import save as template_save

NAMES = ("delivery/exchange", "policy", "refunds/reply", "refunds/summary")
FAILING = "refunds/summary"
DOCUMENT = "---\ninputs:\n  name: {type: string}\n---\n- name: answer\n  content: |\n    Hello {{ name }}\n"


def main(namespace: str) -> None:
    admin, author = (Actor(User.objects.get(username=role)) for role in ("admin", "author"))
    namespace_services.create_namespace(
        actor=admin, name=namespace, protected_labels=["production"], required_checks=["samples"]
    )
    for role in ("author", "reviewer", "reader"):
        namespace_services.set_role(actor=admin, namespace=namespace, username=role, role=role)
    for name in NAMES:
        samples = {"plain": {} if name == FAILING else {"name": "Ada"}}
        template_save.save_version(
            actor=author, name=f"{namespace}/{name}", document=DOCUMENT, message="First words", samples=samples
        )


if __name__ == "__main__":
    main(sys.argv[1])
