"""The lower bound: the fewest tokens that any prompt of a document can take, found by reading the document.

What is counted is the author's own text in parts that may not be cut, outside loops, of each `if` the cheaper branch,
and the markup around it. What is not understood counts as nothing, so no document is found too long that some data can
render.
"""

from promptuary.renderer.lower_bound.prompts import least_prompt

__all__ = ["least_prompt"]
