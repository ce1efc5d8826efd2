"""Documents: front matter, body and fragments. Nothing is run here."""
