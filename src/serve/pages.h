// The files of the page: embedded in the program, or in a folder while somebody works on them.
#pragma once

#include <string>
#include <string_view>

#include "http/message.h"

namespace capsule::serve {

// `path` is that of a request, hostile; `folder` is empty, or where the files are (CAPSULE_WEB).
// 404: there is no such file.
http::Response page(std::string_view path, const std::string& folder);

// A response with the headers that every one has.
http::Response reply(int status, std::string_view type, std::string body);
http::Response reply_json(int status, std::string body);
// {"error":"…"}
http::Response reply_error(int status, std::string_view words);

}  // namespace capsule::serve
