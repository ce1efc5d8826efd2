"""Program for the home of a running server: adds a namespace whose gate is decided by people, with two versions.

Prints the number of the change that proposes the second, and the numbers of the runs of both, which the worker runs.
"""

import json
import sys

import django

django.setup()

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.changes import services as change_services
from registry.evaluations import attachments, datasets, start_runs
from registry.namespaces import services as namespace_services
from registry.templates import save as template_save

NAMESPACE, NAME, DATASET = "tastings", "tastings/reply", "tastings/questions"
DOCUMENT = "---\ninputs:\n  question: {type: string}\n---\n- name: answer\n  content: |\n    Gladly: {{ question }}\n"
ROWS = "".join(json.dumps({"id": f"case-{n}", "inputs": {"question": f"Boot {n}?"}}) + "\n" for n in range(2))


def main() -> None:
    admin, author = (Actor(User.objects.get(username=role)) for role in ("admin", "author"))
    namespace_services.create_namespace(
        actor=admin, name=NAMESPACE, protected_labels=["production"], required_checks=["evaluation"]
    )
    for role in ("author", "reviewer", "reader"):
        namespace_services.set_role(actor=admin, namespace=NAMESPACE, username=role, role=role)
    first = template_save.save_version(actor=author, name=NAME, document=DOCUMENT, message="Begin").version
    other = DOCUMENT.replace("Gladly", "With pleasure")
    template_save.save_version(actor=author, name=NAME, document=other, message="Be warm", base=first.digest)
    datasets.save_dataset(actor=author, name=DATASET, text=ROWS)
    attachments.attach_evaluation(
        actor=admin,
        namespace=NAMESPACE,
        name="kindness",
        pattern="reply",
        dataset=DATASET,
        model="echo",
        gates=["reviewed_by_people >= 0.75"],
        scores_needed=4,
    )
    runs = [
        start_runs.start_run(actor=author, template=NAME, ref=ref, dataset=DATASET, model="echo").number
        for ref in ("1", "2")
    ]
    change = change_services.propose_change(
        actor=author, name=NAME, label="production", version=2, message="Be warm"
    ).number
    sys.stdout.write(json.dumps([change, *runs]))


if __name__ == "__main__":
    main()
