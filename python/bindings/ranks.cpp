#include "ranks.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <utility>

#include "lock.h"
#include "papilio/error.h"

namespace nb = nanobind;

namespace papilio::python {
namespace {

// Borrowed memory as an array of NumPy; never null, which would be no array.
template <class T>
nb::object array_of(std::span<T> values) {
  static T nothing[1] = {};
  using Array = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
  return nb::cast(Array(values.empty() ? nothing : values.data(), {values.size()}, nb::handle()),
                  nb::rv_policy::reference);
}

nb::object array_of_bytes(std::span<const std::byte> bytes) {
  return array_of(std::span(reinterpret_cast<std::uint8_t*>(const_cast<std::byte*>(bytes.data())), bytes.size()));
}

// The rank that an exception names in an attribute, if it does.
int rank_of(const nb::python_error& error) {
  const nb::object rank = nb::getattr(error.value(), "rank", nb::none());
  int number = -1;
  return nb::try_cast(rank, number) ? number : -1;
}

// As many numbers of each rank, in their order, on every rank.
std::vector<std::vector<std::int64_t>> gather_numbers(PythonRanks& ranks, const std::vector<std::int64_t>& numbers) {
  std::vector<std::int64_t> all(numbers.size() * static_cast<std::size_t>(ranks.ranks()));
  const auto place = [&](int rank) { return all.begin() + rank * std::ssize(numbers); };
  std::ranges::copy(numbers, place(ranks.rank()));
  ranks.add_up(all);
  std::vector<std::vector<std::int64_t>> by_rank;
  for (int rank = 0; rank < ranks.ranks(); ++rank) by_rank.emplace_back(place(rank), place(rank + 1));
  return by_rank;
}

}  // namespace

PythonRanks::PythonRanks(nb::object engine)
    : engine_(std::move(engine)),
      rank_(nb::cast<int>(engine_.attr("rank"))),
      ranks_(nb::cast<int>(engine_.attr("ranks"))),
      name_(nb::cast<std::string>(nb::str(nb::getattr(engine_, "engine", nb::str("Python"))))) {
  if (ranks_ < 1 || rank_ < 0 || rank_ >= ranks_) {
    throw InvalidArgument("papilio.distributed: ranks has rank " + std::to_string(rank_) + " of " +
                          std::to_string(ranks_) + ", expected 0 <= rank < ranks");
  }
}

template <class F>
void PythonRanks::call(const char* what, const F& work) const {
  if (has_failed_) throw RankError("papilio.distributed: this rank has failed before", rank_);
  const Locked locked;
  try {
    work();
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_Exception)) throw;
    throw RankError("papilio.distributed: rank " + std::to_string(rank_) + " of " + std::to_string(ranks_) + ": " +
                        what + ": " + nb::cast<std::string>(nb::str(error.value())),
                    rank_of(error));
  }
}

void PythonRanks::add_up(std::span<std::int32_t> values) {
  call("add_up", [&] { engine_.attr("add_up")(array_of(values)); });
}

void PythonRanks::add_up(std::span<std::int64_t> values) {
  call("add_up", [&] { engine_.attr("add_up")(array_of(values)); });
}

void PythonRanks::broadcast(std::span<std::byte> bytes, int from) {
  call("broadcast", [&] { engine_.attr("broadcast")(array_of_bytes(bytes), from); });
}

std::vector<std::vector<std::byte>> PythonRanks::gather(std::span<const std::byte> bytes, int to) {
  std::vector<std::vector<std::byte>> all;
  call("gather", [&] {
    const nb::object gathered = engine_.attr("gather")(array_of_bytes(bytes), to);
    if (rank_ != to) return;
    using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
    for (const nb::handle item : gathered) {
      const auto part = nb::cast<Bytes>(item);
      const auto* data = reinterpret_cast<const std::byte*>(part.data());
      all.emplace_back(data, data + part.size());
    }
  });
  if (rank_ == to && std::ssize(all) != ranks_) {
    throw RankError("papilio.distributed: gather gave " + std::to_string(all.size()) +
                        " parts, expected one of each of " + std::to_string(ranks_) + " ranks",
                    -1);
  }
  return all;
}

void PythonRanks::barrier() {
  call("barrier", [&] { engine_.attr("barrier")(); });
}

void PythonRanks::fail(std::string_view) noexcept { has_failed_ = true; }

void bind_ranks(nb::module_& m) {
  nb::class_<PythonRanks>(m, "Ranks")
      .def(nb::init<nb::object>(), nb::arg("engine"))
      .def_prop_ro("rank", &PythonRanks::rank)
      .def_prop_ro("ranks", &PythonRanks::ranks)
      .def("gather_numbers", &gather_numbers, nb::arg("numbers"), nb::call_guard<Unlocked>());
}

}  // namespace papilio::python
