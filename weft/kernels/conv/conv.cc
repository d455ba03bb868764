// The entry: which path for which convolution.
#include "weft/kernels/conv/conv.h"

namespace weft::kernels {

void conv(const ConvArgs& args) { conv_by_definition(args); }
void conv_dw(const ConvArgs& args) { conv_dw_by_definition(args); }

}  // namespace weft::kernels
