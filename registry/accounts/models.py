"""People and the API keys that act for them."""

from collections.abc import Callable, Collection

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils import translation

__all__ = [
    "SECOND_STEPS",
    "Key",
    "User",
    "list_people_with_two_step",
    "select_people_with_two_step",
    "translate_for",
    "use_language_of",
]

SECOND_STEPS = ("totp", "webauthn")  # allauth's types that count as a second step: authenticator apps and passkeys


class User(AbstractUser):
    """A person who can sign in; their permissions come from their memberships."""

    checklist_closed_at = models.DateTimeField(null=True, help_text="when the first steps on the home page were closed")
    time_zone = models.CharField(max_length=64, default="", blank=True, help_text="an IANA name; empty: UTC")
    language = models.CharField(
        max_length=8,
        default="",
        blank=True,
        help_text="of pages and mails: a code such as de; empty: as the browser asks",
    )
    promotion_source = models.CharField(
        max_length=36, default="", blank=True, help_text="the label that Environments promotes from; empty: not chosen"
    )
    promotion_target = models.CharField(
        max_length=36, default="", blank=True, help_text="the label that Environments promotes to; empty: not chosen"
    )
    folder_layout = models.CharField(
        max_length=4,
        default="",
        db_default="",
        blank=True,
        help_text="how Templates shows folders: tree or flat; empty: not chosen, a tree",
    )
    is_address_unproven = models.BooleanField(
        default=False, help_text="whether the address was typed by its person and never confirmed by mail"
    )

    @property
    def has_two_step(self) -> bool:
        """Whether signing in requires an app code or a passkey besides the password. Queries the database each time."""
        return list_people_with_two_step().filter(pk=self.pk).exists()

    @property
    def has_passkey(self) -> bool:
        """Whether the person has added a passkey. Queries the database each time."""
        return User.objects.filter(pk=self.pk, authenticator__type="webauthn").exists()

    @property
    def display_name(self) -> str:
        """The full name, or the username without one."""
        return self.get_full_name() or self.username


def list_people_with_two_step() -> models.QuerySet[User]:
    """Everybody with two-step sign-in; people with several second steps appear several times."""
    return User.objects.filter(authenticator__type__in=SECOND_STEPS)


def select_people_with_two_step(usernames: Collection[str]) -> set[str]:
    """Select the usernames of people with two-step sign-in."""
    return set(list_people_with_two_step().filter(username__in=usernames).values_list("username", flat=True))


def use_language_of(person: User) -> translation.override:
    """A context manager that activates the person's language: the chosen one, else English."""
    return translation.override(person.language or settings.LANGUAGE_CODE)


def translate_for(person: User, say: Callable[[], str]) -> str:
    """The sentence from `say`, in the person's language."""
    with use_language_of(person):
        return say()


class Key(models.Model):
    """A credential of one service, acting for one person in one namespace."""

    READ = "read"
    WRITE = "write"
    CHOSEN = "chosen"
    SCOPES = (READ, WRITE, CHOSEN)

    id = models.CharField(max_length=8, primary_key=True, help_text="the public part of pb_<id>_<secret>")
    namespace = models.ForeignKey("registry.Namespace", on_delete=models.PROTECT, related_name="keys")
    person = models.ForeignKey(User, on_delete=models.PROTECT, related_name="keys")
    name = models.CharField(max_length=100)
    scope = models.CharField(max_length=8, choices=[(scope, scope) for scope in SCOPES])
    verbs = models.JSONField(default=list, blank=True, help_text="what a key of the scope chosen may, each by name")
    labels = models.JSONField(default=list, blank=True, help_text="the only labels it fetches and moves; none: all")
    addresses = models.JSONField(
        default=list, blank=True, help_text='the only networks it is used from: ["203.0.113.0/24"]; none: any'
    )
    secret_sha256 = models.CharField(max_length=64)
    approved_only = models.BooleanField(null=True, help_text="null: as the namespace's rules say")
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)
    replaces = models.OneToOneField(
        "self", on_delete=models.PROTECT, related_name="replaced_by", null=True, help_text="the key it was rotated from"
    )

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(scope__in=("read", "write", "chosen")), name="key_scope_known")
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.id})"
