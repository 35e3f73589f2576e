#pragma once

#include <cstdint>
#include <string>
#include <vector>

// The tokens of a corpus, documents in order: token t is word words[t] of document documents[t].
struct Tokens {
  std::string name;
  std::int32_t document_count = 0;
  std::int32_t vocabulary_size = 0;
  std::vector<std::int32_t> documents;
  std::vector<std::int32_t> words;

  std::int64_t count() const { return static_cast<std::int64_t>(words.size()); }
};

// Reads UCI bag of words (plain, gzip or zstd).
Tokens read_tokens(const std::string& docword);

// Tokens of the papers' sizes: 43,556 documents of 4 to 307 tokens, 3,072,662 in
// all, of 37,286 words. Word frequencies fall as (rank + shift)^-1.07: shift 1
// is a text with its function words (the 50 commonest words are half of it), 100
// one without them. The same on every machine.
Tokens generate_tokens(const std::string& name, double shift);
