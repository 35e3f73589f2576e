#include "papilio/model.h"

#include "papilio/corpus_file.h"

// Writes a small model and a small corpus file, from which the fuzzers of load_model and MappedCorpus start.
int main(int argc, char** argv) {
  if (argc != 3) return 64;
  papilio::Model model;
  model.topics = 2;
  model.vocabulary = {"cats", "dogs", "caf\u00e9"};
  model.alpha = {0.1, 0.2};
  model.beta = 0.01;
  model.n_wk = {3, 0, 0, 2, 1, 1};
  model.n_k = {4, 3};
  model.settings = {{"seed", "0"}};
  papilio::save_model(model, argv[1]);
  papilio::write_corpus_file(papilio::Corpus{{0, 2, 2, 3}, {0, 1, 2}, model.vocabulary, {"a", "", "c"}}, argv[2]);
}
