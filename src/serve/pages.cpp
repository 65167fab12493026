#include "serve/pages.h"

#include "assets/embedded.h"
#include "base/files.h"
#include "base/ids.h"
#include "http/admission.h"
#include "json/text.h"

namespace capsule::serve {
namespace {

std::string_view type_of(std::string_view name) {
  if (name.ends_with(".html")) return "text/html; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  return "text/plain; charset=utf-8";
}

}  // namespace

http::Response reply(int status, std::string_view type, std::string body) {
  http::Response response{status, {}, std::move(body)};
  response.headers.assign(http::safety_headers().begin(), http::safety_headers().end());
  if (!type.empty()) response.headers.push_back({"Content-Type", std::string(type)});
  return response;
}

http::Response reply_json(int status, std::string body) {
  return reply(status, "application/json", std::move(body));
}

http::Response reply_error(int status, std::string_view words) {
  return reply_json(status, "{\"error\":" + json::quoted(words) + "}");
}

http::Response page(std::string_view path, const std::string& folder) {
  const std::string name = path == "/" ? "index.html" : std::string(path.substr(1));
  if (valid_id(name)) {
    if (!folder.empty()) {
      if (auto text = read_file_beneath(folder, name, std::size_t{4} << 20))
        return reply(200, type_of(name), *std::move(text));
    } else if (const assets::Embedded* const file = assets::find_embedded("web/" + name)) {
      return reply(200, type_of(name), std::string(file->bytes));
    }
  }
  return reply(404, "text/plain; charset=utf-8", "There is no such page.\n");
}

}  // namespace capsule::serve
