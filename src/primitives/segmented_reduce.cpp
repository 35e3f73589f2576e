#include <algorithm>
#include <vector>

#include "base/math.h"
#include "primitives/call_checks.h"
#include "primitives/parts.h"
#include "primitives/reductions.h"

namespace papilio {
namespace {

using primitives::FirstWrong;
using primitives::Segments;

// Below this many values and segments per part, a second thread costs more than it saves.
constexpr std::int64_t least_steps = std::int64_t{1} << 15;

// A place in the work: how many segments and how many values are done.
struct Place {
  std::int64_t segment;
  std::int64_t value;
};

// The place after `steps` steps. Each segment is a step, and each of its values is another, so
// that parts of equally many steps take equally long, whatever the lengths of the segments.
Place place_after(std::int64_t steps, const std::int64_t* offsets, std::int64_t segments) {
  std::int64_t least = 0,
               most = segments;  // the first segment s with s steps and the values before it at least `steps`
  while (least < most) {
    const std::int64_t middle = (least + most) / 2;
    if (offsets[middle] - offsets[0] + middle >= steps) {
      most = middle;
    } else {
      least = middle + 1;
    }
  }
  return {least, std::min(offsets[0] + steps - least, offsets[segments])};
}

// What a part leaves to be joined: the values at its beginning that belong
// to a segment of an earlier part, and the values of its own last segment.
template <class Carry>
struct Ends {
  Carry head;
  Carry tail;
  Place begin;
  Place end;
};

template <class Reduction, class T = typename Reduction::Value>
class SegmentedReduce {
  using Carry = typename Reduction::Carry;

 public:
  SegmentedReduce(VectorView<const std::int64_t> offsets, const T* values, T* out)
      : offsets_(offsets.data), segments_(offsets.size - 1), values_(values), out_(out) {}

  // Returns the first segment whose result does not fit, or FirstWrong::none.
  std::int64_t run(int threads) {
    const std::int64_t steps = offsets_[segments_] - offsets_[0] + segments_;
    const primitives::Parts parts(steps, least_steps, execution::thread_count(threads));
    ends_.resize(static_cast<std::size_t>(parts.count()));
    parts.for_each(threads, [&](std::int64_t part, std::int64_t begin, std::int64_t end) {
      reduce_part(ends_[static_cast<std::size_t>(part)], begin, part + 1 == parts.count() ? steps : end);
    });
    join();
    return wrong_.item();
  }

 private:
  void reduce_part(Ends<Carry>& ends, std::int64_t begin, std::int64_t end) {
    ends.begin = place_after(begin, offsets_, segments_);
    ends.end = place_after(end, offsets_, segments_);
    Reduction::clear(ends.head);
    Reduction::clear(ends.tail);
    const std::int64_t first = ends.begin.segment, last = ends.end.segment;
    const std::int64_t head_end = first < last ? offsets_[first] : ends.end.value;
    Reduction::add(values_ + ends.begin.value, head_end - ends.begin.value, ends.head);
    if (first == last) return;
    const Segments<T> whole{values_, offsets_ + first, last - 1 - first, out_ + first};
    const std::int64_t done = Reduction::reduce(whole);
    if (done < whole.count) wrong_.report(first + done);
    Reduction::add(values_ + offsets_[last - 1], ends.end.value - offsets_[last - 1], ends.tail);
  }

  // Joins the last segment of each part to the heads of the parts after it, up to the next part that begins a segment.
  void join() {
    for (std::size_t p = 0; p < ends_.size();) {
      Ends<Carry>& owner = ends_[p++];
      if (owner.begin.segment == owner.end.segment) continue;  // no segment begins here: before the first, nothing
      while (p < ends_.size()) {
        Reduction::join(owner.tail, ends_[p].head);
        if (ends_[p].begin.segment < ends_[p].end.segment) break;
        ++p;
      }
      const std::int64_t segment = owner.end.segment - 1;
      if (!Reduction::result(owner.tail, out_[segment])) wrong_.report(segment);
    }
  }

  const std::int64_t* offsets_;
  std::int64_t segments_;
  const T* values_;
  T* out_;
  std::vector<Ends<Carry>> ends_;
  FirstWrong wrong_;
};

template <class T>
void check_call(const VectorView<const std::int64_t>& offsets, const VectorView<const T>& values,
                const VectorView<T>& out, const SegmentedReduceOptions& options) {
  primitives::require_operator<T>("segmented_reduce", options.op);
  primitives::require_options("segmented_reduce", options, out.device);
  primitives::require_array("segmented_reduce", "offsets", offsets, out.device);
  primitives::require_array("segmented_reduce", "values", values, out.device);
  primitives::require_array("segmented_reduce", "out", out, out.device);
  base::require(offsets.size - 1 == out.size,
                "papilio::segmented_reduce: offsets must have one entry more than out; got {} for {}", offsets.size,
                out.size);
  execution::require_apart("segmented_reduce", "out", out, "offsets", offsets);
  execution::require_apart("segmented_reduce", "out", out, "values", values);
}

template <class T>
primitives::DeviceSegmentedReduce<T> device_reduce(const VectorView<const std::int64_t>& offsets,
                                                   const VectorView<const T>& values, const VectorView<T>& out,
                                                   ReduceOp op) {
  return {offsets.data, values.data, values.size, out.data, out.size, op};
}

}  // namespace

template <class T>
void segmented_reduce(VectorView<const std::int64_t> offsets, VectorView<const T> values, VectorView<T> out,
                      const SegmentedReduceOptions& options) {
  check_call(offsets, values, out, options);
  if (!out.device.is_cpu()) {
    const auto call = device_reduce(offsets, values, out, options.op);
    const std::int64_t bytes = primitives::segmented_reduce_workspace_on_cuda(call, out.device);
    return primitives::segmented_reduce_on_cuda(
        call, primitives::device_call("segmented_reduce", options, out.device, bytes));
  }
  PrimitiveStatus found = primitives::check_offsets(offsets, values.size, options.threads);
  if (found.error == PrimitiveError::none && !out.empty()) {
    primitives::with_reduction<T>(options.op, [&](auto reduction) {
      SegmentedReduce<decltype(reduction)> reduce(offsets, values.data, out.data);
      const std::int64_t wrong = reduce.run(options.threads);
      if (wrong != FirstWrong::none) found = {PrimitiveError::sum_overflow, wrong};
    });
  }
  primitives::finish(options.status, found, [&] {
    return found.error == PrimitiveError::sum_overflow
               ? fmt::format("papilio::segmented_reduce: the sum of segment {} does not fit {}", found.place,
                             primitives::type_name<T>())
               : primitives::offset_message("segmented_reduce", offsets, values.size, found.place);
  });
}

template <class T>
std::int64_t segmented_reduce_workspace_bytes(VectorView<const std::int64_t> offsets, VectorView<const T> values,
                                              VectorView<T> out, const SegmentedReduceOptions& options) {
  check_call(offsets, values, out, options);
  if (out.device.is_cpu()) return 0;
  return primitives::segmented_reduce_workspace_on_cuda(device_reduce(offsets, values, out, options.op), out.device);
}

#define PAPILIO_INSTANTIATE(T)                                                                                   \
  template void segmented_reduce<T>(VectorView<const std::int64_t>, VectorView<const T>, VectorView<T>,          \
                                    const SegmentedReduceOptions&);                                              \
  template std::int64_t segmented_reduce_workspace_bytes<T>(VectorView<const std::int64_t>, VectorView<const T>, \
                                                            VectorView<T>, const SegmentedReduceOptions&);
PAPILIO_INSTANTIATE(std::int32_t)
PAPILIO_INSTANTIATE(std::int64_t)
PAPILIO_INSTANTIATE(float)
PAPILIO_INSTANTIATE(double)

}  // namespace papilio
