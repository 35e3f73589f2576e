#include <string>

#include "papilio/corpus_formats.h"

// corpus_seed FORMAT PATH: writes a small corpus, from which the fuzzer of the format starts.
int main(int argc, char** argv) {
  if (argc != 3) return 64;
  const papilio::Corpus corpus = {{0, 3, 3, 4}, {1, 2, 2, 0}, {"cats", "dogs", "caf\u00e9"}};
  papilio::write_corpus(corpus, argv[2], papilio::parse_corpus_format(argv[1]));
}
