"""Corpora and models of other packages, each needed only where its function is called.

Corpora: gensim (`corpus_from_bow`, `bow_from_corpus`, dictionaries in text form), columns of texts of pandas, Arrow and
Parquet (`corpus_from_column`, `corpus_from_parquet`). Models: `to_gensim`, `to_sklearn`, `from_mallet_state`, and
`pyldavis` and `ldavis_json`, which show one.
"""

from papilio.interop.corpora import (
    bow_from_corpus,
    corpus_from_bow,
    corpus_from_column,
    corpus_from_parquet,
    read_dictionary,
    write_dictionary,
)
from papilio.interop.models import from_mallet_state, ldavis_json, pyldavis, to_gensim, to_sklearn

__all__ = [
    "bow_from_corpus",
    "corpus_from_bow",
    "corpus_from_column",
    "corpus_from_parquet",
    "from_mallet_state",
    "ldavis_json",
    "pyldavis",
    "read_dictionary",
    "to_gensim",
    "to_sklearn",
    "write_dictionary",
]
