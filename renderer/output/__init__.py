"""Output: the rendered prompt as turns, messages, one text, tokens, or the arguments of a provider call."""
