#include "papilio/sampling.h"

namespace papilio {

const char* name(DrawStatus status) noexcept {
  switch (status) {
    case DrawStatus::ok:
      return "ok";
    case DrawStatus::empty:
      return "empty";
    case DrawStatus::all_zero:
      return "all_zero";
    case DrawStatus::negative:
      return "negative";
    case DrawStatus::not_a_number:
      return "not_a_number";
    case DrawStatus::infinite:
      return "infinite";
    case DrawStatus::overflow:
      return "overflow";
    case DrawStatus::no_such_row:
      return "no_such_row";
  }
  return "unknown";
}

const char* name(PartialSums method) noexcept {
  switch (method) {
    case PartialSums::slots:
      return "slots";
    case PartialSums::prefix:
      return "prefix";
    case PartialSums::transposed:
      return "transposed";
    case PartialSums::transposed_through_scratch:
      return "transposed_through_scratch";
    case PartialSums::butterfly_swap:
      return "butterfly_swap";
    case PartialSums::butterfly_add_subtract:
      return "butterfly_add_subtract";
    case PartialSums::butterfly_two_pass:
      return "butterfly_two_pass";
    case PartialSums::transposed_remnant_first:
      return "transposed_remnant_first";
    case PartialSums::butterfly_swap_remnant_first:
      return "butterfly_swap_remnant_first";
    case PartialSums::butterfly_add_subtract_remnant_first:
      return "butterfly_add_subtract_remnant_first";
  }
  return "unknown";
}

}  // namespace papilio
