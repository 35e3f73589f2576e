#include <nanobind/nanobind.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include "bindings.h"
#include "draw_sources.h"
#include "papilio/sampling.h"
#include "xla_ffi.h"

// Draws as XLA calls them from compiled code of JAX, without Python. papilio/_jax.py makes the calls:
//
//   arguments   weights, [rows], [indptr | right, [right_rows]], seeds, row numbers; 64-bit integers
//               are pairs of uint32, the low half first, which JAX has without its x64 mode, too;
//               so are doubles (weights, right) where `wide` says so
//   results     categories, [status]
//   attributes  the members of `Call`, by their names

namespace nb = nanobind;

namespace papilio::python {
namespace {

using namespace xla;

constexpr const char* not_weights =
    "papilio: weights must be of float8_e4m3fn, float8_e5m2, float16, bfloat16, float32 or float64";

struct Call {
  std::string_view kind, method;
  bool rows, right_rows, check_negative, status, wide;
  std::uint64_t stream;
  double temperature;
  std::int64_t threads;
};

// The attribute of that name, whose kind is one of XLA's attribute_...
const void* attribute(const Attributes& attributes, std::string_view name, int kind) {
  for (std::int64_t i = 0; i < attributes.count; ++i) {
    const Bytes& found = *attributes.names[i];
    if (std::string_view(found.data, found.size) == name && attributes.kinds[i] == kind) return attributes.values[i];
  }
  throw InvalidArgument("papilio: a call from JAX lacks the attribute \"" + std::string(name) +
                        "\"; it was compiled for another version of papilio");
}

std::string_view text(const Attributes& attributes, std::string_view name) {
  const auto& bytes = *static_cast<const Bytes*>(attribute(attributes, name, attribute_string));
  return {bytes.data, bytes.size};
}

template <class T>
T scalar(const Attributes& attributes, std::string_view name, Type type) {
  const auto& found = *static_cast<const Scalar*>(attribute(attributes, name, attribute_scalar));
  if (found.type != type)
    throw InvalidArgument("papilio: a call from JAX has an attribute \"" + std::string(name) + "\" of another type");
  return *static_cast<const T*>(found.value);
}

Call parse(const Attributes& attributes) {
  const auto flag = [&](std::string_view name) { return scalar<bool>(attributes, name, Type::pred); };
  return {.kind = text(attributes, "kind"),
          .method = text(attributes, "method"),
          .rows = flag("rows"),
          .right_rows = flag("right_rows"),
          .check_negative = flag("check_negative"),
          .status = flag("status"),
          .wide = flag("wide"),
          .stream = scalar<std::uint64_t>(attributes, "stream", Type::u64),
          .temperature = scalar<double>(attributes, "temperature", Type::f64),
          .threads = scalar<std::int64_t>(attributes, "threads", Type::s64)};
}

Number number_of(Type type) {
  switch (type) {
    case Type::f16:
      return Number::float16;
    case Type::bf16:
      return Number::bfloat16;
    case Type::f8e4m3fn:
      return Number::float8_e4m3fn;
    case Type::f8e5m2:
      return Number::float8_e5m2;
    case Type::f32:
      return Number::float32;
    case Type::f64:
      return Number::float64;
    case Type::s32:
      return Number::int32;
    case Type::s64:
      return Number::int64;
    case Type::u8:
      return Number::uint8;
    case Type::u32:
      return Number::none;
    default:
      break;
  }
  throw InvalidArgument(not_weights);
}

// Rows one after the other, as JAX lays them out for a call. Pairs of uint32 are numbers of the kind `pairs`.
Array array_of(const Buffer& buffer, Device device, Number pairs = Number::int64) {
  Array array;
  array.data = buffer.data;
  array.cuda_ordinal = device.ordinal();
  array.number = number_of(buffer.type);
  array.dimensions = static_cast<int>(buffer.rank);
  if (array.number == Number::none) {
    array.number = pairs;
    --array.dimensions;
  }
  for (int i = 0; i < array.dimensions; ++i) array.shape[i] = buffer.sizes[i];
  array.stride[0] = array.dimensions == 2 ? array.shape[1] : 1;
  array.stride[1] = 1;
  return array;
}

// An error of XLA's own, which its call gets back.
struct Refused {
  Error* error;
};

void check(Error* error) {
  if (error != nullptr) throw Refused{error};
}

Device device_of(const CallFrame& frame) {
  OrdinalGet get = {sizeof get, nullptr, frame.context, 0};
  check(frame.api->get_ordinal(&get));
  return Device::cuda(get.ordinal);
}

void* stream_of(const CallFrame& frame) {
  StreamGet get = {sizeof get, nullptr, frame.context, nullptr};
  check(frame.api->get_stream(&get));
  return get.stream;
}

// Memory of a device, from XLA. It goes back when the work is queued: what XLA gives it to next runs later, on
// the same stream.
class Workspace {
 public:
  Workspace(const CallFrame& frame, std::int64_t bytes, Device device) : frame_(frame) {
    if (bytes == 0) return;
    size_ = static_cast<std::size_t>(bytes) + alignment - 1;
    MemoryAllocate get = {sizeof get, nullptr, frame.context, size_, 1, nullptr};  // XLA refuses more than 16
    check(frame.api->allocate_memory(&get));
    data_ = get.data;
    void* aligned = data_;
    std::size_t space = size_;
    std::align(alignment, static_cast<std::size_t>(bytes), aligned, space);
    view_ = {static_cast<std::byte*>(aligned), bytes, device};
  }

  ~Workspace() {
    if (data_ == nullptr) return;
    MemoryFree free = {sizeof free, nullptr, frame_.context, size_, data_};
    if (Error* const error = frame_.api->free_memory(&free); error != nullptr) {
      ErrorDestroy destroy = {sizeof destroy, nullptr, error};
      frame_.api->destroy_error(&destroy);
    }
  }

  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  VectorView<std::byte> view() const { return view_; }

 private:
  static constexpr std::size_t alignment = 256;

  const CallFrame& frame_;
  std::size_t size_ = 0;
  void* data_ = nullptr;
  VectorView<std::byte> view_;
};

// The arrays of a call, in order.
class Arguments {
 public:
  Arguments(const Buffers& buffers, Device device) : buffers_(buffers), device_(device) {}

  Array next(Number pairs = Number::int64) {
    if (next_ == buffers_.count) throw InvalidArgument("papilio: a call from JAX lacks an argument");
    return array_of(*buffers_.buffers[next_++], device_, pairs);
  }

 private:
  const Buffers& buffers_;
  Device device_;
  std::int64_t next_ = 0;
};

DrawSource source_of(const Call& call, Arguments& arguments) {
  using Kind = DrawSource::Kind;
  DrawSource source;
  const Number pairs = call.wide ? Number::float64 : Number::int64;
  source.weights = arguments.next(pairs);
  if (source.weights.number > Number::float64) throw InvalidArgument(not_weights);
  if (call.rows) source.rows = arguments.next();
  if (call.kind == "ragged") {
    source.kind = Kind::ragged;
    source.offsets = arguments.next();
  } else if (call.kind == "logits") {
    source.kind = Kind::logits;
    source.temperature = call.temperature;
  } else if (call.kind == "products") {
    source.kind = Kind::products;
    source.right = arguments.next(pairs);
    if (source.right.number != source.weights.number || source.weights.number < Number::float32)
      throw InvalidArgument("papilio: left and right must both be of float32 or both of float64");
    if (call.right_rows) source.right_rows = arguments.next();
  }
  return source;
}

void draw(const CallFrame& frame, bool on_cuda) {
  const Call call = parse(frame.attributes);
  const Device device = on_cuda ? device_of(frame) : Device::cpu();
  Arguments arguments(frame.arguments, device);
  const DrawSource source = source_of(call, arguments);
  const Array seeds = arguments.next(), row_ids = arguments.next();
  const Array drawn = array_of(*frame.results.buffers[0], device);
  SampleOptions options;
  options.stream = call.stream;
  options.seeds = seeds.vector<const std::int64_t>("seed");
  options.row_ids = row_ids.vector<const std::int64_t>("row_ids");
  options.check_negative = call.check_negative;
  options.threads = static_cast<int>(std::clamp<std::int64_t>(call.threads, -1, std::numeric_limits<int>::max()));
  options.method = parse_partial_sums(call.method);
  if (call.status) options.status = array_of(*frame.results.buffers[1], device).vector<DrawStatus>("status");
  if (on_cuda) options.cuda_stream = stream_of(frame);
  if (drawn.shape[0] == 0) return;
  with_weights(source, [&](const auto& weights) {
    const Workspace workspace(frame, sample_workspace_bytes(weights, options.method), device);
    options.workspace = workspace.view();
    if (drawn.number == Number::int32)
      sample_categorical(weights, drawn.vector<std::int32_t>("drawn"), options);
    else
      sample_categorical(weights, drawn.vector<std::int64_t>("drawn"), options);
  });
}

Error* error(const CallFrame& frame, Code code, const char* message) {
  ErrorCreate create = {sizeof create, nullptr, message, code};
  return frame.api->create_error(&create);
}

Error* handle(CallFrame* frame, bool on_cuda) noexcept {
  if (const Extension* extension = frame->extensions; extension != nullptr && extension->type == extension_metadata) {
    Metadata& metadata = *reinterpret_cast<const MetadataExtension*>(extension)->metadata;
    metadata.version.major = major_version;
    metadata.version.minor = minor_version;
    metadata.traits = 0;
    return nullptr;
  }
  try {
    if (frame->stage == stage_execute) draw(*frame, on_cuda);
    return nullptr;
  } catch (const Refused& e) {
    return e.error;
  } catch (const InvalidArgument& e) {
    return error(*frame, Code::invalid_argument, e.what());
  } catch (const DeviceUnavailable& e) {
    return error(*frame, Code::unavailable, e.what());
  } catch (const std::bad_alloc&) {
    return error(*frame, Code::resource_exhausted, "papilio: out of memory");
  } catch (const std::exception& e) {
    return error(*frame, Code::internal, e.what());
  }
}

Error* handle_on_cpu(CallFrame* frame) { return handle(frame, false); }
Error* handle_on_cuda(CallFrame* frame) { return handle(frame, true); }

}  // namespace

void bind_jax(nb::module_& m) {
  m.def(
      "jax_handler",
      [](bool on_cuda) { return nb::capsule(reinterpret_cast<void*>(on_cuda ? &handle_on_cuda : &handle_on_cpu)); },
      nb::arg("on_cuda"));
}

}  // namespace papilio::python
