"""Format shaped: text with function calls in braces, compatible with Haystack's prompts."""
