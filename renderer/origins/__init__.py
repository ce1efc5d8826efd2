"""Origins: where each stretch of a rendered prompt was written in the document, and applying edits of it there."""
