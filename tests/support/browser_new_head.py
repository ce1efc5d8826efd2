"""Program for the home of a running server: saves a new version of a template as the head of its open change.

The argument is the template's name; its author saves. Everything uses the services, as the pages do.
"""

import sys

import django

django.setup()

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.templates import save as template_save
from registry.templates.models import Template


def main(name: str) -> None:
    author = Actor(User.objects.get(username="author"))
    latest = Template.objects.select_related("latest").get(name=name).latest
    assert latest is not None
    saved = template_save.save_version(
        actor=author, name=name, document=f"{latest.document}    Bye.\n", message="A last word", base=latest.digest
    )
    change = ChangeRequest.objects.pending().get(template__name=name)
    change_services.set_head(actor=author, number=change.number, version=saved.version.number)


if __name__ == "__main__":
    main(sys.argv[1])
