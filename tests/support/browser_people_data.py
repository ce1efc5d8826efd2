"""Program for the home of a running server: adds a person with a key that acts for them, for tests to deactivate."""

import django

django.setup()

from registry.accounts.actor import Actor, build_operator_actor  # noqa: E402  # after Django's setup
from registry.accounts.models import User  # noqa: E402  # as above
from registry.namespaces import keys, services  # noqa: E402  # as above


def main() -> None:
    User.objects.get_or_create(username="leaver", defaults={"email": "leaver@example.org"})
    services.set_role(actor=build_operator_actor(), namespace="support", username="leaver", role="author")
    keys.issue_key(
        actor=Actor(User.objects.get(username="admin")),
        namespace="support",
        name="returns-desk",
        verbs=["fetch"],
        person="leaver",
    )


if __name__ == "__main__":
    main()
