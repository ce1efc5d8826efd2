"""Forms of the freezes page: a one-off freeze, and a weekly one."""

from typing import Any

from django import forms
from django.utils import timezone
from django.utils.dates import WEEKDAYS

from frontend.web.time_zones import list_time_zones
from registry.freezes.windows import DAYS

__all__ = ["OneFreezeForm", "WeeklyFreezeForm"]

_DAY_CHOICES = list(zip(DAYS, WEEKDAYS.values(), strict=True))


class OneFreezeForm(forms.Form):
    """Start and end of a freeze, in the reader's time zone."""

    starts = forms.CharField(max_length=32)
    ends = forms.CharField(max_length=32)
    reason = forms.CharField(max_length=500)

    def read_fields(self) -> dict[str, Any]:
        """The arguments of `set_freeze`."""
        zone = timezone.get_current_timezone_name()
        return {**self.cleaned_data, "repeat": "once", "time_zone": zone}


class WeeklyFreezeForm(forms.Form):
    """Day and time of the start and the end of a weekly freeze."""

    start_day = forms.ChoiceField(choices=_DAY_CHOICES)
    start_time = forms.CharField(max_length=5)
    end_day = forms.ChoiceField(choices=_DAY_CHOICES)
    end_time = forms.CharField(max_length=5)
    time_zone = forms.ChoiceField(
        choices=lambda: [("UTC", "UTC"), *((name, name) for _, zones in list_time_zones() for name, _ in zones)]
    )
    reason = forms.CharField(max_length=500)

    def read_fields(self) -> dict[str, Any]:
        """The arguments of `set_freeze`."""
        values = self.cleaned_data
        return {
            "repeat": "weekly",
            "starts": f"{values['start_day']} {values['start_time']}",
            "ends": f"{values['end_day']} {values['end_time']}",
            "time_zone": values["time_zone"],
            "reason": values["reason"],
        }
