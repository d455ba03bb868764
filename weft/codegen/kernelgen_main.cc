// kernelgen: writes the kernels of the library's own ops; run by the build.
#include "weft/codegen/generate.h"

int main(int argc, char** argv) { return weft::codegen::generate_main(argc, argv); }
