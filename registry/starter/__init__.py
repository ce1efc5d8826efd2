"""The starter library: documents and samples that a new instance starts with."""
