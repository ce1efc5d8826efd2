"""JSON Schema: validation of data, with one sentence for each error."""
