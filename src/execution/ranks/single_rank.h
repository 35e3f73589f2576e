#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "execution/ranks/check_rank.h"
#include "papilio/communicator.h"

namespace papilio::execution {

// The one rank of a job that has no others.
class SingleRank final : public Communicator {
 public:
  int rank() const override { return 0; }
  int ranks() const override { return 1; }
  std::string engine() const override { return "one process"; }
  void add_up(std::span<std::int32_t>) override {}
  void add_up(std::span<std::int64_t>) override {}
  void broadcast(std::span<std::byte>, int from) override { require_rank("broadcast", "from", from, 1); }
  std::vector<std::vector<std::byte>> gather(std::span<const std::byte> bytes, int to) override {
    require_rank("gather", "to", to, 1);
    return {{bytes.begin(), bytes.end()}};
  }
  void barrier() override {}
  void fail(std::string_view) noexcept override {}
};

}  // namespace papilio::execution
