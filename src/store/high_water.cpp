#include "store/high_water.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "base/checksum.h"

namespace capsule::store {
namespace {

// "CAPSMARK", seq, runs, checksum: 32 bytes in the machine's order, in one write.
constexpr std::uint64_t kMagic = 0x4B52414D53504143ULL;
using Record = std::array<std::uint64_t, 4>;

std::uint64_t checksum_of(const Record& record) {
  return Checksum().add(record[0]).add(record[1]).add(record[2]).value();
}

}  // namespace

HighWater::Mark HighWater::read() {
  const File file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  Record record{};
  if (!file || ::pread(file.fd(), record.data(), sizeof record, 0) != sizeof record) return {};
  if (record[0] != kMagic || record[3] != checksum_of(record)) return {};
  return {record[1], record[2]};
}

void HighWater::write(const Mark& mark) {
  if (!file_)
    file_ =
        File(::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644));
  if (!file_) return;
  Record record{kMagic, mark.seq, mark.runs, 0};
  record[3] = checksum_of(record);
  [[maybe_unused]] const ssize_t done = ::pwrite(file_.fd(), record.data(), sizeof record, 0);
}

}  // namespace capsule::store
