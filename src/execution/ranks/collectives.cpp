#include "execution/ranks/collectives.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace papilio::execution {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

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
  auto count = static_cast<std::int64_t>(numbers.size());
  ranks.add_up(std::span(&count, 1));
  std::vector<std::int32_t> all(static_cast<std::size_t>(count));
  auto to = std::as_writable_bytes(std::span(all));
  for (const std::vector<std::byte>& of_rank : ranks.gather(std::as_bytes(numbers), 0)) {
    std::ranges::copy(of_rank, to.begin());
    to = to.subspan(of_rank.size());
  }
  ranks.broadcast(std::as_writable_bytes(std::span(all)), 0);
  return all;
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

std::vector<std::string> broadcast_texts(Communicator& ranks, std::vector<std::string> texts) {
  auto count = static_cast<std::int64_t>(texts.size());
  ranks.broadcast(std::as_writable_bytes(std::span(&count, 1)), 0);
  std::vector<std::int64_t> sizes;
  std::string joined;
  for (const std::string& text : texts) {
    sizes.push_back(static_cast<std::int64_t>(text.size()));
    joined += text;
  }
  sizes.resize(static_cast<std::size_t>(count));
  ranks.broadcast(std::as_writable_bytes(std::span(sizes)), 0);
  joined = broadcast_text(ranks, joined);
  if (ranks.rank() == 0) return texts;
  std::string_view rest = joined;
  for (const std::int64_t size : sizes) {
    texts.emplace_back(rest.substr(0, static_cast<std::size_t>(size)));
    rest.remove_prefix(static_cast<std::size_t>(size));
  }
  return texts;
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

std::string broadcast_text(Communicator& ranks, const std::string& text) {
  auto size = static_cast<std::int64_t>(text.size());
  ranks.broadcast(std::as_writable_bytes(std::span(&size, 1)), 0);
  std::string all(static_cast<std::size_t>(size), ' ');
  if (ranks.rank() == 0) all = text;
  ranks.broadcast(std::as_writable_bytes(std::span(all)), 0);
  return all;
}

}  // namespace papilio::execution
