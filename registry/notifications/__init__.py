"""Notifications: what people are told, on their home page and by e-mail."""
