// Takes secrets out of what agents print before anything of it is kept or shown: the values that
// were handed over, and what has the shape of a well-known kind of key. Text comes in pieces; a
// secret that is cut in two is found as well. Linear, bounded memory. Pure; single-threaded.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace capsule::agent {

inline constexpr std::string_view kRedacted = "[redacted]";

// Whether the value of a variable is a secret, by its name and its look: names with KEY, TOKEN,
// SECRET, PASSWORD or PASSPHRASE, or with PAT, PASS, PWD, AUTH or CREDENTIALS as a word, and values
// that are no number, path or plain word and no shorter than 8. What begins with a slash is no path
// where the name has SECRET or PASSWORD and no FILE, PATH or DIR.
bool is_secret(std::string_view name, std::string_view value);
// All secrets in the value of a variable: itself, what stands in headers (names with HEADERS), and
// passwords in URLs.
std::vector<std::string> secrets_in(std::string_view name, std::string_view value);

class Redaction {
 public:
  // `secrets` are found as they are and as they stand in a JSON string.
  explicit Redaction(const std::vector<std::string>& secrets);

  // What may be passed on of all that was fed so far; the rest follows with a later piece. The view
  // is valid until the next call.
  std::string_view feed(std::string_view bytes);
  // What was held back, at the end of the text. Another may follow.
  std::string_view finish();

  // Where the secrets stood that the last call replaced, and how much of the text was decided with
  // it: bytes from the beginning of the text.
  struct Span {
    std::uint64_t begin = 0, end = 0;
  };
  const std::vector<Span>& replaced() const { return replaced_; }
  std::uint64_t decided() const { return decided_; }

  int count() const { return count_; }

 private:
  std::string_view pass(std::string_view text, bool last);
  bool may_begin(std::string_view text, std::size_t at) const;
  // How long the secret is that begins at `at`; 0: none does. npos: more text is needed to tell.
  std::size_t secret_at(std::string_view text, std::size_t at, bool last) const;

  std::vector<std::string> literals_;
  std::array<bool, 256> first_{};  // bytes that a secret may begin with
  std::bitset<65'536> pairs_;      // the first two
  std::string held_, out_;
  std::string before_;  // the end of what was passed on, as it was
  std::vector<Span> replaced_;
  std::uint64_t decided_ = 0;
  int count_ = 0;
};

}  // namespace capsule::agent
