// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011), once: on
// numbers for keys and permutations, on Expr for draws.
//
// A block of four words is a function of a key (two words) and a counter (four words). The counter
// of a draw is (low and high word of the position, stream, 0), so that a draw depends on the key
// and the position alone, and streams (draws, splits, folds, shuffles, rejections) never meet.
#pragma once

#include "weft/expr/expr.h"

namespace weft::random {

enum class Stream : uint32_t { kDraw = 0, kSplit = 1, kFold = 2, kShuffle = 3, kReject = 4 };

template <class Word>
struct Block {
  Word words[4];
};

inline uint32_t philox_mul_high(uint32_t a, uint32_t b) {
  return static_cast<uint32_t>(uint64_t{a} * b >> 32);
}
inline Expr philox_mul_high(Expr a, Expr b) { return mul_high(a, b); }

// `number` makes a Word of a uint32_t.
template <class Word, class Number>
Block<Word> philox(Word key0, Word key1, Block<Word> counter, Number number) {
  const Word m0 = number(0xD2511F53u), m1 = number(0xCD9E8D57u);
  Word c0 = counter.words[0], c1 = counter.words[1], c2 = counter.words[2], c3 = counter.words[3];
  for (int round = 0; round < 10; ++round) {
    const Word high0 = philox_mul_high(m0, c0), low0 = m0 * c0;
    const Word high1 = philox_mul_high(m1, c2), low1 = m1 * c2;
    c0 = high1 ^ c1 ^ key0;
    c1 = low1;
    c2 = high0 ^ c3 ^ key1;
    c3 = low0;
    key0 = key0 + number(0x9E3779B9u);
    key1 = key1 + number(0xBB67AE85u);
  }
  return {{c0, c1, c2, c3}};
}

inline Block<uint32_t> philox(uint32_t key0, uint32_t key1, uint64_t position, Stream stream) {
  const Block<uint32_t> counter{{static_cast<uint32_t>(position),
                                 static_cast<uint32_t>(position >> 32),
                                 static_cast<uint32_t>(stream), 0}};
  return philox(key0, key1, counter, [](uint32_t x) { return x; });
}

// The block of the element that a fill kernel computes.
Block<Expr> philox_here(Expr key0, Expr key1);

}  // namespace weft::random
