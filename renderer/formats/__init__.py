"""The formats: four ways in which a body becomes parts."""

from renderer.formats.protocol import Body, Format, Functions

__all__ = ["Body", "Format", "Functions"]
