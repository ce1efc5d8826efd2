"""Reading model replies: JSON, output shapers, judgements and TRACe scores."""
