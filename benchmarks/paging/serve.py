"""Fills the database of its environment and says what pages cost: `python -m benchmarks.paging.serve SIZE VERSIONS`."""

import sys

import django

django.setup()

from benchmarks.paging.fill import fill_database
from benchmarks.paging.measure import answer_questions

if __name__ == "__main__":
    answer_questions(fill_database(int(sys.argv[1]), int(sys.argv[2])))
