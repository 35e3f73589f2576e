"""Writes docs/python_topics.ipynb and runs it, so that it has the output of its cells:

python3 tools/python_notebook.py [--check]

With --check the file stays as it is: its cells must be those below, and must print what it holds. Of tables the text is
compared, of pictures that there is one: their bytes depend on the versions of pandas and matplotlib. Needs papilio,
nbformat, nbclient, ipykernel, matplotlib and pandas.
"""

import argparse
import sys
from pathlib import Path

import nbclient
import nbformat

NOTEBOOK = Path(__file__).parent.parent / "docs" / "python_topics.ipynb"

# A text, the code that it introduces, the next text, and so on.
CELLS = [
    """# From text to topics

The documents are paragraphs from an earlier version of papilio's documentation, one per line in `python_topics.txt`, so there is nothing to download. `tools/python_notebook.py` writes and runs this notebook.""",
    '''from pathlib import Path

import papilio
from papilio import plot

texts = Path("python_topics.txt").read_text(encoding="utf-8").splitlines()
print(len(texts), "paragraphs")''',
    """A word is a run of letters, case-folded (`docs/corpus_formats.md`). Words that occur in fewer than three paragraphs, or in more
than a fifth of them, are left out, as are English function words.""",
    """corpus = papilio.corpus_from_texts(texts, stop_words="english", min_df=3, max_df=0.2)
training, held_out = papilio.hold_out_every(corpus, 8)
training, held_out""",
    """How many topics? We compare the perplexity of held-out paragraphs; lower is better.""",
    """def fit(topics):
    return papilio.LDA(topics, doc_topic_prior=0.2, topic_word_prior=0.1, max_iter=400, random_state=1).fit(training)


{topics: round(fit(topics).perplexity(held_out), 1) for topics in (1, 2, 4, 8, 16)}""",
    """Eight topics, with the most probable words of each.""",
    """lda = fit(8)
lda.topics(top_n=9)""",
    """The same words as bars of their probabilities.""",
    """plot.topic_words(lda, top_n=8);""",
    """The log-likelihood of the chain shows when it has converged.""",
    """plot.likelihood(lda);""",
    """Topics with similar words are close together; the area of a circle is the share of all tokens.""",
    """plot.topic_map(lda);""",
    """The topics of held-out paragraphs. The row of a paragraph does not depend on the other paragraphs.""",
    """theta = lda.transform(held_out)
plot.document_topics(theta[:20]);""",
    """Everything on one page: `report.save("topics.html")` writes it, `report.open()` shows it in a browser, and a cell that
ends with `report` shows it here.""",
    """report = lda.report(corpus, texts=texts, title="papilio's documentation")
print(type(report).__name__)""",
    """The model is one file, without pickle. It has the same bytes for any number of threads, on every machine.""",
    """import tempfile

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder, "docs.papilio.safetensors")
    lda.save(path)
    again = papilio.LDA.load(path)
    one_thread = papilio.LDA(**{**lda.get_params(), "n_jobs": 1}).fit(training)
    one_thread.save(Path(folder, "one_thread"))
    print((again.transform(held_out) == theta).all(), path.read_bytes() == Path(folder, "one_thread").read_bytes())""",
]

# Before the cells: pictures of a size that a repository can keep.
SETUP = "%config InlineBackend.print_figure_kwargs = {'dpi': 60, 'bbox_inches': None}"


def make():
    notebook = nbformat.v4.new_notebook()
    for number, source in enumerate(CELLS):
        make_cell = nbformat.v4.new_code_cell if number % 2 else nbformat.v4.new_markdown_cell
        notebook.cells.append(make_cell(source, id=f"cell-{number}"))
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return notebook


def execute(notebook):
    """Runs all cells in the folder of the notebook; the setting of the pictures' size does not stay in it."""
    notebook.cells.insert(0, nbformat.v4.new_code_cell(SETUP, id="setup"))
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": NOTEBOOK.parent}}).execute()
    del notebook.cells[0]
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # times
        if cell.cell_type == "code":
            cell.execution_count -= 1
            for output in cell.outputs:
                if output.output_type == "execute_result":
                    output.execution_count = cell.execution_count
    notebook.metadata["language_info"] = {"name": "python"}


def shown(cell):
    """What a cell shows, as far as it does not depend on the versions of other packages."""
    found = []
    for output in cell.get("outputs", []):
        if output.output_type == "stream":
            found.append(f"{output.name}: {output.text}")
        elif output.output_type == "error":
            found.append(f"error: {output.ename}: {output.evalue}")
        elif "image/png" in output.data:
            found.append("a picture")
        else:
            found.append("\n".join(line.rstrip() for line in output.data["text/plain"].splitlines()))
    return found


def differences(kept, made):
    """A message for each cell that shows something else."""
    return [
        f"cell {number} shows\n{new}\nand {NOTEBOOK.name} holds\n{old}"
        for number, (old, new) in enumerate(zip(map(shown, kept.cells), map(shown, made.cells), strict=True))
        if old != new
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    notebook = make()
    if not parser.parse_args().check:
        execute(notebook)
        nbformat.write(notebook, NOTEBOOK)
        return
    kept = nbformat.read(NOTEBOOK, 4)
    if [cell.source for cell in kept.cells] != [cell.source for cell in notebook.cells]:
        sys.exit(f"{NOTEBOOK}: the cells are not those of {__file__}, which writes it")
    execute(notebook)
    if wrong := differences(kept, notebook):
        sys.exit("\n".join(wrong) + "\npython3 tools/python_notebook.py writes the notebook anew")


if __name__ == "__main__":
    main()
