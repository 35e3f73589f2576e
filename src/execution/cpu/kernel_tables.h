#pragma once

#include <cstddef>

#include "execution/cpu/target.h"

// Declares a table of kernels of each target, papilio::TARGET::name, and papilio::execution::name_in_use(), which
// returns that of the target in use. The tables come from compilations of one source, one for each target. At global
// scope.
#define PAPILIO_KERNEL_TABLES(Table, name)                                                                  \
  namespace papilio {                                                                                       \
  PAPILIO_SIMD_TARGETS(PAPILIO_DECLARE_TABLE, Table, name)                                                  \
  namespace execution {                                                                                     \
  inline const Table& name##_in_use() {                                                                     \
    static constexpr const Table* tables[] = {PAPILIO_SIMD_TARGETS(PAPILIO_ADDRESS_OF_TABLE, Table, name)}; \
    return *tables[static_cast<std::size_t>(cpu_target())];                                                 \
  }                                                                                                         \
  }                                                                                                         \
  }

#define PAPILIO_DECLARE_TABLE(target, runs, Table, name) \
  namespace target {                                     \
  extern const Table name;                               \
  }
#define PAPILIO_ADDRESS_OF_TABLE(target, runs, Table, name) &target::name,
