#include "http/admission.h"

#include <algorithm>

#include "base/text.h"

namespace capsule::http {
namespace {

// "127.0.0.1:PORT" or "localhost:PORT", and nothing else; through a tunnel to a unix socket any
// port, or none.
bool is_our_host(std::string_view host, int port) {
  for (const std::string_view name : {"127.0.0.1", "localhost"}) {
    if (!host.starts_with(name)) continue;
    const std::string_view rest = host.substr(name.size());
    if (port != 0) return rest == ":" + std::to_string(port);
    if (rest.empty()) return true;
    if (rest.front() != ':' || rest.size() < 2 || rest.size() > 6) return false;
    for (const char digit : rest.substr(1))
      if (!is_digit(digit)) return false;
    return true;
  }
  return false;
}

bool is_json(std::string_view type) {
  return lowered(trimmed(type.substr(0, type.find(';')))) == "application/json";
}

bool has_session(const Request& request, const Policy& policy) {
  if (policy.session.empty()) return false;
  const std::vector<std::string_view> values = request.cookies(session_cookie(policy));
  return std::any_of(values.begin(), values.end(),
                     [&](std::string_view value) { return same_secret(value, policy.session); });
}

}  // namespace

bool same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned different = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    different |= static_cast<unsigned>(a[i]) ^ static_cast<unsigned>(b[i]);
  return different == 0;
}

std::string session_cookie(const Policy& policy) {
  return "capsule_" + std::to_string(policy.port);
}

Verdict judge(const Request& request, const Policy& policy) {
  const auto host = request.only("host");
  if (!host) return Verdict::no_host;
  if (!is_our_host(*host, policy.port)) return Verdict::other_host;
  const bool effect = request.method == Method::post;
  if (request.method == Method::other) return Verdict::other_method;
  if (effect != (!policy.effects.empty() && request.path() == policy.effects))
    return Verdict::other_method;
  if (request.has("origin") || effect) {
    const auto origin = request.only("origin");
    if (!origin || *origin != "http://" + std::string(*host)) return Verdict::other_origin;
  }
  const bool known = has_session(request, policy);
  if (!effect && request.path() == "/" && request.method == Method::get) {
    const auto token = request.parameter("token");
    if (token && !policy.token.empty() && same_secret(*token, policy.token))
      return Verdict::exchange;
  }
  if (!known) return Verdict::no_session;
  if (!effect) return Verdict::allowed;
  const auto type = request.only("content-type");
  if (!type || !is_json(*type)) return Verdict::no_json;
  if (!request.has(kOwnHeader)) return Verdict::no_header;
  return Verdict::effect;
}

std::string_view methods_at(std::string_view path, const Policy& policy) {
  return !policy.effects.empty() && path == policy.effects ? "POST" : "GET, HEAD";
}

int status_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::allowed:
    case Verdict::effect:
      return 200;
    case Verdict::exchange:
      return 303;
    case Verdict::no_host:
      return 400;
    case Verdict::other_host:
      return 421;
    case Verdict::other_method:
      return 405;
    case Verdict::no_json:
      return 415;
    case Verdict::other_origin:
    case Verdict::no_session:
    case Verdict::no_header:
      return 403;
  }
  return 400;
}

std::string_view words_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::no_host:
      return "The request names no host, or several.";
    case Verdict::other_host:
      return "This server answers as 127.0.0.1 and localhost only, with its own port.";
    case Verdict::other_method:
      return "This address takes no such method here.";
    case Verdict::other_origin:
      return "Another page's script asks; only this page may.";
    case Verdict::no_session:
      return "This address has been used, or is not complete. Press Enter where 'capsule serve' "
             "runs for a new one, or start it again.";
    case Verdict::no_json:
      return "An action is a JSON object (Content-Type: application/json).";
    case Verdict::no_header:
      return "An action needs the header X-Capsule: 1.";
    default:
      return "";
  }
}

Response exchanged(const Policy& policy) {
  return {303,
          {{"Location", "/"},
           {"Set-Cookie",
            session_cookie(policy) + "=" + policy.session + "; Path=/; HttpOnly; SameSite=Strict"}},
          ""};
}

std::span<const Header> safety_headers() {
  static const std::vector<Header> kHeaders = {
      {"Content-Security-Policy",
       "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
       "frame-ancestors 'none'; base-uri 'none'; form-action 'none'; "
       "require-trusted-types-for 'script'; trusted-types 'none'"},
      {"X-Content-Type-Options", "nosniff"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Cache-Control", "no-store"},
  };
  return kHeaders;
}

}  // namespace capsule::http
