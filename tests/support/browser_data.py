"""Program for the home of a running server: adds a namespace whose budget is checked, a template and a service's key.

Prints the key's secret. Everything uses the services, as the pages do.
"""

import sys

import django

django.setup()

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.changes import decisions, rules
from registry.changes import services as change_services
from registry.namespaces import keys
from registry.namespaces import services as namespace_services
from registry.templates import save as template_save

DOCUMENT = """---
description: Answer a question about an order
inputs:
  shop: {type: string}
  question: {type: string, untrusted: true}
---
- name: instructions
  role: system
  content: |
    You help {{ shop }}. Be kind.
    Use only the policy.
- name: question
  content: |
    {{ question }}
"""
SAMPLES = {
    "boots": {
        "shop": "Harbour Books",
        "question": "Can I return boots that I wore once, outside, in the rain, in spring?",
    }
}
NAMESPACE, NAME = "desk", "desk/reply"


def main() -> None:
    admin, author, reviewer = (Actor(User.objects.get(username=role)) for role in ("admin", "author", "reviewer"))
    namespace_services.create_namespace(
        actor=admin, name=NAMESPACE, protected_labels=["production"], required_checks=["budget"]
    )
    for role in ("author", "reviewer", "reader"):
        namespace_services.set_role(actor=admin, namespace=NAMESPACE, username=role, role=role)
    first = template_save.save_version(
        actor=author, name=NAME, document=DOCUMENT, message="First words", samples=SAMPLES
    ).version
    rules.set_rules(actor=admin, namespace=NAMESPACE, required_checks=[])
    change = change_services.propose_change(
        actor=author, name=NAME, label="production", version=1, message="First words"
    )
    decisions.decide_on_change(actor=reviewer, number=change.number, decision="approve", digest=first.digest)
    change_services.publish_change(actor=author, number=change.number)
    rules.set_rules(actor=admin, namespace=NAMESPACE, required_checks=["budget"])
    secret = keys.issue_key(actor=admin, namespace=NAMESPACE, name="shop front", scope="read").secret
    sys.stdout.write(secret)


if __name__ == "__main__":
    main()
