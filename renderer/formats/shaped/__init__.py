"""Format shaped: text with function calls in braces, as Haystack's prompts have it."""
