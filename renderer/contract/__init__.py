"""What a change of a template means for those who send it data and read its replies."""
