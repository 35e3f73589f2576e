// The kernel of the sequential schedule's sparse draws beside draw_in_sequence, for numbers that fall on the very ends
// of intervals too: sums that are nearly right must not decide there.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "lda/training/sequential/kernels.h"
#include "lda/training/sequential/near_sums.h"
#include "lda/training/sequential/sparse_kernel.h"
#include "lda/training/sequential/word_draws.h"

namespace papilio::lda {
namespace {

constexpr double beta = 0.05;

// One word, all of whose tokens are those of documents of one length.
struct World {
  World(std::int32_t K, std::int32_t documents, std::int32_t tokens_each, std::uint32_t seed)
      : topics(K), n_w(static_cast<std::size_t>(K)), n_k(static_cast<std::size_t>(K), 1000) {
    std::mt19937 random(seed);
    const auto N = static_cast<std::uint32_t>(documents * tokens_each);
    for (std::uint32_t i = 0; i < N; ++i) {
      const auto k = static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(K));
      z.push_back(k);
      tokens.push_back(i);
      places.push_back(std::int64_t{i} / tokens_each * (1 + tokens_each));
      ++n_w[static_cast<std::size_t>(k)];
      ++n_k[static_cast<std::size_t>(k)];
    }
    lists.resize(static_cast<std::size_t>(documents * (1 + tokens_each)));
    for (std::int32_t d = 0; d < documents; ++d) {
      list_topics(z.data(), d * tokens_each, (d + 1) * tokens_each, lists.data() + d * (1 + tokens_each));
    }
    for (std::int32_t k = 0; k < K; ++k) alpha.push_back(k % 7 == 3 ? 1e-9 : 0.1 * (1 + k % 4));
    q.resize(static_cast<std::size_t>(K));
    tree.resize(static_cast<std::size_t>(TopicTree::size(K)));
    const SequentialSparse s = sweep();
    for (std::int32_t k = 0; k < K; ++k) weigh_leaf(s, n_w.data(), k);
    s.tree.add_up(K);
  }

  SequentialSparse sweep() {
    SequentialSparse s;
    s.topics = topics;
    s.n_k = n_k.data();
    s.alpha = alpha.data();
    s.beta = beta;
    s.prior_mass = 40 * beta;
    s.tokens = tokens.data();
    s.z = z.data();
    s.places = places.data();
    s.lists = lists.data();
    s.q = q.data();
    s.tree = TopicTree::over(tree.data(), topics);
    return s;
  }

  std::int32_t topics;
  std::vector<std::int32_t> n_w;
  std::vector<std::int64_t> n_k;
  std::vector<std::int32_t> z;
  std::vector<std::uint32_t> tokens;
  std::vector<std::int64_t> places;
  std::vector<DocumentTopic> lists;
  std::vector<double> alpha, q, tree;
};

// A number that falls on the end of an interval, or next to it, as draw_in_sequence sees the token's weights.
double on_an_end(World world, std::int64_t place, std::mt19937& random) {
  const SequentialSparse s = world.sweep();
  const auto old = static_cast<std::size_t>(world.z[static_cast<std::size_t>(place)]);
  --world.n_w[old];
  --world.n_k[old];
  weigh(s, world.n_w.data(), world.z[static_cast<std::size_t>(place)]);
  const DocumentTopic* const head = s.lists + s.places[place];
  std::vector<double> ends = {0};
  for (std::int32_t j = 1; j <= head->count; ++j) {
    const bool is_old = head[j].topic == static_cast<std::int32_t>(old);
    ends.push_back(ends.back() + (head[j].count - (is_old ? 1 : 0)) * s.q[head[j].topic]);
  }
  for (std::int32_t k = 0; k < world.topics; ++k) ends.push_back(ends.back() + s.tree.level[0][k]);
  const double u = ends[random() % (ends.size() - 1)] / ends.back();
  const double to = random() % 2 == 0 ? 0 : 1;
  return random() % 3 == 0 ? u : std::nextafter(u, to);
}

template <class Number>
void expect_the_same_draws(World world, bool on_ends, double slack) {
  World other = world;
  const SequentialSparse s = other.sweep();
  const auto K = static_cast<std::size_t>(world.topics);
  std::vector<TopicCount<Number>> entries(other.lists.size() + entries_read_ahead);
  for (std::size_t i = 0; i < other.lists.size(); ++i) {
    entries[i] = {static_cast<Number>(other.lists[i].topic), static_cast<Number>(other.lists[i].count)};
  }
  std::vector<double> memory(static_cast<std::size_t>(NearSums::size(world.topics))), room(64 + K), next_q(K);
  std::vector<std::int32_t> seen(K);
  NearSums near = NearSums::over(memory.data(), world.topics);
  for (std::size_t k = 0; k < K; ++k) next_q[k] = (1 + beta) / (static_cast<double>(s.n_k[k] + 1) + s.prior_mass);
  const SequentialWord<Number> word = {.sweep = &s,
                                       .entries = entries.data(),
                                       .near = &near,
                                       .next_q = next_q.data(),
                                       .room = room.data(),
                                       .topics = seen.data(),
                                       .z = other.z.data(),
                                       .n_w = other.n_w.data(),
                                       .tokens = std::ssize(other.z)};
  sequential_kernels<Number>().take_up_word(word);
  const SequentialSparse plain = world.sweep();
  std::mt19937 random(5);
  for (std::int64_t place = 0; place < std::ssize(world.z); ++place) {
    near.slack += slack;
    const double u = on_ends ? on_an_end(world, place, random) : 0x1p-32 * static_cast<double>(random());
    const bool from_document = draw_in_sequence(plain, place, u, world.n_w.data());
    EXPECT_EQ(sequential_kernels<Number>().draw_tokens(word, place, place + 1, &u), from_document ? 1 : 0);
    ASSERT_EQ(other.z, world.z) << "token " << place << ", u = " << u;
    ASSERT_EQ(other.n_w, world.n_w);
    ASSERT_EQ(other.n_k, world.n_k);
    ASSERT_EQ(other.q, world.q);
  }
  for (std::size_t i = 0; i < other.lists.size(); ++i) {
    const auto size = static_cast<std::size_t>(world.lists[i].count);
    if (i % (other.lists.size() / 6) != 0) continue;  // a head
    ASSERT_EQ(entries[i].count, size);
    for (std::size_t j = i + 1; j <= i + size; ++j) {
      EXPECT_EQ(entries[j].topic, world.lists[j].topic);
      EXPECT_EQ(entries[j].count, world.lists[j].count);
    }
  }
}

template <class Number>
void expect_the_same_draws_everywhere(std::initializer_list<std::int32_t> topics) {
  for (const std::int32_t K : topics) {
    for (const std::int32_t tokens : {1, 2, 8, 16, 17, 24, 25, 26, 90}) {
      SCOPED_TRACE(::testing::Message() << "K = " << K << ", documents of " << tokens << " tokens");
      const World world(K, 6, tokens, 1);
      expect_the_same_draws<Number>(world, false, 0);
      expect_the_same_draws<Number>(world, true, 0);
      expect_the_same_draws<Number>(world, false, 1e-4);  // hardly a sum may decide
    }
  }
}

TEST(SequentialWordDraws, AreThoseInSequence) {
  expect_the_same_draws_everywhere<std::uint8_t>({1, 2, 8, 9, 100, 128, 129, 255});
  expect_the_same_draws_everywhere<std::uint16_t>({7, 300, 1030});
  expect_the_same_draws_everywhere<std::int32_t>({40, 1100});
}

// Every level is whole nodes and a number more, and begins at a line of a cache where the memory does.
TEST(NearSums, HasRoomForEveryLevel) {
  for (const std::int32_t K : {1, 8, 9, 128, 129, 1024, 1025, 70'000}) {
    SCOPED_TRACE(K);
    std::vector<double> memory(static_cast<std::size_t>(NearSums::size(K)));
    const NearSums near = NearSums::over(memory.data(), K);
    std::int64_t nodes = K;
    const double* end = near.nodes;
    for (int l = 0; l < near.levels; ++l) {
      EXPECT_LE(end, near.level[l]);
      EXPECT_EQ((near.level[l] - memory.data()) % 8, 0);
      nodes = NearSums::nodes_of(nodes);
      end = near.level[l] + NearSums::width * nodes + 1;
    }
    EXPECT_LE(nodes, NearSums::most_top);
    EXPECT_LE(end, memory.data() + memory.size());
  }
  EXPECT_LE(NearSums::over(nullptr, 2'147'483'647).levels, NearSums::most_levels);
}

}  // namespace
}  // namespace papilio::lda
