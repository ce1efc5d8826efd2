"""Notifications: what people are told, at home and by e-mail."""
