#include "world/requests.h"

#include <unistd.h>

#include "base/files.h"

namespace capsule::world {
namespace {

std::string path_of(const std::string& project, const std::string& run, Request request) {
  return project + "/.capsule/requests/" + run + (request == Request::pause ? ".pause" : ".abort");
}

}  // namespace

Result<void> leave_request(const std::string& project, const std::string& run, Request request) {
  TRY_VOID(make_folders(project + "/.capsule/requests"));
  return write_file(path_of(project, run, request), "");
}

std::optional<workflow::Stop> pending_request(const std::string& project, const std::string& run) {
  if (exists(path_of(project, run, Request::abort))) return workflow::Stop::aborted;
  if (exists(path_of(project, run, Request::pause))) return workflow::Stop::paused;
  return std::nullopt;
}

void drop_requests(const std::string& project, const std::string& run) {
  for (Request request : {Request::pause, Request::abort})
    ::unlink(path_of(project, run, request).c_str());
}

}  // namespace capsule::world
