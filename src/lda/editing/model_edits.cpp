#include "papilio/model_edits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <utility>

#include "base/check.h"
#include "execution/check_view.h"
#include "lda/model/labels.h"

namespace papilio {
namespace {

using base::require;

// The number of each topic of the old model in the new one, or -1.
struct Renumbering {
  std::vector<std::int32_t> to;
  std::int32_t topics = 0;
};

void require_topic(const Model& model, std::int32_t topic, const char* caller) {
  require(0 <= topic && topic < model.topics, "papilio::{}: topic {}, expected 0 <= topic < {}", caller, topic,
          model.topics);
}

// Checks that no topic is named twice.
class Seen {
 public:
  Seen(const Model& model, const char* caller)
      : model_(model), caller_(caller), seen_(static_cast<std::size_t>(model.topics)) {}

  void add(std::int32_t topic) {
    require_topic(model_, topic, caller_);
    require(!seen_[static_cast<std::size_t>(topic)], "papilio::{}: topic {} is given twice, expected once", caller_,
            topic);
    seen_[static_cast<std::size_t>(topic)] = true;
  }

 private:
  const Model& model_;
  const char* caller_;
  std::vector<bool> seen_;
};

// `joined[k]` is the topic that topic k becomes a part of: k itself if it stays, -1 if it is dropped.
Renumbering renumbered(const std::vector<std::int32_t>& joined) {
  Renumbering result = {std::vector<std::int32_t>(joined.size(), -1), 0};
  for (std::size_t k = 0; k < joined.size(); ++k) {
    if (joined[k] == static_cast<std::int32_t>(k)) result.to[k] = result.topics++;
  }
  for (std::size_t k = 0; k < joined.size(); ++k) {
    if (joined[k] >= 0) result.to[k] = result.to[static_cast<std::size_t>(joined[k])];
  }
  return result;
}

// If topics become one, the weights of a word in them are added up.
void add_up_seed_words(const Model& model, const Renumbering& renumbering, const char* caller, Model& result) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t> weights;  // by word and topic
  for (const SeedWord& seed : model.seed_words) {
    const std::int32_t to = renumbering.to[static_cast<std::size_t>(seed.topic)];
    if (to >= 0) weights[{seed.word, to}] += seed.weight;
  }
  if (!weights.empty()) result.s_k.resize(static_cast<std::size_t>(result.topics));
  for (const auto& [place, weight] : weights) {
    require(weight <= largest_seed_weight, "papilio::{}: seed word {} would weigh {} in topic {}, expected at most {}",
            caller, place.first, weight, place.second, largest_seed_weight);
    result.seed_words.push_back({place.second, place.first, static_cast<std::int32_t>(weight)});
    result.s_k[static_cast<std::size_t>(place.second)] += weight;
  }
}

// The model with its topics added up as `renumbering` says. The caller sets labels and adds the edit.
Model added_up(const Model& model, const Renumbering& renumbering, const char* caller) {
  Model result;
  result.topics = renumbering.topics;
  result.vocabulary = model.vocabulary;
  result.beta = model.beta;
  result.settings = model.settings;
  result.edits = model.edits;
  const auto columns = static_cast<std::size_t>(model.topics);
  const auto kept = static_cast<std::size_t>(renumbering.topics);
  result.alpha.resize(kept);
  result.n_k.resize(kept);
  result.n_wk.resize(model.vocabulary.size() * kept);
  for (std::size_t k = 0; k < columns; ++k) {
    if (renumbering.to[k] < 0) continue;
    const auto to = static_cast<std::size_t>(renumbering.to[k]);
    result.alpha[to] += model.alpha[k];
    result.n_k[to] += model.n_k[k];
    for (std::size_t w = 0; w < model.vocabulary.size(); ++w) {
      std::int32_t& count = result.n_wk[w * kept + to];
      const std::int32_t more = model.n_wk[w * columns + k];
      require(count <= std::numeric_limits<std::int32_t>::max() - more,
              "papilio::{}: word {} would have {} tokens with topic {}, expected at most {}", caller, w,
              std::int64_t{count} + more, to, std::numeric_limits<std::int32_t>::max());
      count += more;
    }
  }
  add_up_seed_words(model, renumbering, caller, result);
  return result;
}

void add_edit(Model& result, const Model& parent, std::vector<std::string> change) {
  result.edits.push_back({std::move(change), model_hash(parent)});
}

// A model whose labels are all empty has no labels.
void set_labels(Model& model, std::vector<std::string> labels, const char* caller) {
  const bool any = std::any_of(labels.begin(), labels.end(), [](const std::string& label) { return !label.empty(); });
  model.labels = any ? std::move(labels) : std::vector<std::string>();
  const std::string fault = lda::labels_fault(model.labels, model.topics);
  require(fault.empty(), "papilio::{}: {}", caller, fault);
}

}  // namespace

Model label_topics(const Model& model, const std::map<std::int32_t, std::string>& labels) {
  constexpr const char* caller = "label_topics";
  model.verify();
  require(!labels.empty(), "papilio::{}: no labels are given", caller);
  std::vector<std::string> all = model.labels;
  all.resize(static_cast<std::size_t>(model.topics));
  std::vector<std::string> change = {"label"};
  for (const auto& [topic, label] : labels) {
    require_topic(model, topic, caller);
    all[static_cast<std::size_t>(topic)] = label;
    change.push_back(fmt::format("{}={}", topic, label));
  }
  Model result = model;
  set_labels(result, std::move(all), caller);
  add_edit(result, model, std::move(change));
  return result;
}

Model merge_topics(const Model& model, const std::vector<std::vector<std::int32_t>>& groups) {
  constexpr const char* caller = "merge_topics";
  model.verify();
  require(!groups.empty(), "papilio::{}: no topics to merge are given", caller);
  Seen seen(model, caller);
  std::vector<std::int32_t> joined(static_cast<std::size_t>(model.topics));
  for (std::int32_t k = 0; k < model.topics; ++k) joined[static_cast<std::size_t>(k)] = k;
  std::vector<std::string> labels = model.labels;
  labels.resize(joined.size());
  std::vector<std::string> change = {"merge"};
  for (const std::vector<std::int32_t>& group : groups) {
    require(group.size() >= 2, "papilio::{}: a group has {} topics, expected two or more", caller, group.size());
    for (const std::int32_t topic : group) seen.add(topic);
    const std::int32_t first = *std::min_element(group.begin(), group.end());
    const auto labelled =
        std::find_if(group.begin(), group.end(), [&](std::int32_t topic) { return !model.label(topic).empty(); });
    for (const std::int32_t topic : group) joined[static_cast<std::size_t>(topic)] = first;
    if (labelled != group.end()) labels[static_cast<std::size_t>(first)] = model.label(*labelled);
    change.push_back(fmt::format("{}", fmt::join(group, ",")));
  }
  const Renumbering renumbering = renumbered(joined);
  Model result = added_up(model, renumbering, caller);
  std::vector<std::string> kept(static_cast<std::size_t>(result.topics));
  for (std::size_t k = 0; k < joined.size(); ++k) {
    const bool stays = joined[k] == static_cast<std::int32_t>(k);
    if (stays) kept[static_cast<std::size_t>(renumbering.to[k])] = labels[k];
  }
  set_labels(result, std::move(kept), caller);
  add_edit(result, model, std::move(change));
  return result;
}

Model drop_topics(const Model& model, std::span<const std::int32_t> topics) {
  constexpr const char* caller = "drop_topics";
  model.verify();
  execution::require_span(caller, "topics", topics);
  require(!topics.empty(), "papilio::{}: no topics to drop are given", caller);
  Seen seen(model, caller);
  std::vector<std::int32_t> joined(static_cast<std::size_t>(model.topics));
  for (std::int32_t k = 0; k < model.topics; ++k) joined[static_cast<std::size_t>(k)] = k;
  std::vector<std::string> change = {"drop"};
  for (const std::int32_t topic : topics) {
    seen.add(topic);
    joined[static_cast<std::size_t>(topic)] = -1;
    change.push_back(std::to_string(topic));
  }
  require(std::ssize(topics) < model.topics, "papilio::{}: all {} topics are given, expected one or more to stay",
          caller, model.topics);
  const Renumbering renumbering = renumbered(joined);
  Model result = added_up(model, renumbering, caller);
  std::vector<std::string> kept(static_cast<std::size_t>(result.topics));
  for (std::int32_t k = 0; k < model.topics; ++k) {
    const std::int32_t to = renumbering.to[static_cast<std::size_t>(k)];
    if (to >= 0) kept[static_cast<std::size_t>(to)] = model.label(k);
  }
  set_labels(result, std::move(kept), caller);
  add_edit(result, model, std::move(change));
  return result;
}

}  // namespace papilio
