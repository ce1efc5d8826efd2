"""People. A person is never deleted: versions, decisions and events keep naming them."""

from django.contrib.auth.models import AbstractUser

__all__ = ["User"]


class User(AbstractUser):
    """Somebody who signs in; what they may do stands in their memberships."""

    @property
    def display_name(self) -> str:
        """The full name, or the username where none is given."""
        return self.get_full_name() or self.username
