"""Origins: where each stretch of a rendered prompt was written in the document, and edits of it carried back there."""
