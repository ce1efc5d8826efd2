"""JSON Schema: validation of data, with a one-sentence message for each error."""
