"""Which release this is: the one place that says so."""

__all__ = ["VERSION"]

VERSION = "0.1.0"
