#include "json/byte_search.h"

#include <bit>
#include <cstddef>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace capsule::json {
namespace {

constexpr bool is_string_special(char byte) {
  const auto value = static_cast<unsigned char>(byte);
  return value < 0x20 || value >= 0x80 || byte == '"' || byte == '\\';
}

#ifdef __SSE2__

constexpr std::ptrdiff_t kLane = 16;

__m128i load(const char* from) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)); }

// { is [ with one more bit, so one comparison finds both.
__m128i brackets(__m128i bytes) {
  return _mm_cmpeq_epi8(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), _mm_set1_epi8('{'));
}

unsigned string_specials(__m128i bytes) {
  const __m128i quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
  const __m128i backslash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
  // As signed numbers, control bytes and bytes from 0x80 on are all below 0x20.
  const __m128i low = _mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20));
  return static_cast<unsigned>(
      _mm_movemask_epi8(_mm_or_si128(low, _mm_or_si128(quote, backslash))));
}

#endif

}  // namespace

const char* find_bracket_portable(const char* from, const char* end) {
  // Two searches over a window, so that a text without one of the two stays linear.
  constexpr std::ptrdiff_t kWindow = 4096;
  while (from != end) {
    const std::ptrdiff_t size = end - from < kWindow ? end - from : kWindow;
    const void* curly = std::memchr(from, '{', static_cast<std::size_t>(size));
    const char* stop = curly != nullptr ? static_cast<const char*>(curly) : from + size;
    const void* square = std::memchr(from, '[', static_cast<std::size_t>(stop - from));
    if (square != nullptr) return static_cast<const char*>(square);
    if (curly != nullptr) return stop;
    from = stop;
  }
  return end;
}

const char* find_string_special_portable(const char* from, const char* end) {
  while (from != end && !is_string_special(*from)) ++from;
  return from;
}

const char* find_bracket(const char* from, const char* end) {
#ifdef __SSE2__
  for (; end - from >= 4 * kLane; from += 4 * kLane) {
    const __m128i a = brackets(load(from));
    const __m128i b = brackets(load(from + kLane));
    const __m128i c = brackets(load(from + 2 * kLane));
    const __m128i d = brackets(load(from + 3 * kLane));
    if (_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(a, b), _mm_or_si128(c, d))) == 0) continue;
    const auto low = static_cast<unsigned>(_mm_movemask_epi8(a) | _mm_movemask_epi8(b) << 16);
    if (low != 0) return from + std::countr_zero(low);
    const auto high = static_cast<unsigned>(_mm_movemask_epi8(c) | _mm_movemask_epi8(d) << 16);
    return from + 2 * kLane + std::countr_zero(high);
  }
  for (; end - from >= kLane; from += kLane) {
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(brackets(load(from))));
    if (mask != 0) return from + std::countr_zero(mask);
  }
#endif
  return find_bracket_portable(from, end);
}

const char* find_string_special(const char* from, const char* end) {
#ifdef __SSE2__
  for (; end - from >= kLane; from += kLane) {
    const unsigned mask = string_specials(load(from));
    if (mask != 0) return from + std::countr_zero(mask);
  }
#endif
  return find_string_special_portable(from, end);
}

}  // namespace capsule::json
