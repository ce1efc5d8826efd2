"""The contract of a template: what a change means for code that sends data or reads replies."""
