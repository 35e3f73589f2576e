#include "base/choices.h"
#include "papilio/primitives.h"
#include "primitives/call_checks.h"
#include "primitives/parts.h"

namespace papilio {
namespace {

constexpr ReduceOpChoice rows[] = {
    {{ReduceOp::sum, "sum", "the sum; of floats the exact one, rounded once"}, true},
    {{ReduceOp::minimum, "minimum", "the least value; -0 is below +0"}, true},
    {{ReduceOp::maximum, "maximum", "the greatest value; -0 is below +0"}, true},
    {{ReduceOp::bit_and, "bit_and", "the bits that are set in every value"}, false},
    {{ReduceOp::bit_or, "bit_or", "the bits that are set in some value"}, false},
    {{ReduceOp::bit_xor, "bit_xor", "the bits that are set in an odd number of values"}, false},
};

}  // namespace

std::span<const ReduceOpChoice> reduce_ops() noexcept { return rows; }

std::string_view name(ReduceOp op) noexcept { return base::name_in(rows, op); }

ReduceOp parse_reduce_op(std::string_view name) { return base::parse_in(rows, name, "parse_reduce_op", "operator"); }

PrimitiveStatus primitive_status(std::int64_t word) noexcept {
  constexpr std::int64_t places = (std::int64_t{1} << primitives::error_shift) - 1;
  if (word < 0) return {};
  return {static_cast<PrimitiveError>(word >> primitives::error_shift), word & places};
}

namespace primitives {

PrimitiveStatus check_offsets(VectorView<const std::int64_t> offsets, std::int64_t items, int threads) {
  constexpr std::int64_t least_offsets = std::int64_t{1} << 15;
  FirstWrong wrong;
  execution::parallel_for(offsets.size, least_offsets, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t s = begin; s < end; ++s) {
      const std::int64_t least = s == 0 ? 0 : offsets.data[s - 1];
      if (offsets.data[s] < least || offsets.data[s] > items) [[unlikely]] {
        return wrong.report(s);
      }
    }
  });
  if (!wrong.found()) return {};
  return {PrimitiveError::offset_out_of_range, wrong.item()};
}

std::string offset_message(const char* function, VectorView<const std::int64_t> offsets, std::int64_t items,
                           std::int64_t place) {
  return fmt::format("papilio::{}: offset {} is {}, expected {} <= offset <= {}", function, place, offsets.data[place],
                     place == 0 ? 0 : offsets.data[place - 1], items);
}

}  // namespace primitives
}  // namespace papilio
