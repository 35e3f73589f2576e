// Figure 10 of Steele and Tristan, ACM TOPC 6(4):22, 2019, on the CPU: whole sweeps of a topic model, four samplers by
// four methods, with theta, phi and sums in float or in double. The trainer keeps theta and phi in float; this
// application is made of the library's public functions, so that one of double can stand beside it.
//
//   papilio_papers_cpu_bench [--topics LIST] [--share N] [--threads N] [--json FILE] [--docword FILE]
//
// Every N-th document is taken (8); without a corpus one of the paper's size is generated. One sweep warms up.

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/report.h"
#include "cuda/tokens.h"
#include "papilio/device.h"
#include "papilio/gamma.h"
#include "papilio/sampling.h"
#include "papilio/version.h"

namespace {

constexpr double alpha = 0.1, beta = 0.01;
constexpr int sweeps = 2;

// Which of theta and phi a sampler draws from its Dirichlet law; the other is integrated out, and estimated from
// counts.
struct Sampler {
  const char* name;
  bool draws_theta, draws_phi;
};
constexpr Sampler samplers[] = {{"collapsed", false, false},
                                {"theta_collapsed", false, true},
                                {"phi_collapsed", true, false},
                                {"uncollapsed", true, true}};

// Algorithms 1, 4 and 7 as the library has them, and its own.
constexpr papilio::PartialSums methods[] = {
    papilio::PartialSums::prefix, papilio::PartialSums::transposed_remnant_first,
    papilio::PartialSums::butterfly_add_subtract_remnant_first, papilio::PartialSums::slots};

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

Tokens share_of(const Tokens& tokens, std::int64_t share) {
  Tokens part = tokens;
  part.documents.clear();
  part.words.clear();
  for (std::size_t t = 0; t < tokens.words.size(); ++t) {
    if (tokens.documents[t] % share != 0) continue;
    part.documents.push_back(static_cast<std::int32_t>(tokens.documents[t] / share));
    part.words.push_back(tokens.words[t]);
  }
  part.document_count = part.documents.empty() ? 0 : part.documents.back() + 1;
  return part;
}

template <class T>
class Application {
 public:
  Application(const Tokens& tokens, std::int32_t topics, int threads)
      : tokens_(tokens),
        K_(topics),
        threads_(threads),
        theta_(at(std::int64_t{tokens.document_count} * topics)),
        phi_(at(std::int64_t{tokens.vocabulary_size} * topics)),
        shapes_(std::max(theta_.size(), phi_.size())),
        z_(tokens.words.size()) {}

  void start() {
    for (std::size_t t = 0; t < z_.size(); ++t) z_[t] = static_cast<std::int32_t>((t * 2654435761u >> 7) % at(K_));
  }

  void sweep(const Sampler& sampler, papilio::PartialSums method, std::uint64_t number) {
    make(theta_, tokens_.documents, alpha, sampler.draws_theta, number);
    make(phi_, tokens_.words, beta, sampler.draws_phi, number + (1u << 20));
    divide_by_topic(phi_);
    const papilio::ProductWeights<T> weights = {{theta_.data(), tokens_.document_count, K_},
                                                tokens_.documents,
                                                {phi_.data(), tokens_.vocabulary_size, K_},
                                                tokens_.words};
    papilio::sample_categorical(weights, papilio::VectorView<std::int32_t>(z_),
                                {.seed = 1, .stream = number, .threads = threads_, .method = method});
  }

 private:
  // Counts of the rows' tokens by topic plus the prior, or gamma draws of these shapes.
  void make(std::vector<T>& table, const std::vector<std::int32_t>& rows, double prior, bool drawn,
            std::uint64_t stream) {
    std::fill_n(shapes_.begin(), table.size(), static_cast<float>(prior));
    for (std::size_t t = 0; t < z_.size(); ++t) shapes_[at(std::int64_t{rows[t]} * K_ + z_[t])] += 1;
    const auto count = static_cast<std::int64_t>(table.size()) / K_;
    if (drawn)
      papilio::sample_gamma({shapes_.data(), count, K_}, {shapes_.data(), count, K_},
                            {.seed = 1, .stream = stream, .threads = threads_});
    std::copy_n(shapes_.begin(), table.size(), table.begin());
  }

  void divide_by_topic(std::vector<T>& phi) const {
    std::vector<double> sums(at(K_));
    for (std::size_t i = 0; i < phi.size(); ++i) sums[i % sums.size()] += static_cast<double>(phi[i]);
    for (std::size_t i = 0; i < phi.size(); ++i)
      phi[i] = static_cast<T>(static_cast<double>(phi[i]) / sums[i % sums.size()]);
  }

  const Tokens& tokens_;
  std::int32_t K_;
  int threads_;
  std::vector<T> theta_, phi_;
  std::vector<float> shapes_;
  std::vector<std::int32_t> z_;
};

template <class T>
void measure(Report& report, const Tokens& tokens, std::int32_t K, int threads) {
  Application<T> application(tokens, K, threads);
  for (const Sampler& sampler : samplers) {
    for (const papilio::PartialSums method : methods) {
      Record record("figure10 on the CPU");
      record.set("corpus", tokens.name).set("topics", K).set("type", sizeof(T) == 4 ? "float" : "double");
      record.set("sampler", sampler.name).set("method", std::string(papilio::name(method)));
      application.start();
      application.sweep(sampler, method, 1);
      const auto begin = std::chrono::steady_clock::now();
      const std::clock_t begin_cpu = std::clock();
      for (int i = 0; i < sweeps; ++i) application.sweep(sampler, method, 2 + static_cast<std::uint64_t>(i));
      const double cpu = static_cast<double>(std::clock() - begin_cpu) / CLOCKS_PER_SEC;
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      report.add(record.set("tokens", tokens.count())
                     .set("ms_per_sweep", seconds / sweeps * 1e3)
                     .set("cpu_ms_per_sweep", cpu / sweeps * 1e3)
                     .set("cpu_ns_per_token", cpu / sweeps / static_cast<double>(tokens.count()) * 1e9));
    }
  }
  report.save();
}

std::vector<std::int64_t> numbers(std::string_view text) {
  std::vector<std::int64_t> list;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + comma, value);
    if (error != std::errc() || end != text.data() + comma || value < 0)
      throw std::runtime_error("\"" + std::string(text) + "\" is no list of numbers");
    list.push_back(value);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return list;
}

void run(int argc, char** argv) {
  std::string topics = "16,48,80,112,144,176,208,240", json, docword;
  std::int64_t share = 8, threads = 1;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 == argc) throw std::runtime_error(name + " needs a value");
    const std::string value = argv[i + 1];
    if (name == "--topics")
      topics = value;
    else if (name == "--share")
      share = numbers(value).at(0);
    else if (name == "--threads")
      threads = numbers(value).at(0);
    else if (name == "--json")
      json = value;
    else if (name == "--docword")
      docword = value;
    else
      throw std::runtime_error("unknown option " + name);
  }
  if (share < 1) throw std::runtime_error("--share is 0, expected 1 or more");
  const Tokens tokens =
      share_of(docword.empty() ? generate_tokens("Zipf without function words", 100) : read_tokens(docword), share);
  Report report(json,
                "\"cpu_target\": \"" + papilio::cpu_target() + "\", \"threads\": " + std::to_string(threads) +
                    ", \"papilio\": \"" + papilio::version() + "\"",
                1e9);
  for (const std::int64_t K : numbers(topics)) {
    measure<float>(report, tokens, static_cast<std::int32_t>(K), static_cast<int>(threads));
    measure<double>(report, tokens, static_cast<std::int32_t>(K), static_cast<int>(threads));
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc, argv);
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "papilio_papers_cpu_bench: %s\n", e.what());
    return 1;
  }
}
