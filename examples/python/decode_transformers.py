"""A model of transformers writes several texts at once: each is the text that it writes alone.

The model is small and its weights are random, made from a config: nothing is downloaded. Each request has its own seed,
temperature and filters, and a token's place in its text is its position. So the rest of the batch does not matter. (The
model's own sums may differ between batches in their last bits, especially on a GPU. Here logits are rounded to
bfloat16, which hides this in all but rare cases. Given the same logits, the draw is the same.)

    python examples/python/decode_transformers.py [--device cuda]      needs torch and transformers
"""

import argparse

import torch
from transformers import GPT2Config, GPT2LMHeadModel

import papilio

LENGTH = 24


def made_model(device):
    torch.manual_seed(0)
    config = GPT2Config(vocab_size=1000, n_positions=64, n_embd=64, n_layer=2, n_head=4, initializer_range=0.2)
    return GPT2LMHeadModel(config).eval().to(device)


@torch.no_grad()
def generate(model, prompts, seeds, temperature, top_k, top_p):
    """Writes after each prompt; prompts are of one length. Returns the tokens and their log probabilities."""
    text, logs, past = prompts, [], None
    for position in range(prompts.shape[1], prompts.shape[1] + LENGTH):
        given = text if past is None else text[:, -1:]
        out = model(given, past_key_values=past, use_cache=True)
        past = out.past_key_values
        drawn = papilio.sample_tokens(
            out.logits[:, -1].to(torch.bfloat16),
            seeds=seeds,
            positions=torch.full_like(seeds, position),
            temperature=temperature,
            top_k=top_k,
            top_p=top_p,
            return_log_probability=True,
        )
        text = torch.cat([text, drawn.tokens[:, None].to(text.dtype)], dim=1)
        logs.append(drawn.log_probability)
    return text[:, prompts.shape[1] :], torch.stack(logs, dim=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu")
    device = parser.parse_args().device
    model = made_model(device)
    prompts = torch.tensor([[11, 12, 13], [500, 2, 7], [11, 12, 13], [8, 8, 8]], device=device)
    seeds = torch.tensor([1, 2, 3, 1], device=device)
    temperature = torch.tensor([0.8, 0.0, 1.2, 1.0], device=device)  # the second request is greedy
    top_k = torch.tensor([50, 0, 0, 20], device=device, dtype=torch.int32)
    top_p = torch.tensor([0.9, 1.0, 0.95, 1.0], device=device)

    together, logs = generate(model, prompts, seeds, temperature, top_k, top_p)
    same = 0
    for i in range(len(prompts)):
        one = slice(i, i + 1)
        alone, _ = generate(model, prompts[one], seeds[one], temperature[one], top_k[one], top_p[one])
        same += int(torch.equal(alone[0], together[i]))
        print(f"request {i}: {together[i, :8].tolist()} ...  log probability {logs[i].sum():.3f}")
    print(f"{same} of {len(prompts)} texts are the same alone and in a batch")


if __name__ == "__main__":
    main()
