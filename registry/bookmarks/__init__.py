"""Favourite templates and saved searches of a person."""
