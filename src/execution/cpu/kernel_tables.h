#pragma once

#include <cstddef>

#include "execution/cpu/target.h"

// For each target, declares a table of kernels, papilio::TARGET::name; and
// papilio::execution::name_in_use(), which returns the table of the target in use. One source
// is compiled once per target and defines that target's table. Use it at global scope.
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
