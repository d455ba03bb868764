// Minimax coefficients, lowest degree first. Written by fit.py: change that and run it again.
#pragma once

namespace weft::expr_math {

inline constexpr double kExpF32[] = {
    0x1.fffffc0000000p-2, 0x1.55548c0000000p-3,  0x1.5558580000000p-5,
    0x1.123dde0000000p-7, 0x1.6ac7220000000p-10,
};

inline constexpr double kExpm1F32[] = {
    0x1.0000000000000p-1, 0x1.5555540000000p-3,  0x1.5554fa0000000p-5,
    0x1.1112c20000000p-7, 0x1.6d38980000000p-10, 0x1.9eb1280000000p-13,
};

inline constexpr double kExp2F32[] = {
    0x1.62e4300000000p-1, 0x1.ebfb940000000p-3,  0x1.c6af9e0000000p-5,
    0x1.3b68160000000p-7, 0x1.5ef4dc0000000p-10, 0x1.179a680000000p-13,
};

inline constexpr double kSinF32[] = {
    -0x1.5555460000000p-3,
    0x1.1107740000000p-7,
    -0x1.9951ea0000000p-13,
};

inline constexpr double kCosF32[] = {
    0x1.55554a0000000p-5,
    -0x1.6c0c280000000p-10,
    0x1.99e80c0000000p-16,
};

inline constexpr double kSinhF32[] = {
    0x1.5554b00000000p-3,
    0x1.1227940000000p-7,
};

inline constexpr double kCoshF32[] = {
    0x1.0000000000000p-1,
    0x1.5554e60000000p-5,
    0x1.6d4f100000000p-10,
};

inline constexpr double kAtanF32[] = {
    -0x1.55554a0000000p-2, 0x1.9991e20000000p-3,  -0x1.23b9a20000000p-3,
    0x1.b224560000000p-4,  -0x1.f2e5a60000000p-5,
};

inline constexpr double kAsinF32[] = {
    0x1.5555c80000000p-3, 0x1.3302040000000p-4, 0x1.747bb80000000p-5,
    0x1.8c3e560000000p-6, 0x1.595c540000000p-5,
};

inline constexpr double kExpF64[] = {
    0x1.000000000000ap-1,  0x1.55555555554fap-3,  0x1.5555555550877p-5,  0x1.1111111127be1p-7,
    0x1.6c16c1842abf7p-10, 0x1.a01a012a5370dp-13, 0x1.a0199a0b5167ep-16, 0x1.71df25656db53p-19,
    0x1.28ad73527eb66p-22, 0x1.ad7f44a50123fp-26,
};

inline constexpr double kExpm1F64[] = {
    0x1.0000000000000p-1,  0x1.5555555555559p-3,  0x1.555555555553fp-5,  0x1.111111110f6dbp-7,
    0x1.6c16c16c1efe8p-10, 0x1.a01a01afd347dp-13, 0x1.a01a017bf01e2p-16, 0x1.71ddf880377d1p-19,
    0x1.27e535d81f256p-22, 0x1.af5e727cc729ap-26, 0x1.1ee90386c09f5p-29,
};

inline constexpr double kExp2F64[] = {
    0x1.62e42fefa39efp-1,  0x1.ebfbdff82c5a4p-3,  0x1.c6b08d7049fe8p-5,  0x1.3b2ab6fba00fep-7,
    0x1.5d87fe78cd729p-10, 0x1.4309130ededd4p-13, 0x1.ffcbfba970ebep-17, 0x1.62bfc78cb5fd1p-20,
    0x1.b5267ce8c5ac2p-24, 0x1.e61b6e4f4bb94p-28, 0x1.e79bd14b082a6p-32,
};

inline constexpr double kSinF64[] = {
    -0x1.5555555555548p-3, 0x1.111111110f790p-7,   -0x1.a01a019bf58adp-13,
    0x1.71de356049704p-19, -0x1.ae5e54799c20bp-26, 0x1.5d8e002129ed5p-33,
};

inline constexpr double kCosF64[] = {
    0x1.555555555554bp-5,   -0x1.6c16c16c14f47p-10, 0x1.a01a019c7ce26p-16,
    -0x1.27e4f7e543f29p-22, 0x1.1ee9d3e020dbdp-29,  -0x1.8fa292aa19d48p-37,
};

inline constexpr double kSinhF64[] = {
    0x1.5555555555559p-3,  0x1.111111110f6cep-7,  0x1.a01a01afd8c9dp-13,
    0x1.71ddf87213a7dp-19, 0x1.af5e8b39ccc30p-26,
};

inline constexpr double kCoshF64[] = {
    0x1.000000000000cp-1,  0x1.555555554ff8ep-5,  0x1.6c16c185c2d69p-10,
    0x1.a01996562f3f5p-16, 0x1.28b079d5580a5p-22,
};

inline constexpr double kAtanF64[] = {
    -0x1.555555555553dp-2, 0x1.99999999957d1p-3, -0x1.24924922aa618p-3, 0x1.c71c70e513b50p-4,
    -0x1.745cf8c3e3618p-4, 0x1.3b11179aa4a8ap-4, -0x1.10eba8f55a197p-4, 0x1.df0e820e1eea8p-5,
    -0x1.9ccf8585f0a76p-5, 0x1.37ce2dd2f9e1dp-5, -0x1.255b5a319a9ebp-6,
};

inline constexpr double kAsinF64[] = {
    0x1.5555555555390p-3, 0x1.333333336e7aap-4, 0x1.6db6db427ded8p-5,  0x1.f1c72c37df28cp-6,
    0x1.6e89f45a06804p-6, 0x1.1c6be0278b791p-6, 0x1.c6fdde9af9842p-7,  0x1.8ec242e0748d4p-7,
    0x1.abd57e1950ff5p-8, 0x1.3ff0919bda0d8p-6, -0x1.09cce2e2b9ae1p-6, 0x1.056b531c43256p-5,
};

inline constexpr double kLogF32[] = {
    -0x1.fffff80000000p-2, 0x1.5555580000000p-2,  -0x1.00044c0000000p-2,
    0x1.999fec0000000p-3,  -0x1.541ae00000000p-3, 0x1.22bc9a0000000p-3,
    -0x1.0ffc240000000p-3, 0x1.06a37c0000000p-3,  -0x1.3003580000000p-4,
};

inline constexpr double kLog2F32[] = {
    -0x1.7154700000000p-1, 0x1.ec708a0000000p-2,  -0x1.715b080000000p-2,
    0x1.2782080000000p-2,  -0x1.eaa3f20000000p-3, 0x1.a2577e0000000p-3,
    -0x1.87759c0000000p-3, 0x1.81f93a0000000p-3,  -0x1.cd47c80000000p-4,
};

inline constexpr double kLog10F32[] = {
    -0x1.bcb7aa0000000p-3, 0x1.287a8a0000000p-3,  -0x1.bcbfb60000000p-4,
    0x1.63c2d20000000p-4,  -0x1.27523a0000000p-4, 0x1.fa53720000000p-5,
    -0x1.db61d80000000p-5, 0x1.c13aac0000000p-5,  -0x1.f04dae0000000p-6,
};

inline constexpr double kLogF64[] = {
    0x1.5555555555592p-1, 0x1.999999997fef6p-2, 0x1.24924941e0215p-2, 0x1.c71c5216bd6e0p-3,
    0x1.74663c3f3edb6p-3, 0x1.39a1fd6acccf7p-3, 0x1.2f02d566252bdp-3,
};

inline constexpr double kPowLog2F32[] = {
    0x1.71547652b8251p+1, 0x1.ec709dc53c30bp-1, 0x1.2776c293845c7p-1,
    0x1.a61a2e8ddc9dfp-2, 0x1.4795606e17ffep-2, 0x1.21b050bfc9f9ap-2,
};

inline constexpr double kPowExp2F32[] = {
    0x1.ffffffffaba2ap-1, 0x1.62e42ff116e58p-1,  0x1.ebfbe0a4ef5f9p-3,  0x1.c6b08aae2268fp-5,
    0x1.3b29dc177c397p-7, 0x1.5d8a713af8753p-10, 0x1.446a41527a35cp-13, 0x1.fe171be37a2fep-17,
};

inline constexpr double kErfF32[] = {
    0x1.20dd7517985fcp+0,   0x1.45f2fa0000000p-1,   0x1.a4fa4a0000000p-4,
    -0x1.39cca00000000p-6,  -0x1.51677e0000000p-13, 0x1.b520020000000p-10,
    -0x1.4beb3a0000000p-11, 0x1.edb4180000000p-14,  -0x1.36d46c0000000p-17,
};

inline constexpr double kErfF64[] = {
    0x1.06eba8214db69p-3,  -0x1.812746b0379e6p-2,  0x1.ce2f21a042b20p-4,  -0x1.b82ce3128499cp-6,
    0x1.565bcd0db02d4p-8,  -0x1.c02db3d8ecf88p-11, 0x1.f9a321a119414p-14, -0x1.f4d1df3902a17p-17,
    0x1.b9def19b5c5d2p-20, -0x1.5f1d36b71eadep-23, 0x1.f7a412372376cp-27, -0x1.386ac282f3837p-30,
    0x1.0579b3ec5a16ap-34,
};

inline constexpr double kErfcF32[] = {
    0x1.3ccda079ae3f6p+0,  -0x1.1f368359e4f70p-3, 0x1.d63205b426faap-9,  0x1.510690677b590p-4,
    -0x1.bdd1cd7b27f09p-4, 0x1.79bf61312cfcfp-4,  -0x1.decb1b5f1e5c9p-5, 0x1.d971c7847ea2cp-6,
    -0x1.4d7a6e84af261p-7, 0x1.06531b119ee28p-11,
};

inline constexpr double kErfcF64[] = {
    0x1.3ccda0b5d5dc2p+0,  -0x1.1f367683f89a5p-3,  0x1.d5f294815b371p-9,   0x1.510169d0965e1p-4,
    -0x1.bda9309a2b608p-4, 0x1.7a14188a9fa70p-4,   -0x1.e0d0fa6d6adc6p-5,  0x1.d0b0037bfec5bp-6,
    -0x1.3f603c53bd133p-7, 0x1.cc3a0f4c97423p-10,  0x1.33fb44867e32cp-12,  -0x1.303fba2860b64p-12,
    0x1.b13f40084f909p-15, 0x1.7791027ecc0a0p-16,  -0x1.7fc77106f0400p-17, -0x1.0630fd1670189p-20,
    0x1.d2716d81acc64p-20, -0x1.c123d47ca8ef5p-25, -0x1.01e51662a59c9p-22, 0x1.42e48e697c26ep-26,
    0x1.a547530cbb032p-26, -0x1.d212662bc6be0p-30,
};

inline constexpr double kErfcF64Low[] = {
    0x1.c8e5d11c3d455p-54,
};

inline constexpr double kErfcSlope[] = {
    -0x1.c75a368177af0p-4, -0x1.55c9c2b8e1324p-6, 0x1.1cded0c3a9eb2p-3,
    -0x1.89773075fe74ep-3, 0x1.1d7de911c9557p-1,  -0x1.12c4a926a9982p-1,
};

inline constexpr double kPowLogF64[] = {
    0x1.9999999999996p-2, 0x1.2492492493034p-2, 0x1.c71c71c5808b0p-3, 0x1.745d183241ffep-3,
    0x1.3b1362ba95036p-3, 0x1.1120b4ef8dbf4p-3, 0x1.de338d68a9a15p-4, 0x1.eb102e46c84a0p-4,
};

}  // namespace weft::expr_math
