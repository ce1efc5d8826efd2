"""Rows of the demo's datasets: questions about the shop's terms for 40 articles, and 40 cases to decide."""

from collections.abc import Iterator
from typing import Any

__all__ = ["make_decision_rows", "make_evaluation_rows"]

_ARTICLES = (
    "pair of walking boots",
    "rain jacket",
    "wool jumper",
    "tea kettle",
    "desk lamp",
    "bread knife",
    "linen shirt",
    "garden hose",
    "bicycle bell",
    "camping stove",
    "alarm clock",
    "coffee grinder",
    "picture frame",
    "pair of swimming goggles",
    "chess set",
    "hand mixer",
    "sleeping bag",
    "folding chair",
    "water bottle",
    "table fan",
    "leather belt",
    "sun hat",
    "tool box",
    "bath towel",
    "cutting board",
    "pair of reading glasses",
    "paint brush",
    "yoga mat",
    "salad bowl",
    "door mat",
    "wall clock",
    "pair of winter gloves",
    "travel pillow",
    "egg timer",
    "flower pot",
    "ironing board",
    "letter opener",
    "music stand",
    "oil lamp",
    "pencil case",
)
_DAYS = (14, 30, 45, 60)
_WAREHOUSES = ("Leeds", "Bristol", "York", "Dover", "Perth")


def make_evaluation_rows() -> Iterator[dict[str, Any]]:
    """Rows of a dataset: {"id", "inputs": {"query", "documents"}, "expected": {"answer"}, "tags"}; the same each
    time.
    """
    for number, article in enumerate(_ARTICLES):
        days, price = _DAYS[number % 4], 12 + (17 * number) % 90
        postage, warranty = 3 + number % 6, 12 + 6 * (number % 5)
        warehouse = _WAREHOUSES[(number // 4) % 5]
        about = {
            "price": f"The {article} costs {price} euros. A refund pays the whole price back.",
            "return": f"The {article} may come back within {days} days. Send it to our house in {warehouse}.",
            "fault": f"The {article} has a warranty of {warranty} months. Returning a sound one costs {postage} euros.",
        }
        questions = (
            ("refund", f"How much do I get back for the {article}?", f"{price} euros"),
            ("days", f"Until when may I send the {article} back?", f"{days} days"),
            ("place", f"Where do I send the {article}?", warehouse),
            ("warranty", f"How long is the warranty of the {article}?", f"{warranty} months"),
            ("postage", f"What does it cost to return a sound {article}?", f"{postage} euros"),
        )
        slug = article.replace(" ", "-")
        documents = [{"content": text, "id": f"{slug}-{key}"} for key, text in about.items()]
        for topic, question, answer in questions:
            yield {
                "id": f"{slug}-{topic}",
                "inputs": {"query": question, "documents": documents},
                "expected": {"answer": answer},
                "tags": [topic],
            }


def make_decision_rows() -> Iterator[dict[str, Any]]:
    """Rows of a dataset: {"id", "inputs": {"request"}, "expected": {"answer": refund, exchange or refuse}, "tags"}."""
    for number, article in enumerate(_ARTICLES):
        days = 3 + (11 * number) % 27
        kind, text, answer = (
            ("faulty", f"The {article} broke after {days} days. I have the receipt.", "refund"),
            ("sale", f"I bought the {article} in the sale {days} days ago and want another size.", "exchange"),
            ("unworn", f"The {article} came {days} days ago. It is unused, and the receipt is here.", "refund"),
            ("no-receipt", f"I don't like the {article} I got {days} days ago. The receipt is lost.", "refuse"),
        )[number % 4]
        yield {
            "id": f"{article.replace(' ', '-')}-{kind}",
            "inputs": {"request": text},
            "expected": {"answer": answer},
            "tags": [kind.replace("-", " ")],
        }
