"""Notifications, on the home page and by e-mail."""
