// Fourier transforms: one line per op; each op's documentation is in its file.
#pragma once

#include <string>

#include "weft/op/builtin.h"
#include "weft/op/op.h"

namespace weft {
namespace fft {

// What the others are made of.
Tensor c2c(const Tensor& x, int64_t axis = -1, bool inverse = false, double scale = 1,
           Where where = Where::here());
Tensor r2c(const Tensor& x, int64_t axis = -1, double scale = 1, Where where = Where::here());
Tensor c2r(const Tensor& x, int64_t n, int64_t axis = -1, double scale = 1,
           Where where = Where::here());

// Along one axis.
Tensor fft(const Tensor& x, std::optional<int64_t> n = {}, int64_t axis = -1,
           const std::string& norm = "backward", Where where = Where::here());
Tensor ifft(const Tensor& x, std::optional<int64_t> n = {}, int64_t axis = -1,
            const std::string& norm = "backward", Where where = Where::here());
Tensor rfft(const Tensor& x, std::optional<int64_t> n = {}, int64_t axis = -1,
            const std::string& norm = "backward", Where where = Where::here());
Tensor irfft(const Tensor& x, std::optional<int64_t> n = {}, int64_t axis = -1,
             const std::string& norm = "backward", Where where = Where::here());
Tensor hfft(const Tensor& x, std::optional<int64_t> n = {}, int64_t axis = -1,
            const std::string& norm = "backward", Where where = Where::here());
Tensor ihfft(const Tensor& x, std::optional<int64_t> n = {}, int64_t axis = -1,
             const std::string& norm = "backward", Where where = Where::here());

// Along several; all of them if `axes` is left out.
Tensor fftn(const Tensor& x, std::optional<Ints> s = {}, std::optional<Ints> axes = {},
            const std::string& norm = "backward", Where where = Where::here());
Tensor ifftn(const Tensor& x, std::optional<Ints> s = {}, std::optional<Ints> axes = {},
             const std::string& norm = "backward", Where where = Where::here());
Tensor rfftn(const Tensor& x, std::optional<Ints> s = {}, std::optional<Ints> axes = {},
             const std::string& norm = "backward", Where where = Where::here());
Tensor irfftn(const Tensor& x, std::optional<Ints> s = {}, std::optional<Ints> axes = {},
              const std::string& norm = "backward", Where where = Where::here());
Tensor fft2(const Tensor& x, std::optional<Ints> s = {}, const Ints& axes = {-2, -1},
            const std::string& norm = "backward", Where where = Where::here());
Tensor ifft2(const Tensor& x, std::optional<Ints> s = {}, const Ints& axes = {-2, -1},
             const std::string& norm = "backward", Where where = Where::here());
Tensor rfft2(const Tensor& x, std::optional<Ints> s = {}, const Ints& axes = {-2, -1},
             const std::string& norm = "backward", Where where = Where::here());
Tensor irfft2(const Tensor& x, std::optional<Ints> s = {}, const Ints& axes = {-2, -1},
              const std::string& norm = "backward", Where where = Where::here());

// Frequencies, and the order that has 0 in the middle.
Tensor fftfreq(int64_t n, double d = 1, std::optional<DType> dtype = {},
               Where where = Where::here());
Tensor rfftfreq(int64_t n, double d = 1, std::optional<DType> dtype = {},
                Where where = Where::here());
Tensor fftshift(const Tensor& x, std::optional<Ints> axes = {}, Where where = Where::here());
Tensor ifftshift(const Tensor& x, std::optional<Ints> axes = {}, Where where = Where::here());

}  // namespace fft

extern const OpDef kFftC2c, kFftR2c, kFftC2r;
extern const CompositeDef kFftFft, kFftIfft, kFftRfft, kFftIrfft, kFftHfft, kFftIhfft, kFftFftn,
    kFftIfftn, kFftRfftn, kFftIrfftn, kFftFft2, kFftIfft2, kFftRfft2, kFftIrfft2, kFftFftfreq,
    kFftRfftfreq, kFftFftshift, kFftIfftshift;

}  // namespace weft
