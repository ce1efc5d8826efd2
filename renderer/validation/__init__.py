"""All that can be said about a document before it is used."""
