"""Background work: Celery tasks, the handlers of jobs, and the wake-ups that start them."""
