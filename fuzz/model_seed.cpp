#include "papilio/model.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "papilio/corpus_file.h"

namespace {

// The smallest whose counts are written as a sparse matrix.
papilio::Model sparse_model() {
  constexpr std::int32_t size = 64;
  papilio::Model model;
  model.topics = size;
  model.beta = 0.01;
  model.alpha.assign(size, 0.1);
  model.n_wk.resize(size * size);
  for (std::int32_t w = 0; w < size; ++w) {
    model.vocabulary.push_back(std::to_string(w));
    model.n_k.push_back(1 + w % 2);
    model.n_wk[static_cast<std::size_t>(w * size + w)] = 1 + w % 2;
  }
  return model;
}

}  // namespace

// Writes a small model, a sparse one, and a small corpus file, from which the fuzzers of load_model and MappedCorpus
// start.
int main(int argc, char** argv) {
  if (argc != 4) return 64;
  papilio::Model model;
  model.topics = 2;
  model.vocabulary = {"cats", "dogs", "caf\u00e9"};
  model.alpha = {0.1, 0.2};
  model.beta = 0.01;
  model.n_wk = {3, 0, 0, 2, 1, 1};
  model.n_k = {4, 3};
  model.settings = {{"seed", "0"}};
  papilio::save_model(model, argv[1]);
  papilio::save_model(sparse_model(), argv[2]);
  papilio::write_corpus_file(papilio::Corpus{{0, 2, 2, 3}, {0, 1, 2}, model.vocabulary, {"a", "", "c"}}, argv[3]);
}
