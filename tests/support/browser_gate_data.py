"""Program for the home of a running server: adds a namespace without thresholds, a live template and a dataset.

The echo model answers with the prompt, so a version scores better the closer its prompt is to what the rows expect.
"""

import json

import django

django.setup()

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.changes import decisions
from registry.changes import services as change_services
from registry.evaluations import datasets
from registry.namespaces import services as namespace_services
from registry.templates import save as template_save

NAMESPACE, NAME, DATASET = "weighing", "weighing/reply", "weighing/questions"
DOCUMENT = "---\ninputs:\n  question: {type: string}\n---\n- name: answer\n  content: |\n    Gladly: {{ question }}\n"


def main() -> None:
    admin, author, reviewer = (Actor(User.objects.get(username=role)) for role in ("admin", "author", "reviewer"))
    namespace_services.create_namespace(
        actor=admin, name=NAMESPACE, protected_labels=["production"], required_checks=["evaluation"]
    )
    for role in ("author", "reviewer"):
        namespace_services.set_role(actor=admin, namespace=NAMESPACE, username=role, role=role)
    version = template_save.save_version(actor=author, name=NAME, document=DOCUMENT, message="Begin").version
    change = change_services.propose_change(actor=author, name=NAME, label="production", version=1, message="Begin")
    decisions.decide_on_change(actor=reviewer, number=change.number, decision="approve", digest=version.digest)
    change_services.publish_change(actor=author, number=change.number)
    rows = (
        {"id": f"case-{n}", "inputs": {"question": f"Boot {n}?"}, "expected": {"answer": f"Gladly: Boot {n}?"}}
        for n in range(4)
    )
    datasets.save_dataset(actor=author, name=DATASET, text="".join(json.dumps(row) + "\n" for row in rows))


if __name__ == "__main__":
    main()
