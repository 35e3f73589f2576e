#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "execution/cpu/fresh_memory.h"
#include "execution/cpu/interruption.h"
#include "execution/cpu/parallel_for.h"
#include "papilio/corpus.h"
#include "papilio/primitives.h"
#include "random/elementary.h"
#include "random/philox.h"
#include "random/purpose.h"
#include "random/uniform.h"

// All numbers that decide a draw come from IEEE arithmetic and
// random/elementary.h, so that a corpus is the same on every machine.

namespace papilio {
namespace {

using base::require;

constexpr double longest_expected = 1e6;  // tokens per document

// Categories, and the running sums of their masses.
class Distribution {
 public:
  void add(std::int32_t category, double mass) {
    categories_.push_back(category);
    masses_.push_back(mass);
    sums_.push_back(total() + mass);
  }
  double total() const { return sums_.empty() ? 0 : sums_.back(); }

  std::size_t size() const { return categories_.size(); }
  std::int32_t category(std::size_t i) const { return categories_[i]; }
  double mass(std::size_t i) const { return masses_[i]; }

  // The category whose interval contains u * total, 0 <= u < 1.
  std::int32_t find(double u) const {
    const auto above = std::upper_bound(sums_.begin(), sums_.end(), u * total());
    // u * total may round up to the total, which lies past every interval.
    return categories_[static_cast<std::size_t>(std::min(above, sums_.end() - 1) - sums_.begin())];
  }

 private:
  std::vector<std::int32_t> categories_;
  std::vector<double> masses_;
  std::vector<double> sums_;
};

// Word frequencies, and how they are divided among topics: a topic draws a fraction `overlap` of its tokens from
// `overall`, the others from its own words.
struct PlantedTopics {
  Distribution overall;
  std::vector<Distribution> own;
};

// Deals the words out, the most frequent first, each to the topics that
// have the least mass so far. So topics end up with nearly equal mass,
// and together they give the overall frequencies. A word goes to more
// than one topic if it would otherwise be more than a tenth of a topic.
PlantedTopics plant(const GenerateOptions& options) {
  constexpr double most_share = 0.1;
  PlantedTopics planted;
  for (std::int64_t w = 0; w < options.vocabulary; ++w) {
    const double rank = static_cast<double>(w + 1);
    const double mass = random::exponential(-options.zipf_exponent * random::natural_log(rank));
    planted.overall.add(static_cast<std::int32_t>(w), mass);
  }
  planted.own.resize(static_cast<std::size_t>(options.topics));
  std::priority_queue<std::pair<double, int>, std::vector<std::pair<double, int>>, std::greater<>> lightest;
  for (int k = 0; k < options.topics; ++k) {
    lightest.push({0, k});
  }
  std::vector<std::pair<double, int>> receivers;
  for (std::size_t w = 0; w < planted.overall.size(); ++w) {
    const double mass = planted.overall.mass(w);
    const double topic_share = mass / planted.overall.total() * options.topics;
    const double shares = std::clamp(std::ceil(topic_share / most_share), 1.0, 1.0 * options.topics);
    receivers.clear();
    for (int i = 0; i < static_cast<int>(shares); ++i) {
      receivers.push_back(lightest.top());
      lightest.pop();
    }
    for (const auto& [mass_so_far, k] : receivers) {
      planted.own[static_cast<std::size_t>(k)].add(static_cast<std::int32_t>(w), mass / shares);
      lightest.push({mass_so_far + mass / shares, k});
    }
  }
  return planted;
}

std::vector<float> phi_of(const PlantedTopics& planted, double overlap) {
  const std::size_t words = planted.overall.size();
  std::vector<float> phi(planted.own.size() * words);
  std::vector<double> row(words);
  for (std::size_t k = 0; k < planted.own.size(); ++k) {
    execution::stop_point();
    for (std::size_t w = 0; w < words; ++w) {
      row[w] = overlap * planted.overall.mass(w) / planted.overall.total();
    }
    const Distribution& own = planted.own[k];
    for (std::size_t i = 0; i < own.size(); ++i) {
      row[static_cast<std::size_t>(own.category(i))] += (1 - overlap) * own.mass(i) / own.total();
    }
    std::transform(row.begin(), row.end(), phi.begin() + static_cast<std::ptrdiff_t>(k * words),
                   [](double p) { return static_cast<float>(p); });
  }
  return phi;
}

// A normal number. Source: Marsaglia and Bray, A Convenient Method for Generating Normal Variables, 1964.
double draw_normal(std::uint64_t seed, std::uint64_t document) {
  for (std::uint32_t step = 0;; ++step) {
    const std::uint64_t stream = random::stream(random::Purpose::generate_spread, step);
    const random::Block block = random::draw_block(seed, stream, document);
    const double x = 2 * random::uniform53(block.word[0], block.word[1]) - 1;
    const double y = 2 * random::uniform53(block.word[2], block.word[3]) - 1;
    const double square = x * x + y * y;
    if (0 < square && square < 1) return x * std::sqrt(-2 * random::natural_log(square) / square);
  }
}

// The expected length of a document: log-normal, with the mean of the options except for the cut-off.
double expected_length(const GenerateOptions& options, std::uint64_t document) {
  const double spread = options.length_spread;
  if (spread == 0) return options.mean_length;
  const double factor = random::exponential(spread * draw_normal(options.seed, document) - spread * spread / 2);
  return std::min(options.mean_length * factor, longest_expected);
}

// A Poisson number: how many uniform numbers can be multiplied before the product
// falls to e^-mean or below. Long means are cut into pieces; the sum of their numbers
// is Poisson again. Source: Knuth, The Art of Computer Programming, volume 2, 3.4.1 F.
std::int64_t draw_length(const GenerateOptions& options, std::uint64_t document) {
  constexpr double longest_piece = 500;
  std::int64_t length = 0;
  std::uint32_t step = 0;
  for (double left = expected_length(options, document); left > 0; left -= longest_piece) {
    const double limit = random::exponential(-std::min(left, longest_piece));
    for (double product = 1;; ++length) {
      const std::uint64_t stream = random::stream(random::Purpose::generate_lengths, step++);
      const random::Block block = random::draw_block(options.seed, stream, document);
      product *= random::uniform53(block.word[0], block.word[1]);
      if (product <= limit) {
        break;
      }
    }
  }
  return std::max<std::int64_t>(length, 1);
}

// Draws the tokens of one document. Their topics come from Polya's
// urn, which gives the same distribution as drawing theta from
// Dirichlet(alpha) and topics from theta, without any gamma numbers.
void draw_document(const GenerateOptions& options, const PlantedTopics& planted, std::int64_t document,
                   GeneratedCorpus& generated) {
  const auto begin = static_cast<std::size_t>(generated.corpus.document_offsets[static_cast<std::size_t>(document)]);
  const auto end = static_cast<std::size_t>(generated.corpus.document_offsets[static_cast<std::size_t>(document) + 1]);
  for (std::size_t i = begin; i < end; ++i) {
    const auto earlier = static_cast<double>(i - begin);
    const std::uint64_t stream =
        random::stream(random::Purpose::generate_tokens, static_cast<std::uint32_t>(i - begin));
    const random::Block block = random::draw_block(options.seed, stream, static_cast<std::uint64_t>(document));
    const double ball = random::uniform53(block.word[0], block.word[1]) * (earlier + options.topics * options.alpha);
    if (ball < earlier) {
      generated.topics[i] = generated.topics[begin + static_cast<std::size_t>(ball)];
    } else {
      const double fresh = (ball - earlier) / options.alpha;  // may round up to K
      generated.topics[i] = std::min(static_cast<std::int32_t>(fresh), options.topics - 1);
    }
    const double u = random::uniform53(block.word[2], block.word[3]);
    const Distribution& own = planted.own[static_cast<std::size_t>(generated.topics[i])];
    generated.corpus.words[i] = u < options.overlap ? planted.overall.find(u / options.overlap)
                                                    : own.find((u - options.overlap) / (1 - options.overlap));
  }
}

// "x" and the word's number in letters, all of equal length: "xaa", "xab", ...
std::vector<std::string> made_up_words(std::int64_t count) {
  std::size_t letters = 2;
  for (std::int64_t most = std::int64_t{26} * 26; most < count; most *= 26) {
    ++letters;
  }
  std::vector<std::string> words;
  for (std::int64_t w = 0; w < count; ++w) {
    std::string word(letters + 1, 'x');
    std::int64_t rest = w;
    for (std::size_t place = letters; place >= 1; --place, rest /= 26) {
      word[place] = static_cast<char>('a' + rest % 26);
    }
    words.push_back(std::move(word));
  }
  return words;
}

void require_options(const GenerateOptions& options) {
  const auto within = [](double value, double low, double high) { return low <= value && value <= high; };
  constexpr std::int64_t most = (std::int64_t{1} << 31) - 1;
  require(1 <= options.documents && options.documents <= most,
          "papilio::generate_corpus: documents is {}, expected 1 to 2^31 - 1", options.documents);
  require(1 <= options.vocabulary && options.vocabulary <= most,
          "papilio::generate_corpus: vocabulary is {}, expected 1 to 2^31 - 1", options.vocabulary);
  require(1 <= options.topics && options.topics <= options.vocabulary,
          "papilio::generate_corpus: topics is {}, expected 1 to vocabulary = {}", options.topics, options.vocabulary);
  require(options.mean_length > 0 && options.mean_length <= longest_expected,
          "papilio::generate_corpus: mean_length is {}, expected 0 < mean_length <= 1e6", options.mean_length);
  require(within(options.length_spread, 0, 5), "papilio::generate_corpus: length_spread is {}, expected 0 to 5",
          options.length_spread);
  require(within(options.alpha, 1e-6, 1e6), "papilio::generate_corpus: alpha is {}, expected 1e-6 to 1e6",
          options.alpha);
  require(within(options.zipf_exponent, 0, 10), "papilio::generate_corpus: zipf_exponent is {}, expected 0 to 10",
          options.zipf_exponent);
  require(within(options.overlap, 0, 1), "papilio::generate_corpus: overlap is {}, expected 0 to 1", options.overlap);
  require(options.threads >= 0, "papilio::generate_corpus: threads is {}, expected 0 (all) or more", options.threads);
}

}  // namespace

GeneratedCorpus generate_corpus(const GenerateOptions& options) {
  require_options(options);
  const PlantedTopics planted = plant(options);
  GeneratedCorpus generated;
  generated.phi = phi_of(planted, options.overlap);
  Corpus& corpus = generated.corpus;
  corpus.vocabulary = made_up_words(options.vocabulary);

  std::vector<std::int64_t> lengths(static_cast<std::size_t>(options.documents));
  execution::parallel_for(options.documents, 64, options.threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t d = begin; d < end; ++d) {
      execution::stop_point();
      lengths[static_cast<std::size_t>(d)] = draw_length(options, static_cast<std::uint64_t>(d));
    }
  });
  corpus.document_offsets.resize(lengths.size() + 1);
  const std::int64_t tokens = exclusive_scan(VectorView<const std::int64_t>(lengths),
                                             VectorView<std::int64_t>(corpus.document_offsets), options.threads);
  execution::make_zeros(corpus.words, static_cast<std::size_t>(tokens), options.threads);
  execution::make_zeros(generated.topics, static_cast<std::size_t>(tokens), options.threads);
  execution::parallel_for(options.documents, 64, options.threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t d = begin; d < end; ++d) {
      execution::stop_point();
      draw_document(options, planted, d, generated);
    }
  });
  return generated;
}

}  // namespace papilio
