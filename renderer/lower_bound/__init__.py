"""The lower bound: the fewest tokens that any prompt of a document can have, found without rendering.

Counted are the author's own text in parts that may not be cut, outside loops, in the cheaper branch of each `if`, and
the markup around it. Anything not understood counts as nothing, so no document is reported as too long that some data
can render.
"""

from promptuary.renderer.lower_bound.prompts import count_least_prompt

__all__ = ["count_least_prompt"]
