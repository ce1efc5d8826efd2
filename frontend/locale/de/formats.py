"""German date formats, by the English format that the templates name."""

_FORMATS = {
    "D j M H:i": "D j. N H:i",
    "D j M H:i T": "D j. N H:i T",
    "D j M Y H:i T": "D j. N Y H:i T",
    "j F": "j. F",
    "j M H:i": "j. N H:i",
    "j M Y": "j. N Y",
    "j M Y, H:i T": "j. N Y, H:i T",
    "j M, H:i:s T": "j. N, H:i:s T",
}
# Django looks up a format as an attribute of this module, and takes it as it is where there is none.
globals().update(_FORMATS)
