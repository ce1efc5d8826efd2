"""Program for the home of a running server: adds a namespace with one open change that nobody may approve.

Without arguments, makes the namespace and prints the change's number. The argument `require` makes two-step sign-in
required in it.
"""

import sys

import django

django.setup()

from registry.accounts.actor import Actor, build_operator_actor  # noqa: E402  # after Django's setup
from registry.accounts.models import User  # noqa: E402  # as above
from registry.changes import rules  # noqa: E402  # as above
from registry.changes import services as change_services  # noqa: E402  # as above
from registry.namespaces import services as namespace_services  # noqa: E402  # as above
from registry.templates import save as template_save  # noqa: E402  # as above

NAMESPACE, NAME = "greetings", "greetings/hello"
DOCUMENT = "- name: answer\n  content: |\n    Good morning!\n"


def main() -> None:
    admin, author = (Actor(User.objects.get(username=role)) for role in ("admin", "author"))
    namespace_services.create_namespace(
        actor=admin, name=NAMESPACE, protected_labels=["production"], required_checks=[]
    )
    namespace_services.set_role(actor=admin, namespace=NAMESPACE, username="author", role="author")
    template_save.save_version(actor=author, name=NAME, document=DOCUMENT, message="Greet")
    change = change_services.propose_change(actor=author, name=NAME, label="production", version=1, message="Greet")
    sys.stdout.write(str(change.number))


if __name__ == "__main__":
    if "require" in sys.argv:
        rules.set_rules(actor=build_operator_actor(), namespace=NAMESPACE, two_step_required=True)
    else:
        main()
