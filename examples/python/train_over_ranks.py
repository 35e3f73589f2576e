"""One model over several processes: they train it, score held-out documents and find the topics of new ones together.

    torchrun --nproc-per-node=2 examples/python/train_over_ranks.py [CORPUS]      needs torch
    python examples/python/train_over_ranks.py [CORPUS]                           one process

Both print the same: the model, the score and the topics do not depend on the number of processes. CORPUS is any file
that papilio reads, on every host under the same path; without it a small corpus is generated. On several hosts:
`torchrun --nnodes=2 --nproc-per-node=1 --rdzv-backend=c10d --rdzv-endpoint=HOST:29400 ...` on each.
"""

import os
import sys

import papilio


def main():
    ranks = papilio.distributed.join_processes()  # None for one process
    train_and_infer(ranks)
    if ranks is not None:
        import torch.distributed

        torch.distributed.destroy_process_group()


def train_and_infer(ranks):
    is_first = ranks is None or ranks.rank == 0

    # Here every process has the whole corpus, and works on its own documents. If the corpus need not be split,
    # papilio.read_corpus(path, ranks=ranks) gives each process only its own documents.
    if len(sys.argv) > 1:
        corpus = papilio.read_corpus(sys.argv[1])
    else:
        corpus = papilio.generate_corpus(documents=500, vocabulary=400, topics=8, mean_length=60, seed=1)
    training, held_out = papilio.hold_out_every(corpus, 10)

    model = papilio.train(training, topics=8, sweeps=100, seed=7, ranks=ranks).model  # the same on every process
    score = papilio.complete_documents(model, held_out, ranks=ranks)  # likewise
    topics = papilio.infer(model, held_out, seed=7, ranks=ranks)  # all rows on rank 0, none on others
    if is_first:  # one process writes and prints
        papilio.save_model(model, "model.papilio.safetensors")
        print(f"model {model.hash()[:16]}: {model}")
        print(f"held-out perplexity {score.perplexity:.1f}, of {score.tokens} tokens")
        for document, theta in enumerate(topics.theta[:3]):
            best = theta.argsort()[::-1][:2]
            print(f"held-out document {document}:", ", ".join(f"{theta[k]:.2f} of topic {k}" for k in best))


if __name__ == "__main__":
    try:
        main()
    except papilio.RankError as error:  # another process has failed: torchrun can start all again (--max-restarts)
        print(error, file=sys.stderr, flush=True)
        os._exit(75)
