#include "execution/ranks/collectives.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string_view>
#include <utility>

#include "execution/ranks/work_in_turns.h"

namespace papilio::execution {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

// Several texts as one, each after its size.
std::string packed(std::span<const std::string> texts) {
  std::string all;
  for (const std::string& text : texts) {
    const std::size_t size = text.size();
    all.append(reinterpret_cast<const char*>(&size), sizeof size).append(text);
  }
  return all;
}

std::vector<std::string> unpacked(std::string_view all) {
  std::vector<std::string> texts;
  while (!all.empty()) {
    std::size_t size = 0;
    std::memcpy(&size, all.data(), sizeof size);
    texts.emplace_back(all.substr(sizeof size, size));
    all.remove_prefix(sizeof size + size);
  }
  return texts;
}

template <class Number>
std::vector<Number> joined(Communicator& ranks, std::span<const Number> numbers) {
  auto count = static_cast<std::int64_t>(numbers.size());
  ranks.add_up(std::span(&count, 1));
  std::vector<Number> all(static_cast<std::size_t>(count));
  auto to = std::as_writable_bytes(std::span(all));
  for (const std::vector<std::byte>& of_rank : ranks.gather(std::as_bytes(numbers), 0)) {
    std::ranges::copy(of_rank, to.begin());
    to = to.subspan(of_rank.size());
  }
  ranks.broadcast(std::as_writable_bytes(std::span(all)), 0);
  return all;
}

}  // namespace

std::vector<std::vector<std::byte>> gather_everywhere(Communicator& ranks, std::span<const std::byte> bytes) {
  std::vector<std::vector<std::byte>> all = ranks.gather(bytes, 0);
  all.resize(static_cast<std::size_t>(ranks.ranks()));
  for (std::vector<std::byte>& of_rank : all) {
    auto size = static_cast<std::int64_t>(of_rank.size());
    ranks.broadcast(std::as_writable_bytes(std::span(&size, 1)), 0);
    of_rank.resize(static_cast<std::size_t>(size));
    ranks.broadcast(of_rank, 0);
  }
  return all;
}

std::vector<std::int32_t> join_everywhere(Communicator& ranks, std::span<const std::int32_t> numbers) {
  return joined(ranks, numbers);
}

std::vector<std::int64_t> join_everywhere(Communicator& ranks, std::span<const std::int64_t> numbers) {
  return joined(ranks, numbers);
}

std::vector<double> join_everywhere(Communicator& ranks, std::span<const double> numbers) {
  return joined(ranks, numbers);
}

std::vector<std::vector<std::byte>> exchange(Communicator& ranks, std::vector<std::vector<std::byte>> sent) {
  std::vector<std::vector<std::byte>> received;
  for (int to = 0; to < ranks.ranks(); ++to) {
    const std::vector<std::byte> bytes = std::move(sent[static_cast<std::size_t>(to)]);
    if (to == ranks.rank()) {
      received = ranks.gather({}, to);
      received[static_cast<std::size_t>(to)] = bytes;
    } else {
      ranks.gather(bytes, to);
    }
  }
  return received;
}

std::int64_t memory_of_sent(std::span<const std::string> texts) {
  std::size_t bytes = 0;
  for (const std::string& text : texts) bytes += sizeof(std::size_t) + sizeof(std::string) + 2 * text.size();
  return static_cast<std::int64_t>(bytes);
}

std::vector<std::string> broadcast_texts(Communicator& ranks, std::vector<std::string> texts, int from) {
  const std::string all = broadcast_text(ranks, ranks.rank() == from ? packed(texts) : std::string(), from);
  return ranks.rank() == from ? std::move(texts) : unpacked(all);
}

std::vector<std::vector<std::string>> gather_text_lists(Communicator& ranks, std::span<const std::string> texts) {
  const std::vector<std::vector<std::byte>> all = ranks.gather(bytes_of(packed(texts)), 0);
  std::vector<std::vector<std::string>> lists;
  std::atomic<bool> is_over = false;
  work_in_turns(ranks, is_over, [&] {
    for (const std::vector<std::byte>& bytes : all) {
      lists.push_back(unpacked({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
    }
  });
  return lists;
}

std::vector<std::string> gather_texts(Communicator& ranks, const std::string& text) {
  std::vector<std::string> texts;
  for (const std::vector<std::byte>& bytes : gather_everywhere(ranks, bytes_of(text))) {
    texts.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  return texts;
}

std::vector<std::int64_t> gather_numbers(Communicator& ranks, std::int64_t number) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(ranks.ranks()));
  numbers[static_cast<std::size_t>(ranks.rank())] = number;
  ranks.add_up(numbers);
  return numbers;
}

std::string broadcast_text(Communicator& ranks, const std::string& text, int from) {
  auto size = static_cast<std::int64_t>(text.size());
  ranks.broadcast(std::as_writable_bytes(std::span(&size, 1)), from);
  std::string all(static_cast<std::size_t>(size), ' ');
  if (ranks.rank() == from) all = text;
  ranks.broadcast(std::as_writable_bytes(std::span(all)), from);
  return all;
}

}  // namespace papilio::execution
