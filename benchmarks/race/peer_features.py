#!/usr/bin/env python3
"""Looks up what docs/comparison.md says that peers have: WORK/venv/bin/python peer_features.py [FOLDER_WITH_BERTOPIC]

Prints the versions, and each name that is or is not there; the exit status is 1 where one is missing that the page names,
or one is there that the page denies. BERTopic needs not be importable: its source is read, as
`pip install --no-deps --target FOLDER bertopic` leaves it.
"""

import ast
import importlib
import importlib.metadata
import inspect
import pathlib
import sys

HAVE = [
    "gensim.models:CoherenceModel.compare_models",
    "gensim.models:HdpModel",
    "gensim.models:LdaSeqModel",
    "gensim.models:Phrases",
    "gensim.models:LdaModel(eta)",
    "gensim.models:LdaModel.get_document_topics",
    "gensim.parsing.preprocessing:STOPWORDS",
    "tomotopy:HDPModel",
    "tomotopy:DTModel",
    "tomotopy:DMRModel",
    "tomotopy:LDAModel.set_word_prior",
    "tomotopy:LDAModel.infer",
    "tomotopy.utils:Corpus.extract_ngrams",
    "tomotopy.label:FoRelevance",
    "tomotopy.viewer:open_viewer",
    "sklearn.model_selection:GridSearchCV",
    "sklearn.feature_extraction.text:CountVectorizer(ngram_range)",
    "sklearn.feature_extraction.text:ENGLISH_STOP_WORDS",
    "sklearn.decomposition:LatentDirichletAllocation.transform",
]
HAVE_NOT = [
    *(f"gensim.models:LdaModel.{name}" for name in ("merge_topics", "delete_topics", "set_topic_labels")),
    *(f"tomotopy:LDAModel.{name}" for name in ("merge_topics", "delete_topics", "set_topic_labels")),
    *(f"sklearn.decomposition:LatentDirichletAllocation.{name}" for name in ("merge_topics", "delete_topics")),
]
BERTOPIC = {
    *("get_representative_docs", "topics_over_time", "topics_per_class", "visualize_topics", "merge_topics"),
    *("delete_topics", "set_topic_labels", "transform"),
}
BERTOPIC_PARAMETERS = {"nr_topics", "seed_topic_list", "zeroshot_topic_list", "language", "vectorizer_model"}


def is_there(name):
    """Whether "module:Name.attribute" or "module:Name(parameter)" exists."""
    module, _, path = name.partition(":")
    path, _, parameter = path.rstrip(")").partition("(")
    thing = importlib.import_module(module)
    for part in path.split("."):
        if not hasattr(thing, part):
            return False
        thing = getattr(thing, part)
    return not parameter or parameter in inspect.signature(thing).parameters


def missing_in_bertopic(folder):
    """What the class in its source lacks."""
    (path,) = pathlib.Path(folder).rglob("bertopic/_bertopic.py")
    (made,) = [node for node in ast.parse(path.read_text()).body if getattr(node, "name", "") == "BERTopic"]
    methods = {node.name: node for node in made.body if isinstance(node, ast.FunctionDef)}
    arguments = methods["__init__"].args
    parameters = {argument.arg for argument in [*arguments.args, *arguments.kwonlyargs]}
    return sorted((BERTOPIC - methods.keys()) | (BERTOPIC_PARAMETERS - parameters))


def main():
    print(*(f"{name} {importlib.metadata.version(name)}" for name in ("gensim", "tomotopy", "scikit-learn")), sep="\n")
    wrong = [f"{name}: not there" for name in HAVE if not is_there(name)]
    wrong += [f"{name}: there" for name in HAVE_NOT if is_there(name)]
    if len(sys.argv) > 1:
        (about,) = pathlib.Path(sys.argv[1]).glob("bertopic-*.dist-info")
        print(about.stem.replace("-", " "))
        wrong += [f"BERTopic.{name}: not there" for name in missing_in_bertopic(sys.argv[1])]
    print("\n".join(wrong) or "as docs/comparison.md says")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
