"""Program for the home of a running server: adds a namespace with a template whose name has about 200 characters, and
a release of it whose title is one long word.

The argument is the namespace's name; it prints the release's number.
"""

import sys

import django

django.setup()

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.namespaces import services as namespace_services
from registry.releases import proposals
from registry.releases.plans import ReleaseSelection
from registry.templates import save as template_save


def main(namespace: str) -> None:
    admin, author = (Actor(User.objects.get(username=role)) for role in ("admin", "author"))
    namespace_services.create_namespace(
        actor=admin, name=namespace, protected_labels=["production"], required_checks=[]
    )
    for role in ("author", "reviewer"):
        namespace_services.set_role(actor=admin, namespace=namespace, username=role, role=role)
    name = "/".join([namespace, "f" * 63, "folder-" * 8 + "x", "t" * 63])
    template_save.save_version(
        actor=author, name=name, document="- name: answer\n  content: Answer\n", message="First words"
    )
    release = proposals.propose_release(
        actor=author,
        namespace=namespace,
        label="production",
        title="w" * 120,
        selection=ReleaseSelection(versions={name: 1}),
    ).release
    sys.stdout.write(str(release.number))


if __name__ == "__main__":
    main(sys.argv[1])
