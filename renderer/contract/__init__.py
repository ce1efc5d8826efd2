"""The contract of a template: what a change means for those who send data and read replies."""
