"""The kinds of content that a text column can hold."""

from enum import Enum

__all__ = ["Holds"]


class Holds(Enum):
    """What a column can contain, which decides what a redaction does."""

    NOTHING = "names, digests, numbers and fixed words only, or what is sealed or hashed"
    REMOVED = "removed with the version, or whatever row repeats its text"
    BLANKED = "notes about work, emptied where they repeat the text"
    WORDS = "what people wrote, which stays; the dry run names the rows that repeat the text"
    OWN = "has versions of its own and stays; the dry run names the rows that repeat the text"
