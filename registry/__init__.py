"""The registry: who may do what with which template, every lasting decision in order, and what is served."""
