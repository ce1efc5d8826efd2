"""Reading a model's reply: JSON, output shapers, judgements and TRACe scores."""
