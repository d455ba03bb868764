// The structures of DLPack 1.x, as the protocol fixes them.
#pragma once

#include <cstdint>

namespace weft::python::dlpack {

inline constexpr int32_t kCpu = 1;
inline constexpr uint32_t kMajor = 1, kMinor = 1;
inline constexpr uint64_t kReadOnly = 1, kCopied = 2;

struct Device {
  int32_t type;
  int32_t id;
};
struct DataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};
struct Array {
  void* data;
  Device device;
  int32_t rank;
  DataType dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
};
struct Managed {  // before version 1
  Array array;
  void* context;
  void (*deleter)(Managed*);
};
struct Versioned {
  uint32_t major, minor;
  void* context;
  void (*deleter)(Versioned*);
  uint64_t flags;
  Array array;
};

}  // namespace weft::python::dlpack
