"""What a person keeps at hand: favourite templates, and searches under a name."""
