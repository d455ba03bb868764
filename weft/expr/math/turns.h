// Pieces of 2^e / (2 pi) for trig.cc. Written by fit.py: change that and run it again.
#pragma once

namespace weft::expr_math {

inline constexpr double kTurnPieces0[] = {
    0x1.45f306d000000p-3,
    0x1.9391054000000p-32,
    0x1.4fe13ab000000p-61,
    0x1.d1f534ddc0db6p-90,
};

inline constexpr double kTurnPieces53[] = {
    0x1.529fc27000000p-1,
    0x1.5f47d4d000000p-31,
    0x1.bb81b6c000000p-62,
    0x1.4acc9e21c820fp-92,
};

inline constexpr double kTurns1[] = {
    0x1.45f306dc9c882p-3, 0x1.27220a94fe13ap-1, 0x1.fc2757d1f534dp-2, 0x1.f534ddc0db629p-2,
    0x1.b6c52b3278872p-3, 0x1.3c439041fe516p-2, 0x1.fe5163abdebbcp-2, 0x1.ef5de2b0db923p-1,
    0x1.b7246e3a424ddp-2, 0x1.2126e97003249p-1, 0x1.924bba8274648p-8, 0x1.04e8c90e7f0efp-1,
    0x1.fc3bd63962534p-3, 0x1.62534e7dd1046p-3, 0x1.74411afa975dap-1, 0x1.2ebb4484e99c7p-2,
    0x1.d338e04d68befp-3, 0x1.5a2fbf209cc8ep-1, 0x1.3991d63983533p-2, 0x1.835339f49c845p-2,
    0x1.3908bf177bf25p-3, 0x1.defc941d8ffc4p-1, 0x1.8ffc4bffef02cp-1, 0x1.ef02cc07f7978p-1,
    0x1.f79788c5ad053p-1, 0x1.ad05368fb69b3p-1, 0x1.b69b3f6793e58p-1, 0x1.93e584dba7a31p-1,
    0x1.a7a31fb34f2ffp-1, 0x1.4f2ff516ba93dp-1, 0x1.7527bac7ebe5fp-2, 0x1.f5f2f8bd9e839p-1,
};

inline constexpr double kTurns2[] = {
    0x1.4a7f09d5f47d4p-56, 0x1.7d1f534ddc0dbp-54, 0x1.b81b6c52b3278p-55, 0x1.664f10e4107f9p-56,
    0x1.07f9458eaf7aep-60, 0x1.d5ef5de2b0db9p-57, 0x1.586dc91b8e909p-56, 0x1.c74849ba5c00cp-55,
    0x1.700324977504ep-57, 0x1.dd413a32439fcp-55, 0x1.cfe1deb1cb129p-62, 0x1.63962534e7dd1p-55,
    0x1.cfba208d7d4bap-56, 0x1.7d4baed1213a6p-56, 0x1.213a671c09ad1p-56, 0x1.35a2fbf209cc8p-61,
    0x1.904e64758e60dp-56, 0x1.639835339f49cp-54, 0x1.3e93908bf177bp-55, 0x1.f177bf250763fp-55,
    0x1.d8ffc4bffef02p-61, 0x1.7ffde05980fefp-54, 0x1.80fef2f118b5ap-54, 0x1.18b5a0a6d1f6dp-54,
    0x1.a3eda6cfd9e4fp-55, 0x1.ecf27cb09b74fp-54, 0x1.36e9e8c7ecd3cp-55, 0x1.f669e5fea2d75p-54,
    0x1.45aea4f758fd7p-55, 0x1.ac7ebe5f17b3dp-54, 0x1.7b3d0739f78a5p-58, 0x1.9f78a5292ea6bp-54,
};

inline constexpr double kTurns3[] = {
    0x1.a6ee06db14accp-109, 0x1.8a5664f10e410p-108, 0x1.0e4107f9458eap-108, 0x1.163abdebbc561p-110,
    0x1.e2b0db92371d2p-113, 0x1.1b8e909374b80p-112, 0x1.ba5c00c925dd4p-111, 0x1.24bba82746487p-108,
    0x1.1921cfe1deb1cp-110, 0x1.deb1cb129a73ep-110, 0x1.4e7dd1046bea5p-115, 0x1.1afa975da2427p-113,
    0x1.da24274ce3813p-109, 0x1.c7026b45f7e41p-110, 0x1.f7e413991d639p-110, 0x1.d639835339f49p-114,
    0x1.339f49c845f8bp-110, 0x1.08bf177bf2507p-107, 0x1.e4a0ec7fe25ffp-108, 0x1.e25fff7816603p-108,
    0x1.980fef2f118b5p-114, 0x1.788c5ad05368fp-109, 0x1.4da3eda6cfd9ep-111, 0x1.b3f6793e584dbp-109,
    0x1.2c26dd3d18fd9p-108, 0x1.18fd9a797fa8bp-108, 0x1.7fa8b5d49eeb1p-108, 0x1.3dd63f5f2f8bdp-109,
    0x1.97c5ecf41ce7dp-108, 0x1.ce7de294a4ba9p-112, 0x1.497535fdafd88p-113, 0x1.f6bf623f1aba1p-107,
};

inline constexpr double kTurns4[] = {
    0x1.3c439041fe516p-162, 0x1.fe5163abdebbcp-162, 0x1.ef5de2b0db923p-161, 0x1.6e48dc74849bap-163,
    0x1.26e9700324977p-169, 0x1.924bba8274648p-168, 0x1.3a32439fc3bd6p-167, 0x1.fc3bd63962534p-163,
    0x1.62534e7dd1046p-163, 0x1.d1046bea5d768p-163, 0x1.aed1213a671c0p-168, 0x1.338e04d68befcp-167,
    0x1.68befc827323ap-163, 0x1.cc8eb1cc1a99cp-165, 0x1.06a673e93908bp-163, 0x1.908bf177bf250p-167,
    0x1.7bf250763ff12p-163, 0x1.8ffc4bffef02cp-161, 0x1.ef02cc07f7978p-161, 0x1.f79788c5ad053p-161,
    0x1.414da3eda6cfdp-167, 0x1.6d367ecf27cb0p-162, 0x1.3e584dba7a31fp-165, 0x1.4f463f669e5fep-162,
    0x1.4f2ff516ba93dp-161, 0x1.7527bac7ebe5fp-162, 0x1.f5f2f8bd9e839p-161, 0x1.3d0739f78a529p-162,
    0x1.c529497535fdap-161, 0x1.5fdafd88fc6aep-165, 0x1.f8d5d08560330p-166, 0x1.580cc11bf1edap-164,
};

}  // namespace weft::expr_math
