"""Rows of the demo dataset: 200 questions about 40 invented lighthouses, with passages to answer them from."""

from collections.abc import Iterator
from typing import Any

__all__ = ["make_evaluation_rows"]

_NAMES = (
    "Aldersand",
    "Birkholm",
    "Calder Point",
    "Dunmere",
    "Ellerby Ness",
    "Farrow Head",
    "Gullstone",
    "Harrowby",
    "Isleden",
    "Jarrow Spit",
    "Keldwick",
    "Lindmouth",
    "Marram",
    "Norskerry",
    "Oldhaven",
    "Penwether",
    "Quayle Rock",
    "Rosmere",
    "Skarn",
    "Thornsea",
    "Ulverness",
    "Varley Bar",
    "Westerholm",
    "Yarrowmouth",
    "Zennor Reef",
    "Ashby Sound",
    "Brackwater",
    "Corran",
    "Dovrey",
    "Eastrick",
    "Fennel Cape",
    "Grimsay Tail",
    "Holmby",
    "Inverlea",
    "Kittiwake",
    "Longstrand",
    "Merrow",
    "Northby",
    "Ormskeld",
    "Pollard Shoal",
)
_COLOURS = ("white", "red and white", "grey", "black and white", "ochre")
_STONES = ("granite", "brick", "limestone", "cast iron", "sandstone")
_MONTHS = ("April", "May", "June", "July")


def make_evaluation_rows() -> Iterator[dict[str, Any]]:
    """Rows of a dataset: {"id", "inputs": {"query", "documents"}, "expected": {"answer"}}; the same each time."""
    for number, name in enumerate(_NAMES):
        lit, electric = 1801 + 3 * number, 1921 + number
        height, steps = 18 + (7 * number) % 37, 90 + (13 * number) % 140
        colour, stone = _COLOURS[number % 5], _STONES[(number // 5) % 5]
        month = _MONTHS[number % 4]
        about = {
            "lit": f"The lighthouse of {name} was lit for the first time in {lit}. It burned oil until {electric}.",
            "built": f"{name} is built of {stone}, painted {colour}, and stands {height} metres high.",
            "visit": f"Visitors may climb the {steps} steps of {name} from {month} to October, when the wind allows.",
        }
        questions = (
            ("lit", f"When was the lighthouse of {name} first lit?", str(lit)),
            ("stone", f"What is the lighthouse of {name} built of?", stone),
            ("height", f"How high is the lighthouse of {name}?", f"{height} metres"),
            ("colour", f"What colour is the lighthouse of {name}?", colour),
            ("steps", f"How many steps lead up the lighthouse of {name}?", str(steps)),
        )
        documents = [{"content": text, "id": f"{name.lower().replace(' ', '-')}-{key}"} for key, text in about.items()]
        for topic, question, answer in questions:
            yield {
                "id": f"{name.lower().replace(' ', '-')}-{topic}",
                "inputs": {"query": question, "documents": documents},
                "expected": {"answer": answer},
            }
