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

inline constexpr double kCbrtF32[] = {
    0x1.000489bd1941dp+0,
    0x1.55a1163a4c127p-2,
    -0x1.d9f9538760b12p-4,
    0x1.dcf26b2541b30p-5,
};

inline constexpr double kCbrtF64[] = {
    0x1.fffffbdae86b5p-1,  0x1.5555f2ba55040p-2, -0x1.c7023d94459fbp-4, 0x1.f85185429610cp-5,
    -0x1.568fcf0867f48p-5, 0x1.121b5d4fdcaabp-5, -0x1.4ded32f21c0abp-6,
};

inline constexpr double kErfinvNearF32[] = {
    0x1.805c5d0735676p+0,  0x1.f91e8b1494614p-3,   -0x1.11c41f26b78d8p-8,  -0x1.48665341da589p-10,
    0x1.c9c5562456411p-13, -0x1.4cf3729b2327ep-18, -0x1.ccf203e9afbaep-19, 0x1.f4198b4f46db2p-22,
    0x1.34aa3a0a52607p-26, -0x1.2d0c53ee803e4p-27, 0x1.76fa6908da647p-32,
};

inline constexpr double kErfinvFarF32[] = {
    0x1.6a9efbd6bbfdep+1,   0x1.006dc9f5bbea8p+0,  0x1.35829fa63f08ep-7,   -0x1.f4e3013b2d4d2p-8,
    0x1.749797efe31b0p-8,   -0x1.d3652a2cd3c58p-9, 0x1.855158f7ea33bp-10,  -0x1.05b9906a6f7edp-13,
    -0x1.352e7f021e8b0p-12, 0x1.6507f2d4e62e8p-13, -0x1.3acd0e022faffp-16, -0x1.df6dd5ce55585p-18,
};

inline constexpr double kErfinvNearF64[] = {
    0x1.a755e7c99ae86p+0,   0x1.ebd80d9b13df9p-3,   -0x1.8b6c33114ea6bp-8,  -0x1.8457694834e5dp-11,
    0x1.879c2a20b1026p-13,  -0x1.d1d1f7ca917dap-17, -0x1.6e8a53c9e2c93p-20, 0x1.c6b4f8a15730fp-22,
    -0x1.f36cee48039d0p-26, -0x1.1a9eb583d9d60p-28, 0x1.20f53fb733af9p-30,  -0x1.dc3ddfd858950p-35,
    -0x1.c8a5bcd10ed72p-37, 0x1.722f4f1a0c7f6p-39,  -0x1.6ba493ed5d65ap-44, -0x1.680e555fcff17p-45,
    0x1.d63672139d679p-48,  -0x1.ab13a277555fap-55, -0x1.1ab5771588eb5p-53, 0x1.2af0d227388b7p-56,
    0x1.78acbdca28f4bp-61,  -0x1.cee547949c246p-62, 0x1.6302c8d119acap-66,  0x1.6f39e7f77a52cp-68,
    -0x1.9991a7bc7cc6ap-72, -0x1.07ff7e31f4196p-75,
};

inline constexpr double kErfinvMiddleF64[] = {
    0x1.8abcc380d5a48p+1,   0x1.0158a6d641d54p+0,   0x1.5ffcfe5b6cde0p-8,   -0x1.ebadabb9fcca7p-9,
    0x1.468eeca93fe42p-9,   -0x1.ba9240da3b902p-10, 0x1.f3cc545f5e461p-11,  -0x1.7448bc4d3cc68p-12,
    0x1.932e8d4304469p-16,  0x1.1e6aa95236c19p-14,  -0x1.8cf45ab3502dap-15, 0x1.a24522aa61e78p-17,
    0x1.89986e744738dp-19,  -0x1.0b92463ccabe0p-18, 0x1.8dc1b79a2a5dep-20,  -0x1.a29adabd40796p-26,
    -0x1.07ddae3536f52p-22, 0x1.10c37b6a2e40bp-23,  -0x1.63bdc63699c7ep-26, -0x1.923e0d9523e3ap-27,
    0x1.0554f9c5832adp-27,  -0x1.4dda97134bf4ap-30,
};

inline constexpr double kErfinvFarF64[] = {
    0x1.3664ddd1ad7fbp+2,   0x1.02a30d1fba10bp+0,   -0x1.22ea5df1c8419p-13, -0x1.c2f36aa1529e6p-13,
    0x1.3ebf4efa39967p-14,  -0x1.4a349048d4a8fp-16, 0x1.2fbcfe3145d64p-18,  -0x1.0a90315089f34p-20,
    0x1.ebe29827988f3p-23,  -0x1.2238fe0411987p-24, 0x1.f298842bc483fp-26,  -0x1.055ea8057321dp-26,
    0x1.0c7ac7ec207f0p-27,  -0x1.e5b65c6763818p-29, 0x1.6ca84d17d6aa4p-30,  -0x1.a2d143a0cf40ep-32,
    0x1.0a6ccdffefa3ap-34,  0x1.047eb2c5c1de2p-36,  -0x1.1c2b76ec17efap-36, 0x1.9ca07b0c134acp-38,
    -0x1.dfc9fe9414148p-41,
};

inline constexpr double kLgammaF32[] = {
    0x1.b0ee60722c0ccp-2,   0x1.4a34cc4e73e9ep-2,  -0x1.13e00219deec6p-4,  0x1.513216186afb3p-6,
    -0x1.e403fb7ebfda9p-8,  0x1.7aebfdcc9add8p-9,  -0x1.38e014f29cc0fp-10, 0x1.0924c3e263c3ep-11,
    -0x1.cab1c630f29aep-13, 0x1.e1e1fb830e841p-14, -0x1.d79f804a1b4b0p-15,
};

inline constexpr double kStirlingF32[] = {
    0x1.55555550a996ep-4,
    -0x1.6c141c0c55160p-9,
    0x1.98f9b5bbd406fp-11,
};

inline constexpr double kDigammaF32[] = {
    0x1.555555534ec06p-4,
    -0x1.1110c6dfc94f0p-7,
    0x1.03a5aedcf0f8fp-8,
    -0x1.f05ff62033e99p-9,
};

inline constexpr double kLgammaF64[] = {
    0x1.b0ee6072093cep-2,   0x1.4a34cc4a60fa6p-2,  -0x1.13e001a55760ap-4,  0x1.51322ac7d84f0p-6,
    -0x1.e404fc218dcc0p-8,  0x1.7add6eada717dp-9,  -0x1.38ac5c2d3d1d4p-10, 0x1.0b36af8e86b9ap-11,
    -0x1.d3fd4b6eb37fbp-13, 0x1.a127ac1c81e3fp-14, -0x1.78de996f06164p-15, 0x1.580ea690a1136p-16,
    -0x1.3cb3e115d11b3p-17, 0x1.258039ed31c3dp-18, -0x1.1274c33eb2a21p-19, 0x1.01fafbffeb275p-20,
    -0x1.ce3c35ea3e61dp-22, 0x1.a65bd73fe0b09p-23, -0x1.1fc817f82af61p-23, 0x1.2906d6c35eaeap-24,
};

inline constexpr double kStirlingF64[] = {
    0x1.5555555555555p-4,  -0x1.6c16c16c14af3p-9,  0x1.a01a017e89e2fp-11, -0x1.38134e15f3c20p-11,
    0x1.b92c937b59f91p-11, -0x1.ef980d49cc1afp-10, 0x1.4c383c9765641p-8,
};

inline constexpr double kDigammaF64[] = {
    0x1.5555555555555p-4, -0x1.1111111110d76p-7, 0x1.04104101a982fp-8, -0x1.11110c2d94a2cp-8,
    0x1.f07735b97f886p-8, -0x1.58e87b6d375a0p-6, 0x1.47dd111dacd50p-4, -0x1.330342e35e781p-2,
};

inline constexpr double kDigammaRoot[] = {
    0x1.762d86356be3fp+0,
    0x1.b86a722197829p-54,
};

inline constexpr double kLgammaLeast[] = {
    -0x1.f19b9bcc38a42p-4,
    0x1.f095c88d5a6cdp-59,
    -0x1.aa2d9b3ce29e0p-54,
};

inline constexpr double kLgammaMiddle[] = {
    0x1.ef72bc8ee38acp-2,  -0x1.2e4278dc6bc26p-3,  0x1.08b4294d503b3p-4,  -0x1.0c9a8df512366p-5,
    0x1.266e7979fa658p-6,  -0x1.51f9f95291f0cp-7,  0x1.8fce02d20483fp-8,  -0x1.e2f1a0f2330a1p-9,
    0x1.28310fd7c5fdfp-9,  -0x1.6f986d8a0c752p-10, 0x1.cc7b82b00d9bbp-11, -0x1.226877788cbb0p-11,
    0x1.6f911f3ea9b00p-12, -0x1.dcfdd3a94630fp-13, 0x1.4c7c6054947bap-13, -0x1.67351c9b68adep-14,
};

inline constexpr double kDigammaCentre[] = {
    0x1.8000000000000p+0,
    0x1.4000000000000p+1,
    0x1.0000000000000p+2,
    0x1.8000000000000p+2,
    0x0.0p+0,
    0x0.0p+0,
    0x1.0000000000000p-2,
    0x1.8000000000000p-1,
};

inline constexpr double kDigammaNear[] = {
    0x1.5ab6aae23d76fp-1,
    0x1.1517a6351bb82p-1,
    0x1.b3de7000b0e6dp-2,
    0x1.5a434b92b4383p-2,
    0x0.0p+0,
    0x0.0p+0,
    0x1.13236660188a0p+0,
    0x1.b763ca67112a0p-1,
    -0x1.7076dd08464fbp-3,
    -0x1.a7ab506b7fd17p-4,
    -0x1.d9105109f1b1ap-5,
    -0x1.110d3d9f96ae0p-5,
    0x0.0p+0,
    0x0.0p+0,
    -0x1.28888254be33fp-1,
    -0x1.4e15b17372db3p-2,
    0x1.e7a7b8bd0045ap-5,
    0x1.8c871354bba72p-6,
    0x1.34dddf807f38ap-7,
    0x1.fe6428a911954p-9,
    0x0.0p+0,
    0x0.0p+0,
    0x1.99d8501de709cp-2,
    0x1.41c830a3206e4p-3,
    -0x1.5e73b60354c0bp-6,
    -0x1.91642ed1a69b9p-8,
    -0x1.b1bddb558fb28p-10,
    -0x1.fe1b15f7f7dc0p-12,
    0x0.0p+0,
    0x0.0p+0,
    -0x1.3303dff259a70p-2,
    -0x1.510ab0e548b52p-4,
    0x1.0673e56d8b0d4p-7,
    0x1.a7502441b086cp-10,
    0x1.3cae832366f38p-12,
    0x1.0862fca7297a1p-14,
    0x0.0p+0,
    0x0.0p+0,
    0x1.dbae8a2049553p-3,
    0x1.6effaf57e602dp-5,
    -0x1.926b49a7e2b65p-9,
    -0x1.c9867ab16ecbep-12,
    -0x1.d9c0bad983c39p-15,
    -0x1.18717e12f1c36p-17,
    0x0.0p+0,
    0x0.0p+0,
    -0x1.7653f88d06d73p-3,
    -0x1.97cc6e105ffaep-6,
    0x1.38f5902bbb933p-10,
    0x1.f66a45beec767p-14,
    0x1.682c77ced9aadp-17,
    0x1.2e3659af59949p-20,
    0x0.0p+0,
    0x0.0p+0,
    0x1.28dfeebc77c66p-3,
    0x1.ca49472248b81p-7,
    -0x1.eb3d27e48c055p-12,
    -0x1.16d80787c790cp-15,
    -0x1.14fec29ca8762p-19,
    -0x1.496c6509ded75p-23,
    0x0.0p+0,
    0x0.0p+0,
    -0x1.d8cb5b8dadc9cp-4,
    -0x1.0335d25a9b113p-7,
    0x1.83dc7fb40dc24p-13,
    0x1.37dec9cc97534p-17,
    0x1.adaadbf3f15c6p-22,
    0x1.6a32657e1e7d7p-26,
    0x0.0p+0,
    0x0.0p+0,
    0x1.79483b5800db2p-4,
    0x1.2660210de9d4ap-8,
    -0x1.337a087a6cc48p-14,
    -0x1.5eb556892b57bp-19,
    -0x1.4f5f4ee3bc2d7p-24,
    -0x1.90e6da7c9aa57p-29,
    0x0.0p+0,
    0x0.0p+0,
    -0x1.2d68e1f7dfcfbp-4,
    -0x1.4f1c291cddd5cp-9,
    0x1.e8d6bd1f632e4p-16,
    0x1.8bf38db9d41b9p-21,
    0x1.070ce5576fc94p-26,
    0x1.be185fbaf1a08p-32,
    0x0.0p+0,
    0x0.0p+0,
    0x1.e1e1fa22101c4p-5,
    0x1.7e0aae5ab4001p-10,
    -0x1.85546a4dc5162p-17,
    -0x1.c058cc2f39923p-23,
    -0x1.9e3aab1f1c2ecp-29,
    -0x1.f27fca78fc73cp-35,
    0x0.0p+0,
    0x0.0p+0,
    -0x1.8158035e5d24dp-5,
    -0x1.b3f1bdba6e08ep-11,
    0x1.36b0c1619a5cfp-18,
    0x1.fcd511341eec8p-25,
    0x1.475614cda9ed8p-31,
    0x1.17846dd223dc0p-37,
    0x0.0p+0,
    0x0.0p+0,
    0x1.34683e670e267p-5,
    0x1.f1c6a215e6bfbp-12,
    -0x1.f00d1e37325e0p-20,
    -0x1.2132aafdf872ep-26,
    -0x1.0326b22dd74afp-33,
    -0x1.3a5616de89b1fp-40,
    0x0.0p+0,
    0x0.0p+0,
    -0x1.ed6f6e6886859p-6,
    -0x1.1c457534f86fdp-12,
    0x1.85c693ee6c894p-21,
    0x1.47e1e531ac4c7p-28,
    0x1.9489baac30f48p-36,
    0x1.6102adb87a73cp-43,
    0x0.0p+0,
    0x0.0p+0,
    0x1.844921d570a61p-6,
    0x1.437fcfe7ab976p-13,
    -0x1.37075151b6716p-22,
    -0x1.75679feaff6bbp-30,
    -0x1.40e8a8cbe9831p-38,
    -0x1.8e96833f50a10p-46,
    0x0.0p+0,
    0x0.0p+0,
    -0x1.36309044673f7p-6,
    -0x1.717ffe1818951p-14,
    0x1.2f981c29584fap-23,
    0x1.d4bff486466abp-32,
    0x1.3721c50b87c5ap-40,
    0x1.efe5dc055556cp-49,
    0x0.0p+0,
    0x0.0p+0,
    0x1.2f0e101430725p-6,
    0x1.d1118b44218b6p-15,
    -0x1.e8ce7a874a907p-25,
    -0x1.0c45d43fc6959p-33,
    -0x1.f2c44b36180dbp-43,
    -0x1.19d72f2aee3efp-51,
    0x0.0p+0,
    0x0.0p+0,
    -0x1.e8165b2445ef1p-7,
    -0x1.0aa45a0006389p-15,
};

inline constexpr double kDigammaNearLow[] = {
    -0x1.8e6cf63cf7b23p-56,
    -0x1.c9049596bd8f8p-55,
    0x1.f4d510c13c466p-56,
    0x1.d3d9b0fe4d57cp-58,
    0x0.0p+0,
    0x0.0p+0,
    0x1.5b9be1bdb361bp-55,
    -0x1.0522c52f2bcefp-57,
};

}  // namespace weft::expr_math
