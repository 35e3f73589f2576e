#include "lda/evaluation/listed_phi.h"

#include <algorithm>

#include "execution/cpu/interruption.h"
#include "lda/evaluation/fixed_phi.h"
#include "lda/evaluation/fold_in/fold_in_formulas.h"
#include "lda/model/seeds.h"

namespace papilio::lda {
namespace {

constexpr auto per_block = static_cast<std::size_t>(fold_in::block);

// The numbers 0 ... count - 1 by size, the largest first; equal sizes by ascending number. size(i) <= most.
template <class Size>
void order_by_size(std::size_t count, std::size_t most, Size size, std::vector<std::size_t>& places,
                   std::vector<std::int32_t>& order) {
  places.assign(most + 2, 0);
  for (std::size_t i = 0; i < count; ++i) ++places[most - size(i) + 1];
  for (std::size_t s = 1; s < places.size(); ++s) places[s] += places[s - 1];
  order.resize(count);
  for (std::size_t i = 0; i < count; ++i) order[places[most - size(i)]++] = static_cast<std::int32_t>(i);
}

}  // namespace

void ListedPhi::Entries::make_room(std::size_t size) {
  if (indices.size() >= size) return;
  indices.resize(size + size / 2);
  counts.resize(indices.size());
}

ListedPhi::ListedPhi(const Model& model) : model_(model), kernels_(fold_in::kernels_in_use()) {
  for (const double mass : fixed_topic_masses(model)) reciprocals_.push_back(1 / mass);
  levels_.resize(static_cast<std::size_t>(topics_per_range(model.topics)));
}

const std::int32_t* ListedPhi::row_of(std::int32_t word) const {
  return model_.n_wk.data() + std::int64_t{word} * model_.topics;
}

void ListedPhi::set_words(const KnownDocument& document) {
  begins_.assign(1, 0);
  for (std::size_t i = 0; i < document.words.size(); ++i) {
    if (i + 1 < document.words.size()) {
      const std::int32_t* const next = row_of(document.words[i + 1]);
      for (std::int32_t k = 0; k < model_.topics; k += 16) __builtin_prefetch(next + k);  // one load per cache line
    }
    add_word(document.words[i]);
  }
}

// Adds a word's list, in the order that fold_in_formulas.h gives.
void ListedPhi::add_word(std::int32_t word) {
  const auto topics = static_cast<std::size_t>(model_.topics);
  const auto begin = static_cast<std::size_t>(begins_.back());
  by_word_.make_room(begin + topics + list_lanes);
  std::int32_t* const list = by_word_.indices.data() + begin;
  double* const counts = by_word_.counts.data() + begin;
  const auto add = [&](const std::int32_t* has, const auto* numbers) {
    auto size = static_cast<std::size_t>(kernels_.list_topics(has, model_.topics, levels_.data(), list));
    for (std::size_t i = 0; i < size; ++i) counts[i] = numbers[list[i]];
    for (; size % per_block != 0; ++size) {
      list[size] = 0;
      counts[size] = 0;
    }
    begins_.push_back(static_cast<std::int64_t>(begin + size));
  };
  const std::int32_t* const n_wk = row_of(word);
  const std::span<const SeedWord> seeds = seeds_of(model_.seed_words, word);
  if (seeds.empty()) return add(n_wk, n_wk);
  has_.assign(n_wk, n_wk + topics);
  row_.assign(n_wk, n_wk + topics);
  for (const SeedWord& seed : seeds) {
    const auto k = static_cast<std::size_t>(seed.topic);
    row_[k] += seed.weight;
    has_[k] = row_[k] > 0 ? 1 : 0;
  }
  add(has_.data(), row_.data());
}

fold_in::List ListedPhi::list_of(std::size_t place, std::size_t word) const {
  const std::int64_t begin = begins_[place], blocks = (begins_[place + 1] - begin) / fold_in::block;
  const bool has_all = blocks * fold_in::block >= model_.topics &&
                       by_word_.counts[static_cast<std::size_t>(begin + model_.topics - 1)] > 0;
  return {begin, static_cast<std::int32_t>(blocks), static_cast<std::int32_t>(word), has_all};
}

double ListedPhi::probability(std::int32_t place) const {
  const fold_in::List list = list_of(static_cast<std::size_t>(place), 0);
  double sum = 0;
  kernels_.sum_lists({&list, 1, by_word_.indices.data(), by_word_.counts.data()}, weights_.data(), &sum);
  return of_beta_ + sum;
}

// Chooses the lists of the words that have a count.
void ListedPhi::choose_lists(std::span<const std::int32_t> counts) {
  counts_.clear();
  chosen_.clear();
  for (std::size_t place = 0; place < counts.size(); ++place) {
    if (counts[place] == 0) continue;
    chosen_.push_back(list_of(place, counts_.size()));
    counts_.push_back(counts[place]);
  }
  const auto size = [&](std::size_t i) {
    return 2 * static_cast<std::size_t>(chosen_[i].blocks) + (chosen_[i].has_all ? 1 : 0);
  };
  order_by_size(chosen_.size(), 2 * (static_cast<std::size_t>(model_.topics) / per_block + 1) + 1, size, places_,
                order_);
  lists_.clear();
  for (const std::int32_t i : order_) lists_.push_back(chosen_[static_cast<std::size_t>(i)]);
  factors_.resize(lists_.size());
}

// Calls use(topic, count) for each entry of a list.
template <class Use>
void ListedPhi::for_each_entry(const fold_in::List& list, Use use) const {
  const auto begin = static_cast<std::size_t>(list.begin);
  const std::size_t end = begin + static_cast<std::size_t>(list.blocks) * per_block;
  for (std::size_t i = begin; i < end && by_word_.counts[i] > 0; ++i) {
    use(static_cast<std::size_t>(by_word_.indices[i]), by_word_.counts[i]);
  }
}

// Makes the same lists by topic.
void ListedPhi::make_slices() {
  const auto topics = static_cast<std::size_t>(model_.topics);
  sizes_.assign(topics, 0);
  for (const fold_in::List& list : chosen_) {
    for_each_entry(list, [&](std::size_t k, double) { ++sizes_[k]; });
  }
  order_by_size(
      topics, chosen_.size(), [&](std::size_t k) { return sizes_[k]; }, places_, order_);
  slices_.clear();
  has_all_.resize(topics + 1);
  places_.resize(topics);  // from here on: where a topic's next entry goes
  std::size_t end = 0;
  for (std::size_t first = 0; first < topics; first += per_block) {
    const std::size_t size = sizes_[static_cast<std::size_t>(order_[first])];
    if (size == 0) break;
    fold_in::TopicSlice& slice = slices_.emplace_back();
    std::ranges::fill(slice.topics, model_.topics);
    std::size_t entries = 0;
    for (std::size_t i = 0; i < per_block && first + i < topics; ++i) {
      slice.topics[i] = order_[first + i];
      places_[static_cast<std::size_t>(order_[first + i])] = end + i;
      entries += sizes_[static_cast<std::size_t>(order_[first + i])];
    }
    slice.has_all = 2 * entries >= per_block * chosen_.size();
    slice.begin = static_cast<std::int64_t>(end);
    slice.blocks = static_cast<std::int64_t>(slice.has_all ? chosen_.size() : size);
    end += static_cast<std::size_t>(slice.blocks) * per_block;
    for (const std::int32_t k : slice.topics) has_all_[static_cast<std::size_t>(k)] = slice.has_all ? 1 : 0;
  }
  by_topic_.make_room(end);
  std::fill_n(by_topic_.indices.begin(), end, 0);
  std::fill_n(by_topic_.counts.begin(), end, 0.0);
  for (const fold_in::List& list : chosen_) {
    const auto word = static_cast<std::size_t>(list.word) * per_block;
    for_each_entry(list, [&](std::size_t k, double count) {
      const std::size_t place = places_[k] + (has_all_[k] ? word : 0);
      by_topic_.indices[place] = list.word;
      by_topic_.counts[place] = count;
      places_[k] += has_all_[k] ? 0 : per_block;
    });
  }
}

void ListedPhi::fold_in(std::span<const std::int32_t> counts, int steps, std::vector<double>& theta) {
  const auto topics = static_cast<std::size_t>(model_.topics);
  theta.assign(topics, 1.0 / model_.topics);
  weights_.resize(topics + per_block - 1);
  shares_.assign(topics + 1, 0.0);
  choose_lists(counts);
  make_slices();
  const auto weigh = [&] {
    for (std::size_t k = 0; k < topics; ++k) weights_[k] = weight_of_topic(theta[k], reciprocals_[k]);
    of_beta_ = model_.beta * sum_in_lanes(weights_.data(), model_.topics);
  };
  const auto words = static_cast<std::int64_t>(lists_.size());
  const fold_in::Lists lists{lists_.data(), words, by_word_.indices.data(), by_word_.counts.data()};
  const fold_in::TopicSlices slices{slices_.data(), static_cast<std::int64_t>(slices_.size()), by_topic_.indices.data(),
                                    by_topic_.counts.data()};
  const fold_in::Topics all{model_.topics,  model_.alpha.data(), reciprocals_.data(),
                            shares_.data(), theta.data(),        weights_.data()};
  weigh();
  for (int step = 0; step < steps; ++step) {
    execution::stop_point();
    kernels_.sum_lists(lists, weights_.data(), factors_.data());
    const double of_factors = kernels_.make_factors(counts_.data(), words, of_beta_, factors_.data());
    kernels_.sum_slices(slices, factors_.data(), shares_.data());
    of_beta_ = model_.beta * kernels_.fold(all, model_.beta * of_factors);
  }
  const double total = sum_in_lanes(theta.data(), model_.topics);
  for (double& t : theta) t /= total;
  weigh();
}

}  // namespace papilio::lda
