// The one file that sees Boost.
#include "http/parser.h"

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "base/text.h"

namespace capsule::http {
namespace {

namespace beast = boost::beast::http;

int status_of(const boost::system::error_code& error) {
  if (error == beast::error::header_limit || error == beast::error::buffer_overflow) return 431;
  if (error == beast::error::body_limit) return 413;
  return 400;
}

std::string text_of(boost::beast::string_view view) { return {view.data(), view.size()}; }

// Two lengths, a list of them, or a coding that we do not read are two readings of one request:
// what one takes for the body is the next request to the other.
bool has_one_length(const beast::request<beast::string_body>& message) {
  const auto lengths = message.count(beast::field::content_length);
  const auto codings = message.count(beast::field::transfer_encoding);
  if (lengths + codings > 1) return false;
  if (codings == 1) return lowered(text_of(message[beast::field::transfer_encoding])) == "chunked";
  for (const char digit : message[beast::field::content_length])
    if (!is_digit(digit)) return false;
  return true;
}

}  // namespace

struct Parser::Beast {
  Beast() {
    parser.header_limit(static_cast<std::uint32_t>(kMaxHeaderBytes));
    parser.body_limit(kMaxBodyBytes);
    parser.eager(true);
  }
  beast::request_parser<beast::string_body> parser;
};

Parser::Parser() : beast_(std::make_unique<Beast>()) {}
Parser::~Parser() = default;
Parser::Parser(Parser&&) noexcept = default;
Parser& Parser::operator=(Parser&&) noexcept = default;

Parser::Step Parser::feed(std::string_view bytes) {
  auto& parser = beast_->parser;
  Step step;
  while (!parser.is_done() && step.used < bytes.size()) {
    boost::system::error_code error;
    const std::string_view rest = bytes.substr(step.used);
    const std::size_t used = parser.put(boost::asio::const_buffer(rest.data(), rest.size()), error);
    step.used += used;
    if (error == beast::error::need_more) {
      // It asks for a whole line; one that is longer than all headers may be never comes.
      if (!parser.is_header_done() && rest.size() - used > kMaxHeaderBytes) step.error = 431;
      break;
    }
    if (error) {
      step.error = status_of(error);
      return step;
    }
    if (used == 0) break;
  }
  if (!parser.is_header_done()) return step;
  const auto& message = parser.get();
  if (!has_one_length(message))
    step.error = 400;
  else if (message.target().empty() || message.target().front() != '/')
    step.error = 400;
  else
    step.complete = parser.is_done();
  return step;
}

bool Parser::headers_complete() const { return beast_->parser.is_header_done(); }

bool Parser::expects_continue() const {
  const auto& message = beast_->parser.get();
  return headers_complete() && !beast_->parser.is_done() &&
         lowered(text_of(message[beast::field::expect])) == "100-continue";
}

Request Parser::take() {
  auto message = beast_->parser.release();
  Request request;
  switch (message.method()) {
    case beast::verb::get:
      request.method = Method::get;
      break;
    case beast::verb::head:
      request.method = Method::head;
      break;
    case beast::verb::post:
      request.method = Method::post;
      break;
    default:
      break;
  }
  request.target = text_of(message.target());
  for (const auto& field : message)
    request.headers.push_back({lowered(text_of(field.name_string())), text_of(field.value())});
  request.body = std::move(message.body());
  request.keep_alive = message.keep_alive();
  beast_ = std::make_unique<Beast>();
  return request;
}

}  // namespace capsule::http
