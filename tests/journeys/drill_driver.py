"""What the restore drill runs: `python -m tests.journeys.drill_driver build <templates> <versions>`, or `photograph`."""

import json
import sys

import django

django.setup()

from registry import access  # noqa: E402  # needs the settings
from registry.access import Actor  # noqa: E402  # as above
from registry.models import User  # noqa: E402  # as above
from registry.services import changes, labels, members, namespaces, samples, templates  # noqa: E402  # as above
from tests.registry.mirror import photograph  # noqa: E402  # as above


def build(count: int, depth: int) -> None:
    """So many templates of so many versions, every third with samples, requests, decisions and label moves."""
    operator = access.operator()
    for name in ("support", "sales"):
        namespaces.create(actor=operator, name=name, protected_labels=["production"])
    cast = {role: Actor(User.objects.create(username=role)) for role in ("author", "reviewer")}
    for role in cast:
        for name in ("support", "sales"):
            members.set_role(actor=operator, namespace=name, username=role, role=role)
    for number in range(count):
        name = f"{('support', 'sales')[number % 2]}/folder{number % 7}/t{number}"
        digests = save_versions(cast["author"], name, depth)
        if number % 3 == 0:
            publish(cast, name, digests)


def save_versions(author: Actor, name: str, depth: int) -> list[str]:
    """The versions' digests, in order."""
    digests: list[str] = []
    for version in range(1, depth + 1):
        document = (
            f"---\ntags: [t{version}]\n---\n- name: a\n  content: Version {version} of {name} for {{{{ who }}}}\n"
        )
        base = digests[-1] if digests else None
        saved = templates.save(actor=author, name=name, document=document, message=f"Say {version}", base=base)
        digests.append(saved.version.digest)
    return digests


def publish(cast: dict[str, Actor], name: str, digests: list[str]) -> None:
    """Samples, a free label, a request published, another one withdrawn."""
    author, reviewer = cast["author"], cast["reviewer"]
    samples.save(actor=author, name=name, samples={"plain": {"who": "Käthe"}})
    labels.move(actor=author, name=name, label="staging", version=1, expected=None)
    change = changes.propose(actor=author, name=name, label="production", version=2, message="Please")
    changes.decide(actor=reviewer, number=change.number, decision="approve", digest=digests[1], text="Good")
    changes.publish(actor=author, number=change.number)
    other = changes.propose(actor=author, name=name, label="production", version=1, message="")
    changes.decide(
        actor=reviewer, number=other.number, decision="request_changes", digest=digests[0], text="No:\n- old"
    )
    changes.withdraw(actor=author, number=other.number)


if __name__ == "__main__":
    if sys.argv[1] == "build":
        build(int(sys.argv[2]), int(sys.argv[3]))
    else:
        sys.stdout.write(json.dumps(photograph.take(), sort_keys=True))
