#include "world/crash_probe.h"

#ifdef CAPSULE_TEST_HOOKS
#include <fcntl.h>
#include <signal.h>

#include <cstdlib>

#include "base/files.h"
#endif

namespace capsule::world {

#ifdef CAPSULE_TEST_HOOKS
namespace {

class CrashProbe : public engine::Probe {
 public:
  CrashProbe(const char* file, const char* at)
      : file_(file != nullptr ? ::open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644) : -1),
        at_(at != nullptr ? std::atoi(at) : 0) {}
  void reached(std::string_view point) override {
    if (file_) (void)write_all(file_.fd(), std::string(point) + "\n", "points");
    if (++count_ == at_) ::raise(SIGKILL);
  }

 private:
  File file_;
  int at_;
  int count_ = 0;
};

}  // namespace

std::unique_ptr<engine::Probe> crash_probe() {
  const char* file = std::getenv("CAPSULE_TEST_POINTS");
  const char* at = std::getenv("CAPSULE_TEST_CRASH_AT");
  if (file == nullptr && at == nullptr) return nullptr;
  return std::make_unique<CrashProbe>(file, at);
}
#else
std::unique_ptr<engine::Probe> crash_probe() { return nullptr; }
#endif

}  // namespace capsule::world
