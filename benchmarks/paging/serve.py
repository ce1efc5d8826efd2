"""Fills the configured database and prints the cost of pages: `python -m benchmarks.paging.serve SIZE VERSIONS`."""

import sys

import django

django.setup()

from benchmarks.paging.fill import fill_database
from benchmarks.paging.measure import answer_questions
from registry.serving.process_tuning import tune_process

if __name__ == "__main__":
    filled = fill_database(int(sys.argv[1]), int(sys.argv[2]))
    tune_process()  # as in every web process
    answer_questions(filled)
