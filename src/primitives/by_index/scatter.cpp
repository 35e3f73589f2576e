#include "primitives/by_index/scatter.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

#include "base/math.h"
#include "execution/cpu/parallel_for.h"

namespace papilio::primitives {
namespace {

// Below this many items per part, a second thread costs more than it saves.
constexpr std::int64_t least_items = std::int64_t{1} << 15;

// Items that are checked and added together.
constexpr std::int64_t block_items = 2048;

// Tables up to this size are spread (Accumulator::add_spread): four of them fit into a second-level cache.
constexpr std::int64_t most_spread_bytes = 32768;

// If there is no room for a table per part, items are sorted into buckets of bins: this many
// items at a time, and into at most as many buckets as a thread can fill at the same time.
constexpr std::int64_t chunk_items = std::int64_t{1} << 21;
constexpr std::int64_t most_buckets = 1024;
constexpr std::int64_t least_bucket_bins = 4096;

template <class Index>
bool is_bin(Index index, std::int64_t bins) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(index)) < static_cast<std::uint64_t>(bins);
}

std::byte* advanced(void* bytes, std::int64_t by) { return static_cast<std::byte*>(bytes) + by; }
const std::byte* advanced(const void* bytes, std::int64_t by) { return static_cast<const std::byte*>(bytes) + by; }

// Memory for cells, with an alignment that suits every kind of cell.
struct FreeCells {
  void operator()(void* cells) const { ::operator delete (cells, std::align_val_t{64}); }
};
using Cells = std::unique_ptr<void, FreeCells>;

Cells make_cells(const Accumulator& accumulator, std::int64_t count) {
  Cells cells(::operator new (static_cast<std::size_t>(std::max<std::int64_t>(1, count) * accumulator.cell_size),
                              std::align_val_t{64}));
  accumulator.clear(cells.get(), count);
  return cells;
}

// Items in blocks, with their indices checked. Only for bins <= 2^32.
template <class Index>
class Blocks {
 public:
  Blocks(const IndexedItems<Index>& items, std::int64_t value_size, FirstWrong& wrong)
      : items_(items), value_size_(value_size), wrong_(wrong) {}

  // Calls add(indices, values, count) for the items [begin, end) in blocks.
  template <class Add>
  void for_each(std::int64_t begin, std::int64_t end, Add add) {
    for (std::int64_t at = begin; at < end; at += block_items) {
      const std::int64_t count = std::min(end - at, block_items);
      const Index* const from = items_.indices + at;
      const std::byte* const values = items_.values == nullptr ? nullptr : advanced(items_.values, at * value_size_);
      if (all_bins(from, count)) {
        add(as_indices(from, count), values, count);
      } else if (items_.skip_out_of_range) {
        const std::int64_t kept = keep_bins(from, values, count);
        add(indices_, static_cast<const std::byte*>(values_), kept);
      } else {
        return wrong_.report(
            at + (std::find_if(from, from + count, [&](Index i) { return !is_bin(i, items_.bins); }) - from));
      }
    }
  }

 private:
  bool all_bins(const Index* from, std::int64_t count) const {
    // Without branches: compares only the largest index, as an unsigned number.
    using Unsigned = std::make_unsigned_t<Index>;
    Unsigned most = 0;
    for (std::int64_t i = 0; i < count; ++i) most = std::max(most, static_cast<Unsigned>(from[i]));
    return is_bin(static_cast<Index>(most), items_.bins);
  }

  const std::uint32_t* as_indices(const Index* from, std::int64_t count) {
    if constexpr (sizeof(Index) == sizeof(std::uint32_t)) {
      return reinterpret_cast<const std::uint32_t*>(from);
    } else {
      for (std::int64_t i = 0; i < count; ++i) indices_[i] = static_cast<std::uint32_t>(from[i]);
      return indices_;
    }
  }

  std::int64_t keep_bins(const Index* from, const std::byte* values, std::int64_t count) {
    std::int64_t kept = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      if (!is_bin(from[i], items_.bins)) continue;
      indices_[kept] = static_cast<std::uint32_t>(from[i]);
      if (values != nullptr) {
        std::memcpy(values_ + kept * value_size_, values + i * value_size_, static_cast<std::size_t>(value_size_));
      }
      ++kept;
    }
    return kept;
  }

  const IndexedItems<Index>& items_;
  std::int64_t value_size_;
  FirstWrong& wrong_;
  std::uint32_t indices_[block_items];
  alignas(8) std::byte values_[block_items * 8];
};

template <class Index>
class Scatter {
 public:
  Scatter(const IndexedItems<Index>& items, const Accumulator& accumulator, void* out, int threads)
      : items_(items), accumulator_(accumulator), out_(out), threads_(threads) {}

  ScatterResult run() {
    const std::int64_t limit = execution::thread_count(threads_);
    const std::int64_t table = std::max<std::int64_t>(1, items_.bins * accumulator_.cell_size);
    const std::int64_t item = static_cast<std::int64_t>(sizeof(Index)) + accumulator_.value_size;
    const std::int64_t copies = std::min(limit, items_.count * item / table);
    const bool few_items = items_.count < 2 * least_items;
    const bool one_part = limit == 1 || few_items;
    const bool fits = copies >= 2 || (one_part && (accumulator_.in_place || copies == 1 || table <= most_spread_bytes));
    if (fits && items_.bins <= std::int64_t{1} << 31) {
      add_to_tables(std::max<std::int64_t>(1, copies));
    } else {
      add_by_buckets();
    }
    return {wrong_.item(), overflow_.item(), left_type_.load(), in_out_};
  }

 private:
  void note(bool left_type) {
    if (left_type) left_type_.store(true, std::memory_order_relaxed);
  }

  // Adds each part to a table of its own, then combines the tables.
  void add_to_tables(std::int64_t most_parts) {
    const Parts parts(items_.count, least_items, most_parts);
    if (parts.count() == 1 && accumulator_.in_place && items_.bins * accumulator_.cell_size > most_spread_bytes) {
      in_out_ = true;
      Blocks<Index> blocks(items_, accumulator_.value_size, wrong_);
      return blocks.for_each(0, items_.count,
                             [&](const std::uint32_t* indices, const void* values, std::int64_t count) {
                               note(accumulator_.add(out_, indices, values, count, accumulator_.place));
                             });
    }
    const bool spreads = items_.bins * accumulator_.cell_size <= most_spread_bytes;
    std::vector<Cells> tables(static_cast<std::size_t>(parts.count()));
    parts.for_each(threads_, [&](std::int64_t part, std::int64_t begin, std::int64_t end) {
      Cells& table = tables[static_cast<std::size_t>(part)];
      table = make_cells(accumulator_, items_.bins * (spreads ? spread : 1));
      Blocks<Index> blocks(items_, accumulator_.value_size, wrong_);
      blocks.for_each(begin, end, [&](const std::uint32_t* indices, const void* values, std::int64_t count) {
        if (spreads) {
          note(accumulator_.add_spread(table.get(), items_.bins, indices, values, count, accumulator_.place));
        } else {
          note(accumulator_.add(table.get(), indices, values, count, accumulator_.place));
        }
      });
      for (int k = 1; spreads && k < spread; ++k) {
        const std::int64_t bytes = k * items_.bins * accumulator_.cell_size;
        note(accumulator_.join(table.get(), advanced(table.get(), bytes), items_.bins));
      }
    });
    if (wrong_.found()) return;
    join_tables(tables);
    if (left_type_.load()) return;
    execution::parallel_for(items_.bins, least_items, threads_, [&](std::int64_t begin, std::int64_t end) {
      finish(advanced(tables[0].get(), begin * accumulator_.cell_size), begin, end - begin);
    });
  }

  // Combines all tables into the first.
  void join_tables(const std::vector<Cells>& tables) {
    if (tables.size() == 1) return;
    execution::parallel_for(items_.bins, least_items, threads_, [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t from = begin * accumulator_.cell_size;
      for (std::size_t part = 1; part < tables.size(); ++part) {
        note(accumulator_.join(advanced(tables[0].get(), from), advanced(tables[part].get(), from), end - begin));
      }
    });
  }

  void finish(const void* cells, std::int64_t first, std::int64_t count) {
    const std::int64_t done =
        accumulator_.finish(advanced(out_, first * accumulator_.out_size), cells, count, accumulator_.place);
    if (done < count) overflow_.report(first + done);
  }

  // Sorts items into buckets of bins; one thread adds up each bucket. Cells that are not entries of `out` are those
  // of one bucket, if all items are sorted at once, or else those of all bins; it does whichever takes less memory.
  void add_by_buckets() {
    const std::int64_t per_bucket = std::max(least_bucket_bins, base::ceil_div(items_.bins, most_buckets));
    shift_ = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(per_bucket - 1)));
    buckets_ = ((items_.bins - 1) >> shift_) + 1;
    const std::int64_t record = static_cast<std::int64_t>(sizeof(std::uint32_t)) + accumulator_.value_size;
    in_out_ = accumulator_.in_place;
    const bool at_once = !accumulator_.in_place && items_.count * record <= items_.bins * accumulator_.cell_size;
    const std::int64_t chunk = at_once ? items_.count : std::min(items_.count, chunk_items);
    indices_ = std::make_unique_for_overwrite<std::uint32_t[]>(static_cast<std::size_t>(chunk));
    values_ = std::make_unique_for_overwrite<std::uint64_t[]>(
        static_cast<std::size_t>(base::ceil_div(chunk * accumulator_.value_size, std::int64_t{8})));
    Cells table;
    if (!at_once && !accumulator_.in_place) table = make_cells(accumulator_, items_.bins);
    for (std::int64_t begin = 0; begin < items_.count && !wrong_.found(); begin += chunk) {
      sort(begin, std::min(items_.count, begin + chunk));
      if (wrong_.found()) return;
      execution::parallel_for(buckets_, 1, threads_, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t b = first; b < last; ++b)
          at_once ? reduce_bucket(b) : add_bucket(b, table ? table.get() : out_);
      });
    }
    if (!table) return;
    execution::parallel_for(items_.bins, least_items, threads_, [&](std::int64_t begin, std::int64_t end) {
      finish(advanced(table.get(), begin * accumulator_.cell_size), begin, end - begin);
    });
  }

  // Sorts the items [begin, end) by bucket: those of bucket b end at ends_[b].
  void sort(std::int64_t begin, std::int64_t end) {
    const Parts parts(end - begin, least_items, execution::thread_count(threads_));
    std::vector<std::vector<std::int64_t>> places(static_cast<std::size_t>(parts.count()));
    parts.for_each(threads_, [&](std::int64_t part, std::int64_t first, std::int64_t last) {
      std::vector<std::int64_t>& counts = places[static_cast<std::size_t>(part)];
      counts.resize(static_cast<std::size_t>(buckets_));
      for (std::int64_t i = begin + first; i < begin + last; ++i) {
        if (is_bin(items_.indices[i], items_.bins)) [[likely]] {
          ++counts[static_cast<std::size_t>(items_.indices[i] >> shift_)];
        } else if (!items_.skip_out_of_range) {
          return wrong_.report(i);
        }
      }
    });
    if (wrong_.found()) return;
    ends_.assign(static_cast<std::size_t>(buckets_), 0);
    std::int64_t place = 0;
    for (std::size_t b = 0; b < ends_.size(); ++b) {
      for (std::vector<std::int64_t>& counts : places) {
        const std::int64_t count = counts[b];
        counts[b] = place;
        place += count;
      }
      ends_[b] = place;
    }
    parts.for_each(threads_, [&](std::int64_t part, std::int64_t first, std::int64_t last) {
      std::int64_t* const place_of = places[static_cast<std::size_t>(part)].data();
      switch (accumulator_.value_size) {
        case 4:
          return move_items<std::uint32_t>(begin + first, begin + last, place_of);
        case 8:
          return move_items<std::uint64_t>(begin + first, begin + last, place_of);
        default:
          return move_items<void>(begin + first, begin + last, place_of);
      }
    });
  }

  template <class Bits>
  void move_items(std::int64_t begin, std::int64_t end, std::int64_t* place_of) {
    const std::int64_t mask = (std::int64_t{1} << shift_) - 1;
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t index = items_.indices[i];
      if (!is_bin(index, items_.bins)) [[unlikely]] {
        continue;
      }
      const std::int64_t to = place_of[index >> shift_]++;
      indices_[static_cast<std::size_t>(to)] = static_cast<std::uint32_t>(index & mask);
      if constexpr (!std::is_void_v<Bits>) {
        constexpr std::int64_t size = sizeof(Bits);
        std::memcpy(advanced(values_.get(), to * size), advanced(items_.values, i * size), sizeof(Bits));
      }
    }
  }

  void add_bucket(std::int64_t bucket, void* cells) {
    const std::int64_t from = bucket == 0 ? 0 : ends_[static_cast<std::size_t>(bucket) - 1];
    const std::int64_t to = ends_[static_cast<std::size_t>(bucket)];
    note(accumulator_.add(advanced(cells, (bucket << shift_) * accumulator_.cell_size), indices_.get() + from,
                          advanced(values_.get(), from * accumulator_.value_size), to - from, accumulator_.place));
  }

  void reduce_bucket(std::int64_t bucket) {
    const std::int64_t from = bucket == 0 ? 0 : ends_[static_cast<std::size_t>(bucket) - 1];
    const std::int64_t to = ends_[static_cast<std::size_t>(bucket)];
    if (from == to) return;
    const std::int64_t first = bucket << shift_, count = std::min(items_.bins - first, std::int64_t{1} << shift_);
    const Cells cells = make_cells(accumulator_, count);
    note(accumulator_.add(cells.get(), indices_.get() + from, advanced(values_.get(), from * accumulator_.value_size),
                          to - from, accumulator_.place));
    finish(cells.get(), first, count);
  }

  const IndexedItems<Index>& items_;
  const Accumulator& accumulator_;
  void* out_;
  int threads_;
  FirstWrong wrong_;
  FirstWrong overflow_;
  std::atomic<bool> left_type_ = false;
  bool in_out_ = false;
  int shift_ = 0;
  std::int64_t buckets_ = 0;
  std::unique_ptr<std::uint32_t[]> indices_;  // of a chunk, numbered within their buckets
  std::unique_ptr<std::uint64_t[]> values_;
  std::vector<std::int64_t> ends_;
};

}  // namespace

template <class Index>
ScatterResult scatter(const IndexedItems<Index>& items, const Accumulator& accumulator, void* out, int threads) {
  return Scatter<Index>(items, accumulator, out, threads).run();
}

template ScatterResult scatter<std::int32_t>(const IndexedItems<std::int32_t>&, const Accumulator&, void*, int);
template ScatterResult scatter<std::int64_t>(const IndexedItems<std::int64_t>&, const Accumulator&, void*, int);

}  // namespace papilio::primitives
