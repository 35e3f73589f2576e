#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "tokens.h"

// The papers' application (2019, section 7): Gibbs sampling of a topic model on a GPU, where each sweep makes theta and
// phi from the topics, draws a topic for every token, and all of it has one type of intermediate values.

// Which of theta and phi a sampler draws from its Dirichlet law; the other is integrated out, and estimated from the
// counts.
struct PapersSampler {
  const char* name;
  bool draws_theta, draws_phi;
};

// The four of Figure 10.
std::span<const PapersSampler> papers_samplers();

// How topics are drawn: by a kernel as printed, or by a method of the library ("slots", "prefix", ...).
struct PapersMethod {
  std::string name;
  int printed = -1;     // a papers::Printed
  std::string by = "";  // else a papilio::PartialSums, by its name
};

// The corpus with its documents by length, longest first, as the papers sort it.
Tokens sorted_by_length(const Tokens& tokens);

template <class T>
class PapersApplication {
 public:
  // `tokens` are sorted, and must outlive it.
  PapersApplication(const Tokens& tokens, std::int32_t topics);
  ~PapersApplication();

  // Topics at random; the same each time.
  void start();

  // Queues one sweep.
  void sweep(const PapersSampler& sampler, const PapersMethod& method, std::uint64_t number);

  // Queues the draws alone, by theta and phi as they are.
  void draw(const PapersMethod& method, std::uint64_t number);

  // Whether the method has room for this many topics.
  bool takes(const PapersMethod& method) const;

  // Waits for all that is queued.
  void wait() const;

  // Throws unless the method draws the topics that exact sums give, for every token, where weights are whole numbers.
  void verify(const PapersMethod& method);

  // Mean logarithm of the probability of some tokens, by theta and phi as they are: says whether a chain learns.
  double log_likelihood() const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};
