"""Program for the home of a running server: adds a long prompt with a sample and proposes its second version.

Prints the number of the change.
"""

import sys

import django

django.setup()

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.changes import decisions
from registry.changes import services as change_services
from registry.namespaces import services as namespace_services
from registry.templates import save as template_save

NAMESPACE, NAME = "reading", "reading/reply"
RULES = "".join(f"    {n}. Rule {n} of the house.\n" for n in range(1, 301))
DOCUMENT = f"""---
inputs:
  customer: {{type: string}}
---
- name: instructions
  role: system
  content: |
    You help {{{{ customer }}}}. Be kind.
{RULES}"""
SAMPLES = {"known": {"customer": "Harbour Books"}}


def main() -> None:
    admin, author, reviewer = (Actor(User.objects.get(username=role)) for role in ("admin", "author", "reviewer"))
    namespace_services.create_namespace(
        actor=admin, name=NAMESPACE, protected_labels=["production"], required_checks=[]
    )
    for role in ("author", "reviewer"):
        namespace_services.set_role(actor=admin, namespace=NAMESPACE, username=role, role=role)
    first = template_save.save_version(
        actor=author, name=NAME, document=DOCUMENT, message="Begin", samples=SAMPLES
    ).version
    change = change_services.propose_change(actor=author, name=NAME, label="production", version=1, message="Begin")
    decisions.decide_on_change(actor=reviewer, number=change.number, decision="approve", digest=first.digest)
    change_services.publish_change(actor=author, number=change.number)
    changed = DOCUMENT.replace("Rule ", "House rule ").replace("Be kind.", "Be kind and brief.")
    template_save.save_version(actor=author, name=NAME, document=changed, message="Name the house", base=first.digest)
    proposed = change_services.propose_change(
        actor=author, name=NAME, label="production", version=2, message="Name the house"
    )
    sys.stdout.write(f"{proposed.number}\n")


if __name__ == "__main__":
    main()
