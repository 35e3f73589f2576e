#pragma once

#include <memory>
#include <string>

#include "papilio/output_file.h"

namespace papilio::lda {

// What an OutputReservation of this process says about a file; its writers share it.
struct ReservedOutput {
  bool keeps_existing = false;  // until this process has written the file
  std::string aside;            // where files went that must not replace a file that has appeared; empty: none did
};

// Null if no reservation of this process names the file.
std::shared_ptr<ReservedOutput> reserved_output(const OutputTarget& target);

}  // namespace papilio::lda
