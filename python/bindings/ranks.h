#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "papilio/communicator.h"

namespace papilio::python {

// An engine that is an object of Python: attributes rank, ranks and engine, methods add_up, broadcast, gather and
// barrier (papilio/distributed.py). Its arrays are the library's memory for the time of a call. It is called with the
// lock of the interpreter, by any thread. What it raises is thrown as RankError, but for KeyboardInterrupt and the
// like.
class PythonRanks final : public Communicator {
 public:
  // Needs the lock, as does the end.
  explicit PythonRanks(nanobind::object engine);

  int rank() const override { return rank_; }
  int ranks() const override { return ranks_; }
  std::string engine() const override { return name_; }

  void add_up(std::span<std::int32_t> values) override;
  void add_up(std::span<std::int64_t> values) override;
  void broadcast(std::span<std::byte> bytes, int from) override;
  std::vector<std::vector<std::byte>> gather(std::span<const std::byte> bytes, int to) override;
  void barrier() override;

  // The launcher ends the others when this process ends.
  void fail(std::string_view reason) noexcept override;

 private:
  template <class F>
  void call(const char* what, const F& work) const;

  const nanobind::object engine_;
  int rank_ = 0;
  int ranks_ = 1;
  std::string name_;
  bool has_failed_ = false;
};

void bind_ranks(nanobind::module_& m);

}  // namespace papilio::python
