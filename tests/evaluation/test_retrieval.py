"""Finding the documents of a BEIR folder by the words of a query."""

import json

import pytest

from promptuary.evaluation import Chain, DatasetError, EvaluationError, FunctionRunnable, Runnable, datasets, run
from promptuary.evaluation.retrieval import KeywordRetriever

CORPUS = [
    {"_id": "d1", "title": "Boats", "text": "A boat lies in the harbour."},
    {"_id": "d2", "title": "", "text": "The bell hangs in the tower. The bell is old."},
    {"_id": "d3", "text": "A bell on a boat."},
]


@pytest.fixture
def folder(tmp_path):
    def write(name, lines):
        (tmp_path / name).write_text("".join(lines), encoding="utf-8")

    (tmp_path / "qrels").mkdir()
    write("corpus.jsonl", (json.dumps(document) + "\n" for document in CORPUS))
    write("queries.jsonl", ['{"_id": "q1", "text": "old bell"}\n', '{"_id": "q2", "text": "Boats"}\n'])
    write("qrels/test.tsv", ["query-id\tcorpus-id\tscore\n", "q1\td2\t1\n", "q2\td1\t1\n"])
    return tmp_path


def test_the_documents_of_a_corpus_are_read_with_their_titles(folder):
    documents = list(datasets.read_corpus(folder))
    assert documents[0] == {"id": "d1", "content": "A boat lies in the harbour.", "meta": {"title": "Boats"}}
    assert [document["id"] for document in documents if "meta" not in document] == ["d2", "d3"]


def test_a_corpus_that_cannot_be_read_is_named_with_its_line(folder):
    with (folder / "corpus.jsonl").open("a") as file:
        file.write('{"_id": "d4"}\n')
    with pytest.raises(DatasetError, match=r"corpus\.jsonl, line 4"):
        list(datasets.read_corpus(folder))
    with pytest.raises(DatasetError, match=r"corpus\.jsonl"):
        list(datasets.read_corpus(folder / "qrels"))


def test_the_document_that_says_the_words_more_often_comes_first(folder):
    retriever = KeywordRetriever(datasets.read_corpus(folder), k=2)
    documents = retriever.run({"query": "BELL"})["documents"]
    assert [document["id"] for document in documents] == ["d2", "d3"]
    assert documents[0]["score"] > documents[1]["score"] > 0
    assert retriever.run({"query": "nowhere"})["documents"] == []


def test_a_title_is_searched_and_the_questions_are_scored(folder):
    questions = datasets.read(folder)
    result = run(KeywordRetriever(datasets.read_corpus(folder)), questions.inputs, questions.expected_outputs)
    assert result.calculate_metrics("recall_single_hit")["documents"]["score"] == 1.0


def test_it_is_a_component_of_a_chain(folder):
    parts: dict[str, Runnable] = {
        "find": KeywordRetriever(datasets.read_corpus(folder), k=1),
        "read": FunctionRunnable("read", lambda documents: {"answer": documents[0]["id"]}),
    }
    chain = Chain(parts, {"read.documents": "find.documents"})
    assert chain.run({"query": "old"})["read"] == {"answer": "d2"}


def test_another_corpus_has_another_digest():
    one, two = ({"id": "1", "content": text} for text in ("a", "b"))
    assert KeywordRetriever([one]).digest != KeywordRetriever([two]).digest
    assert KeywordRetriever([one]).digest == KeywordRetriever([one]).digest


def test_a_document_without_text_and_a_k_below_1_are_refused():
    with pytest.raises(EvaluationError, match="'7' has no text"):
        KeywordRetriever([{"id": "7"}])
    with pytest.raises(EvaluationError, match="at least 1"):
        KeywordRetriever([], k=0)
