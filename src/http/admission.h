// Who may have a request answered: one pure function, so that each of its rules has a test. It
// knows nothing of routes but which one has effects.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"

namespace capsule::http {

struct Policy {
  int port = 0;         // that Host must name; 0: a unix socket, where a tunnel may have any
  std::string token;    // of the address that was printed, 32 hex digits; empty: it was used
  std::string session;  // what the cookie must hold
  std::string effects;  // the one path that takes POST; empty: none does
};

enum class Verdict {
  allowed,       // answer it
  effect,        // answer it, once the peer is known to be a person's program
  exchange,      // the token is right: take it out of the policy, and give `session` for it
  no_host,       // 400
  other_host,    // 421: another name leads here, perhaps by rebinding
  other_method,  // 405, with what methods_at() says
  other_origin,  // 403: another page's script asks
  no_session,    // 403: neither a cookie of ours, nor a token that still counts
  no_json,       // 415: an effect in a form that any page can send
  no_header,     // 403: the same, without the header that only our page sends
};

Verdict judge(const Request& request, const Policy& policy);

// The methods that a path takes, for the header Allow of a 405.
std::string_view methods_at(std::string_view path, const Policy& policy);

int status_of(Verdict verdict);              // 200 for what is allowed, 303 for an exchange
std::string_view words_of(Verdict verdict);  // for people: what is wrong, and what to do

// Ports are not told apart by cookies, so the name does it.
std::string session_cookie(const Policy& policy);
// Where the exchange leads to, with the cookie.
Response exchanged(const Policy& policy);

inline constexpr std::string_view kOwnHeader = "x-capsule";

// What every response says to the browser: nothing foreign runs, is shown, framed, kept or told.
std::span<const Header> safety_headers();

// Takes as long for every text of a length.
bool same_secret(std::string_view a, std::string_view b);

}  // namespace capsule::http
