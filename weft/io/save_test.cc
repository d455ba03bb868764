// save and load: every format gives back the bits, and damaged files say what is wrong.
#include "weft/io/save.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "weft/base/error.h"
#include "weft/base/file.h"
#include "weft/base/folder.h"
#include "weft/base/test_folder.h"
#include "weft/core/literal.h"
#include "weft/weft.h"

namespace weft {
namespace {

class Save : public testing::Test {
 protected:
  std::string path(std::string_view name) const { return text(folder_, "/", name); }
  const TestFolder made_;
  const std::string& folder_ = made_.path();
};

constexpr DType kAll[] = {DType::kBool, DType::kU8,  DType::kI8,  DType::kU16, DType::kI16,
                          DType::kU32,  DType::kI32, DType::kU64, DType::kI64, DType::kF16,
                          DType::kBF16, DType::kF32, DType::kF64, DType::kC64, DType::kC128};

io::NamedTensors all_dtypes(DType left_out) {
  io::NamedTensors out;
  for (const DType dtype : kAll) {
    if (dtype == left_out) continue;
    out.push_back({text(dtype), cast(arange(0, 6, 1), dtype)});
  }
  const Tensor x = cast(reshape(arange(0, 24, 1), {2, 3, 4}), DType::kF32);
  out.push_back({"strided", permute_dims(x, {2, 0, 1})});
  out.push_back({"scalar", Tensor::scalar(DType::kF64, 2.5)});
  out.push_back({"empty", zeros({0, 3})});
  out.push_back({"odd \"name\"\n é/漢", ones({1})});
  return out;
}

template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

void expect_same(const io::NamedTensors& a, const io::NamedTensors& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].name, b[i].name);
    EXPECT_TRUE(are_equal_literals(a[i].value, b[i].value)) << a[i].name;
  }
}

TEST_F(Save, safetensors_give_back_the_bits_in_order) {
  const io::NamedTensors tensors = all_dtypes(DType::kC128);
  save_in_order(path("a.safetensors"), tensors,
                {.metadata = {{"epoch", "3"}, {"über", "\"x\"\n"}}});
  expect_same(load_in_order(path("a.safetensors")), tensors);
  EXPECT_EQ(load_metadata(path("a.safetensors")),
            (io::Metadata{{"epoch", "3"}, {"über", "\"x\"\n"}}));
  EXPECT_EQ(names_in(folder_), std::vector<std::string>{"a.safetensors"});
}

TEST_F(Save, npz_gives_back_the_bits_stored_and_deflated) {
  const io::NamedTensors tensors = all_dtypes(DType::kBF16);
  for (const bool compressed : {false, true}) {
    save_in_order(path("a.npz"), tensors, {.compressed = compressed});
    expect_same(load_in_order(path("a.npz")), tensors);
  }
}

TEST_F(Save, npy_holds_one_array) {
  for (const auto& [name, value] : all_dtypes(DType::kBF16)) {
    save_in_order(path("a.npy"), io::NamedTensors{{"", value}});
    EXPECT_TRUE(are_equal_literals(load(path("a.npy")).at(""), value)) << name;
  }
}

TEST_F(Save, npy_of_no_names_is_nothing) {
  save(path("a.npy"), {{"", ones({2})}});
  EXPECT_TRUE(load(path("a.npy"), std::span<const std::string>()).empty());
}

TEST_F(Save, loads_some_by_their_names) {
  const TensorDict tensors{{"a", ones({2})}, {"b", zeros({3})}, {"c", ones({4})}};
  for (const char* const file : {"a.safetensors", "a.npz"}) {
    save(path(file), tensors);
    const std::string names[] = {"c", "a"};
    const TensorDict some = load(path(file), names);
    EXPECT_EQ(some.size(), 2u);
    EXPECT_TRUE(are_equal_literals(some.at("c"), tensors.at("c")));
    EXPECT_TRUE(load(path(file), std::span<const std::string>()).empty());
    const std::string missing[] = {"d"};
    EXPECT_EQ(error_of([&] { load(path(file), missing); }),
              text("load: '", path(file),
                   "' has no tensor named 'd'; load it without names to see "
                   "those that it has [load.names]"));
  }
}

TEST_F(Save, says_what_cannot_be_saved) {
  EXPECT_EQ(error_of([&] { save(path("a"), {{"x", cast(ones({1}), DType::kC128)}}); }),
            "save: 'x' is complex128, which safetensors has no name for; save its real and "
            "imaginary parts, or a file that ends in .npz [save.dtype]");
  EXPECT_EQ(error_of([&] { save(path("a.npz"), {{"x", cast(ones({1}), DType::kBF16)}}); }),
            "save: 'x' is bfloat16, which NumPy has no name for; cast it to float32, or save a "
            "safetensors file [save.dtype]");
  EXPECT_EQ(error_of([&] { save(path("a"), {{"__metadata__", ones({1})}}); }),
            "save: a tensor is named '__metadata__', which safetensors keeps for texts; give it "
            "another name [save.names]");
  EXPECT_EQ(error_of([&] {
              save_in_order(path("a"), io::NamedTensors{{"x", ones({1})}, {"x", ones({1})}});
            }),
            "save: the name 'x' comes twice; every tensor of a file has a name of its own "
            "[save.names]");
  EXPECT_EQ(error_of([&] { save(path("a"), {{"x", Tensor()}}); }),
            "save: 'x' is undefined; give it a value first [save.value]");
  EXPECT_EQ(error_of([&] { save(path("a.npy"), {{"x", ones({1})}, {"y", ones({1})}}); }),
            text("save: '", path("a.npy"),
                 "' holds one array, but there are 2; end the path in "
                 ".npz or .safetensors [save.count]"));
  EXPECT_EQ(error_of([&] { save(path("a.npz"), {{"x", ones({1})}}, {.metadata = {{"a", "b"}}}); }),
            text("save: '", path("a.npz"),
                 "' is a file of NumPy's, which has no place for "
                 "metadata; save a safetensors file [save.metadata]"));
  EXPECT_EQ(error_of([&] { save(path("a"), {{"x", ones({1})}}, {.compressed = true}); }),
            text("save: '", path("a"),
                 "' cannot be compressed; end the path in .npz "
                 "[save.compressed]"));
  EXPECT_EQ(error_of([&] { save(path("none/a"), {{"x", ones({1})}}); }),
            text("save: cannot write '", path("none/a"),
                 "': No such file or directory; give a "
                 "path in a folder that exists, can be written to and has room"));
  EXPECT_EQ(names_in(folder_), std::vector<std::string>());
}

TEST_F(Save, a_file_that_is_cut_off_anywhere_raises) {
  for (const char* const file : {"a.safetensors", "a.npz", "a.npy"}) {
    save(path(file), TensorDict{{"w", cast(reshape(arange(0, 6, 1), {2, 3}), DType::kF32)}});
    const std::string whole = read_file(path(file));
    for (size_t size = 0; size < whole.size(); ++size) {
      write_file_atomically(path(file), std::string_view(whole).substr(0, size));
      try {
        load(path(file));
        ADD_FAILURE() << file << " of " << size << " bytes was read";
      } catch (const Error& error) {
        EXPECT_EQ(error.code, Code::kIo) << error.what();
      }
    }
    write_file_atomically(path(file), whole + "x");
    if (!std::string_view(file).ends_with("z")) {
      EXPECT_NE(error_of([&] { load(path(file)); }), "no error");
    }
  }
}

}  // namespace
}  // namespace weft
