#include "base/choices.h"
#include "papilio/sampling.h"

namespace papilio {
namespace {

constexpr Choice<DrawStatus> statuses[] = {
    {DrawStatus::ok, "ok", "a category was drawn"},
    {DrawStatus::empty, "empty", "the row has no categories"},
    {DrawStatus::all_zero, "all_zero", "no weight is positive"},
    {DrawStatus::negative, "negative", "a weight is negative"},
    {DrawStatus::not_a_number, "not_a_number", "a weight is NaN"},
    {DrawStatus::infinite, "infinite", "a weight is infinite"},
    {DrawStatus::overflow, "overflow", "the weights are finite, but their sum is not"},
    {DrawStatus::no_such_row, "no_such_row", "an index or offset of the row is out of range"},
};

constexpr PartialSumsChoice methods[] = {
    {{PartialSums::slots, "slots", "sums first, one exchange at the end; the same draws on every device"}, true, false},
    {{PartialSums::prefix, "prefix", "running sums per row, then a binary search"}, true, false},
    {{PartialSums::transposed, "transposed", "coalesced loads, then a W x W exchange in registers"}, true, false},
    {{PartialSums::transposed_through_scratch, "transposed_through_scratch",
      "as transposed, but exchanged through a tile in memory"},
     true,
     false},
    {{PartialSums::butterfly_swap, "butterfly_swap", "a butterfly per block of 32; the search only adds"}, true, false},
    {{PartialSums::butterfly_add_subtract, "butterfly_add_subtract",
      "as butterfly_swap with one select less; rounding depends on the lane"},
     true,
     true},
    {{PartialSums::butterfly_two_pass, "butterfly_two_pass", "block totals first, then one butterfly per row"},
     true,
     false},
    {{PartialSums::transposed_remnant_first, "transposed_remnant_first",
      "as transposed, the first K mod 32 categories by prefix sums"},
     false,
     false},
    {{PartialSums::butterfly_swap_remnant_first, "butterfly_swap_remnant_first",
      "as butterfly_swap, the first K mod 32 categories by prefix sums"},
     false,
     false},
    {{PartialSums::butterfly_add_subtract_remnant_first, "butterfly_add_subtract_remnant_first",
      "as butterfly_add_subtract, the first K mod 32 categories by prefix sums"},
     false,
     true},
};

}  // namespace

std::string_view name(DrawStatus status) noexcept { return base::name_in(statuses, status); }

std::span<const PartialSumsChoice> partial_sums() noexcept { return methods; }

std::string_view name(PartialSums method) noexcept { return base::name_in(methods, method); }

PartialSums parse_partial_sums(std::string_view name) {
  return base::parse_in(methods, name, "parse_partial_sums", "method");
}

}  // namespace papilio
