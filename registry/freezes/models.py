"""Freezes of namespaces. Removed ones stay stored, since the calendar shows the past."""

from zoneinfo import ZoneInfo

from django.db import models

from registry.accounts.models import User
from registry.freezes import windows
from registry.freezes.windows import OneWindow, WeeklyWindow, Window, Windows
from registry.namespaces.models import Namespace

__all__ = ["Freeze"]


class Freeze(models.Model):
    """No protected label of the namespace moves forward in its windows: one (`starts_at`), or one every week."""

    number = models.PositiveIntegerField(primary_key=True)
    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="freezes")
    starts_at = models.DateTimeField(null=True, help_text="of a freeze that happens once")
    ends_at = models.DateTimeField(null=True)
    week_start = models.PositiveSmallIntegerField(null=True, help_text="of a weekly one: minutes since Monday 00:00")
    week_end = models.PositiveSmallIntegerField(null=True)
    time_zone = models.CharField(max_length=64, default="", blank=True, help_text="of a weekly one: an IANA name")
    reason = models.TextField()
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    removed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(
                    starts_at__isnull=False,
                    ends_at__gt=models.F("starts_at"),
                    week_start__isnull=True,
                    week_end__isnull=True,
                )
                | models.Q(
                    starts_at__isnull=True,
                    ends_at__isnull=True,
                    week_start__lt=windows.WEEK,
                    week_end__lt=windows.WEEK,
                ),
                name="freeze_once_or_weekly",
            )
        ]

    def __str__(self) -> str:
        return f"freeze {self.number}"

    @property
    def is_weekly(self) -> bool:
        """Whether it repeats every week."""
        return self.starts_at is None

    @property
    def windows(self) -> Windows:
        """Its windows, computed from the columns."""
        if self.starts_at is not None and self.ends_at is not None:
            return OneWindow(Window(self.starts_at, self.ends_at))
        return WeeklyWindow(self.week_start or 0, self.week_end or 0, ZoneInfo(self.time_zone))

    @property
    def times(self) -> str:
        """Its time as text: `Fri 16:00 to Mon 08:00 every week (Europe/Berlin)`."""
        if self.starts_at is not None and self.ends_at is not None:
            return windows.describe_window(self.starts_at, self.ends_at)
        return windows.describe_weekly_window(self.week_start, self.week_end, self.time_zone)

    @property
    def weekly_start(self) -> str:
        """`fri 16:00`; empty if it happens once."""
        return windows.format_week_minute(self.week_start)

    @property
    def weekly_end(self) -> str:
        """`mon 08:00`; empty if it happens once."""
        return windows.format_week_minute(self.week_end)
