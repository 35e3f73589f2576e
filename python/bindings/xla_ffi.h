#pragma once

#include <cstddef>
#include <cstdint>

// What papilio touches of the C interface by which XLA, the compiler below JAX, calls functions
// of others: version 0.3, with the layout and the numbers of xla/ffi/api/c_api.h. Structs start
// with their size, and new fields come last. python/tests/test_jax.py compares the layout with
// the header that JAX ships.

namespace papilio::python::xla {

constexpr int major_version = 0;
constexpr int minor_version = 3;

enum class Type : int {
  pred = 1,
  s32 = 4,
  s64 = 5,
  u8 = 6,
  u32 = 8,
  u64 = 9,
  f16 = 10,
  f32 = 11,
  f64 = 12,
  bf16 = 16,
  f8e5m2 = 19,
  f8e4m3fn = 20
};
enum class Code : int { invalid_argument = 3, resource_exhausted = 8, internal = 13, unavailable = 14 };
constexpr int extension_metadata = 1;
constexpr int stage_execute = 3;
constexpr int attribute_scalar = 3;
constexpr int attribute_string = 4;

struct Error;    // XLA's own
struct Context;  // likewise

struct Extension {
  std::size_t struct_size;
  int type;
  Extension* next;
};

struct Version {
  std::size_t struct_size;
  Extension* extensions;
  int major, minor;
};

struct Metadata {
  std::size_t struct_size;
  Version version;
  std::uint32_t traits;
};

struct MetadataExtension {
  Extension base;
  Metadata* metadata;
};

struct Buffer {
  std::size_t struct_size;
  Extension* extensions;
  Type type;
  void* data;
  std::int64_t rank;
  std::int64_t* sizes;
};

struct Bytes {
  const char* data;
  std::size_t size;
};

struct Scalar {
  Type type;
  void* value;
};

struct Buffers {  // arguments or results
  std::size_t struct_size;
  Extension* extensions;
  std::int64_t count;
  int* kinds;
  Buffer** buffers;
};

struct Attributes {
  std::size_t struct_size;
  Extension* extensions;
  std::int64_t count;
  int* kinds;
  Bytes** names;
  void** values;
};

struct ErrorCreate {
  std::size_t struct_size;
  Extension* extensions;
  const char* message;
  Code code;
};

struct ErrorDestroy {
  std::size_t struct_size;
  Extension* extensions;
  Error* error;
};

struct StreamGet {
  std::size_t struct_size;
  Extension* extensions;
  Context* context;
  void* stream;  // out
};

struct MemoryAllocate {
  std::size_t struct_size;
  Extension* extensions;
  Context* context;
  std::size_t size, alignment;
  void* data;  // out
};

struct MemoryFree {
  std::size_t struct_size;
  Extension* extensions;
  Context* context;
  std::size_t size;
  void* data;
};

struct OrdinalGet {
  std::size_t struct_size;
  Extension* extensions;
  Context* context;
  std::int32_t ordinal;  // out
};

using Unused = void (*)();

struct Api {
  std::size_t struct_size;
  Extension* extensions;
  Version version;
  const void* internal;
  Error* (*create_error)(ErrorCreate*);
  Unused get_message;
  void (*destroy_error)(ErrorDestroy*);
  Unused register_handler;
  Error* (*get_stream)(StreamGet*);
  Unused register_type, get_context, set_state, get_state;
  Error* (*allocate_memory)(MemoryAllocate*);
  Error* (*free_memory)(MemoryFree*);
  Unused schedule, count_threads, create_future, set_available, set_error, get_run;
  Error* (*get_ordinal)(OrdinalGet*);
};

struct CallFrame {
  std::size_t struct_size;
  Extension* extensions;
  const Api* api;
  Context* context;
  int stage;
  Buffers arguments, results;
  Attributes attributes;
};

}  // namespace papilio::python::xla
