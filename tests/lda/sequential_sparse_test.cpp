// Sparse draws of the sequential schedule: bit for bit those of the plainest implementation, which adds every sum up
// from the counts for each token.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "lda/corpora.h"
#include "lda/training/chain/chain_cpu.h"
#include "lda/training/sequential/topic_lists_cpu.h"
#include "lda/training/sequential/topic_tree.h"
#include "papilio/error.h"
#include "papilio/lda.h"
#include "random/philox.h"
#include "random/purpose.h"
#include "random/uniform.h"

namespace papilio {
namespace {

using lda::TopicTree;

TrainOptions options(std::int32_t topics, std::int64_t sweeps) {
  return {.topics = topics,
          .sweeps = sweeps,
          .alpha = 0.3,
          .beta = 0.05,
          .seed = 0x123456789,
          .threads = 2,
          .sampler = Sampler::collapsed,
          .evaluate_every = 0,
          .schedule = Schedule::sequential,
          .draws = Draws::sparse};
}

// Sums of eight, of their sums, and so on: the last row is one node.
std::vector<std::vector<double>> sums_of_eight(std::vector<double> leaves) {
  std::vector<std::vector<double>> rows;
  for (;;) {
    leaves.resize((leaves.size() + 7) / 8 * 8);
    rows.push_back(leaves);
    if (leaves.size() == 8) return rows;
    std::vector<double> above;
    for (std::size_t i = 0; i < leaves.size(); i += 8) {
      const double* c = leaves.data() + i;
      above.push_back(((c[0] + c[1]) + (c[2] + c[3])) + ((c[4] + c[5]) + (c[6] + c[7])));
    }
    leaves = above;
  }
}

class Oracle {
 public:
  Oracle(const Corpus& corpus, const TrainOptions& options, std::vector<std::int32_t> start)
      : z(std::move(start)), corpus_(corpus), options_(options), K_(static_cast<std::size_t>(options.topics)) {
    alpha_ = options.topic_alpha.empty() ? std::vector<double>(K_, options.alpha) : options.topic_alpha;
    for (std::size_t d = 0; d + 1 < corpus.document_offsets.size(); ++d) {
      for (auto i = corpus.document_offsets[d]; i < corpus.document_offsets[d + 1]; ++i) document_.push_back(d);
    }
  }

  void sweep() {
    ++sweep_;
    lists_.assign(corpus_.document_offsets.size() - 1, {});
    for (std::size_t i = 0; i < z.size(); ++i) add(lists_[document_[i]], z[i]);
    std::vector<std::size_t> order(z.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return corpus_.words[a] < corpus_.words[b]; });
    for (const std::size_t i : order) draw(i);
  }

  std::vector<std::int32_t> z;

 private:
  struct Entry {
    std::int32_t topic;
    std::int32_t count;
  };
  using List = std::vector<Entry>;

  static void add(List& list, std::int32_t topic) {
    const auto found = std::find_if(list.begin(), list.end(), [&](const Entry& e) { return e.topic == topic; });
    if (found == list.end()) {
      list.push_back({topic, 1});
    } else {
      ++found->count;
    }
  }

  static void remove(List& list, std::int32_t topic) {
    const auto found = std::find_if(list.begin(), list.end(), [&](const Entry& e) { return e.topic == topic; });
    if (--found->count > 0) return;
    *found = list.back();
    list.pop_back();
  }

  // q of all topics, from counts that leave the token out.
  std::vector<double> shares(std::size_t token) const {
    std::vector<std::int64_t> n_w(K_), n(K_);
    for (std::size_t i = 0; i < z.size(); ++i) {
      if (i == token) continue;
      ++n[static_cast<std::size_t>(z[i])];
      if (corpus_.words[i] == corpus_.words[token]) ++n_w[static_cast<std::size_t>(z[i])];
    }
    for (const SeedWord& seed : options_.seed_words) {
      n[static_cast<std::size_t>(seed.topic)] += seed.weight;
      if (seed.word == corpus_.words[token]) n_w[static_cast<std::size_t>(seed.topic)] += seed.weight;
    }
    std::vector<double> q(K_);
    const double prior_mass = static_cast<double>(corpus_.vocabulary.size()) * options_.beta;
    for (std::size_t k = 0; k < K_; ++k) {
      q[k] = (static_cast<double>(n_w[k]) + options_.beta) / (static_cast<double>(n[k]) + prior_mass);
    }
    return q;
  }

  void draw(std::size_t token) {
    List& list = lists_[document_[token]];
    remove(list, z[token]);
    const std::vector<double> q = shares(token);
    std::vector<double> leaves(K_);
    for (std::size_t k = 0; k < K_; ++k) leaves[k] = alpha_[k] * q[k];
    const auto rows = sums_of_eight(leaves);
    const double* top = rows.back().data();
    const double of_prior = ((top[0] + top[1]) + (top[2] + top[3])) + ((top[4] + top[5]) + (top[6] + top[7]));
    double of_document = 0;
    for (const Entry& e : list) of_document += e.count * q[static_cast<std::size_t>(e.topic)];
    const random::Block block = random::draw_block(
        options_.seed, random::stream(random::Purpose::topics, static_cast<std::uint32_t>(sweep_)), token);
    const double target = random::uniform53(block.word[0], block.word[1]) * (of_document + of_prior);
    z[token] = target < of_document ? in_list(list, q, target) : in_tree(rows, target - of_document);
    add(list, z[token]);
  }

  static std::int32_t in_list(const List& list, const std::vector<double>& q, double target) {
    double sum = 0;
    for (const Entry& e : list) {
      sum += e.count * q[static_cast<std::size_t>(e.topic)];
      if (target < sum) return e.topic;
    }
    ADD_FAILURE() << "the target lies past the document's part";
    return 0;
  }

  static std::int32_t in_tree(const std::vector<std::vector<double>>& rows, double target) {
    std::size_t place = 0;
    for (std::size_t row = rows.size(); row-- > 0;) {
      double sum = 0;
      std::size_t chosen = 0;
      double before = 0;
      for (std::size_t j = 0; j < 8; ++j) {
        const double child = rows[row][place * 8 + j];
        if (child == 0) continue;
        chosen = j;
        before = sum;
        sum += child;
        if (target < sum) break;
      }
      target = std::max(0.0, target - before);
      place = place * 8 + chosen;
    }
    return static_cast<std::int32_t>(place);
  }

  const Corpus& corpus_;
  const TrainOptions options_;
  const std::size_t K_;
  std::vector<double> alpha_;
  std::vector<std::size_t> document_;  // of each token
  std::vector<List> lists_;
  std::int64_t sweep_ = 0;
};

void expect_as_the_oracle(const Corpus& corpus, const TrainOptions& o) {
  lda::CpuChain chain(corpus, o, {});
  Oracle oracle(corpus, o, chain.state().z);
  for (std::int64_t sweep = 1; sweep <= o.sweeps; ++sweep) {
    chain.sweep();
    oracle.sweep();
    ASSERT_EQ(chain.state().z, oracle.z) << "sweep " << sweep;
    EXPECT_NO_THROW(chain.state().verify(corpus));
    const SweepDraws draws = chain.draws();
    EXPECT_TRUE(draws.sparse);
    EXPECT_NEAR(draws.from_document + draws.from_prior, 1, 1e-12);
  }
}

// Topics on both sides of a node's eight children, and of those of two levels; words of few and of most topics.
TEST(SequentialSparse, DrawsAreThoseOfThePlainestForm) {
  for (const std::int32_t topics : {1, 2, 7, 8, 9, 64, 65, 513, 600}) {
    SCOPED_TRACE(topics);
    expect_as_the_oracle(testing::awkward_corpus(), options(topics, 3));
  }
}

// Documents of up to `longest` tokens, of which the longest has all its tokens of few words.
Corpus documents_up_to(std::int32_t longest) {
  std::vector<std::vector<std::int32_t>> documents = {{}, {3}, {0, 0, 1, 2, 0}, {}};
  for (std::int32_t tokens : {4, 5, 30, longest}) {
    documents.emplace_back(tokens);
    for (std::int32_t i = 0; i < tokens; ++i)
      documents.back()[static_cast<std::size_t>(i)] = (i % 11) * (i % 11) % 11 % 6;
  }
  return testing::make_corpus(documents, 7);
}

// Lists are in numbers of 8, 16 or 32 bits: the last K and the longest document of each, and the next.
TEST(SequentialSparse, ListsAreAsWideAsTheyHaveToBe) {
  using lda::TopicLists;
  for (const std::int32_t longest : {31, 255, 256}) {
    const Corpus corpus = documents_up_to(longest);
    for (const std::int32_t topics : {1, 3, 4, 5, 255, 256}) {
      SCOPED_TRACE(::testing::Message() << longest << " tokens, K = " << topics);
      EXPECT_EQ(TopicLists<std::uint8_t>::can_hold(corpus, topics), longest < 256 && topics < 256);
      EXPECT_TRUE(TopicLists<std::uint16_t>::can_hold(corpus, topics));
      expect_as_the_oracle(corpus, options(topics, 3));
    }
  }
  const Corpus corpus = documents_up_to(31);
  for (const std::int32_t topics : {65'535, 65'536}) {
    SCOPED_TRACE(topics);
    EXPECT_EQ(TopicLists<std::uint16_t>::can_hold(corpus, topics), topics < 65'536);
    expect_as_the_oracle(corpus, options(topics, 1));
  }
  EXPECT_FALSE(TopicLists<std::uint16_t>::can_hold(documents_up_to(65'536), 2));
}

template <class Number>
void expect_lists_in_lines(const Corpus& corpus, std::int32_t topics) {
  using Lists = lda::TopicLists<Number>;
  const std::vector<std::int64_t> offsets = Lists::offsets(corpus, topics);
  ASSERT_EQ(offsets.size(), corpus.document_offsets.size());
  std::int64_t end = 0;
  for (std::size_t d = 0; d + 1 < offsets.size(); ++d) {
    const std::int64_t tokens = corpus.document_offsets[d + 1] - corpus.document_offsets[d];
    const std::int64_t size = 1 + std::min<std::int64_t>(tokens, topics);
    EXPECT_GE(offsets[d], end);
    end = offsets[d] + size;
    if (size > Lists::entries_per_line) continue;
    EXPECT_EQ(offsets[d] / Lists::entries_per_line, (end - 1) / Lists::entries_per_line) << d;
  }
  EXPECT_EQ(offsets.back(), end);
}

TEST(SequentialSparse, ListsThatFitIntoALineAreInOne) {
  for (const std::int32_t topics : {1, 20, 300}) {
    expect_lists_in_lines<std::uint16_t>(testing::awkward_corpus(), topics);
    expect_lists_in_lines<std::int32_t>(testing::awkward_corpus(), topics);
  }
  expect_lists_in_lines<std::uint8_t>(documents_up_to(200), 40);
}

TEST(SequentialSparse, TakesAPriorForEachTopic) {
  TrainOptions o = options(9, 4);
  o.topic_alpha = {2, 0.01, 0.3, 1e-4, 5, 0.1, 0.1, 30, 0.7};
  expect_as_the_oracle(testing::awkward_corpus(), o);
}

TEST(SequentialSparse, TakesTheExtremesOfPriors) {
  for (const auto& [alpha, beta] : {std::pair{1e-100, 1e-100}, std::pair{1e6, 1e-100}, std::pair{1e-100, 1e6}}) {
    TrainOptions o = options(40, 2);
    o.alpha = alpha;
    o.beta = beta;
    expect_as_the_oracle(testing::awkward_corpus(), o);
  }
}

TEST(SequentialSparse, CountsSeedWords) {
  TrainOptions o = options(11, 3);
  o.seed_words = {{0, 10, 7}, {1, 0, 1}, {1, 3, 2}};
  expect_as_the_oracle(testing::awkward_corpus(), o);
}

// A chain that goes on from z alone, as from a checkpoint, is the chain that was never interrupted.
TEST(SequentialSparse, GoesOnFromItsTopics) {
  const Corpus corpus = testing::awkward_corpus();
  const TrainOptions o = options(40, 4);
  lda::CpuChain whole(corpus, o, {});
  for (int sweep = 0; sweep < 4; ++sweep) {
    ChainState state;
    whole.show_state([&](const ChainState& shown) { state = shown; });
    lda::CpuChain resumed(corpus, o, state);
    whole.sweep();
    resumed.sweep();
    EXPECT_EQ(resumed.state().z, whole.state().z) << sweep;
  }
}

TEST(SequentialSparse, IsTheDefaultFrom32Topics) {
  const Corpus corpus = testing::awkward_corpus();
  for (const std::int32_t topics : {31, 32}) {
    TrainOptions o = options(topics, 2);
    o.draws = Draws::automatic;
    const std::vector<std::int32_t> z = train(corpus, o).topics.z;
    o.draws = topics < 32 ? Draws::dense : Draws::sparse;
    EXPECT_EQ(train(corpus, o).topics.z, z) << topics;
  }
}

TEST(TopicTree, HasRoomForEveryLevel) {
  EXPECT_EQ(TopicTree::size(1), 8);
  EXPECT_EQ(TopicTree::size(8), 8);
  EXPECT_EQ(TopicTree::size(9), 16 + 8);
  EXPECT_EQ(TopicTree::size(65), 72 + 16 + 8);
  std::vector<double> memory(static_cast<std::size_t>(TopicTree::size(65)));
  const TopicTree tree = TopicTree::over(memory.data(), 65);
  ASSERT_EQ(tree.levels, 3);
  EXPECT_EQ(tree.level[2], memory.data() + 72 + 16);
  EXPECT_EQ(TopicTree::over(nullptr, 1 << 24).levels, 8);
}

// Whole weights: every target in steps of a half gives the topic that arithmetic says, however the sums were made.
TEST(TopicTree, FindsTheIntervalOfATarget) {
  std::vector<double> memory(static_cast<std::size_t>(TopicTree::size(70))), again(memory.size());
  const TopicTree tree = TopicTree::over(memory.data(), 70);
  const TopicTree rebuilt = TopicTree::over(again.data(), 70);
  for (std::int64_t k = 0; k < 70; ++k) {
    tree.level[0][k] = rebuilt.level[0][k] = static_cast<double>(k % 4);
    tree.add_up_above(k);
  }
  rebuilt.add_up(70);
  EXPECT_EQ(memory, again);
  double before = 0;
  for (std::int64_t k = 0; k < 70; ++k) {
    for (double target = before; target < before + static_cast<double>(k % 4); target += 0.5) {
      EXPECT_EQ(tree.find(target), k) << target;
    }
    before += static_cast<double>(k % 4);
  }
  EXPECT_EQ(tree.total(), before);
  EXPECT_EQ(tree.find(before), 69 - 69 % 4 + 1) << "the last topic that weighs something";
}

}  // namespace
}  // namespace papilio
