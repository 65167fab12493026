// io_uring by its three system calls: a way to open, read, write and connect that a filter over
// system calls does not see.
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "tests/contain/attempt/attempt.h"

namespace attempt {
namespace {

int submit(const io_uring_sqe& wanted) {
  io_uring_params params{};
  const int ring = static_cast<int>(syscall(SYS_io_uring_setup, 1, &params));
  if (ring < 0) return -errno;
  const auto map = [ring](std::size_t size, long long offset) {
    return static_cast<char*>(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                                   ring, static_cast<off_t>(offset)));
  };
  char* sq = map(params.sq_off.array + params.sq_entries * sizeof(unsigned), IORING_OFF_SQ_RING);
  char* cq = map(params.cq_off.cqes + params.cq_entries * sizeof(io_uring_cqe), IORING_OFF_CQ_RING);
  char* entries = map(params.sq_entries * sizeof(io_uring_sqe), IORING_OFF_SQES);
  if (sq == MAP_FAILED || cq == MAP_FAILED || entries == MAP_FAILED) {
    const int why = errno;
    close(ring);
    return -why;
  }
  std::memcpy(entries, &wanted, sizeof wanted);
  const unsigned first = 0;
  std::memcpy(sq + params.sq_off.array, &first, sizeof first);
  __atomic_store_n(reinterpret_cast<unsigned*>(sq + params.sq_off.tail), 1U, __ATOMIC_RELEASE);
  int result = -EIO;
  if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, nullptr, 0) < 0) {
    result = -errno;
  } else {
    io_uring_cqe done{};
    std::memcpy(&done, cq + params.cq_off.cqes, sizeof done);
    result = done.res;
  }
  close(ring);
  return result;
}

io_uring_sqe operation(std::uint8_t code, int fd, const void* address, std::uint32_t size) {
  io_uring_sqe entry{};
  entry.opcode = code;
  entry.fd = fd;
  entry.addr = reinterpret_cast<std::uint64_t>(address);
  entry.len = size;
  return entry;
}

}  // namespace

int ring_open(const char* path, int flags) {
  io_uring_sqe entry = operation(IORING_OP_OPENAT, -100 /* AT_FDCWD */, path, 0644);
  entry.open_flags = static_cast<std::uint32_t>(flags);
  return submit(entry);
}
int ring_read(int fd, void* into, unsigned size) {
  return submit(operation(IORING_OP_READ, fd, into, size));
}
int ring_write(int fd, const void* from, unsigned size) {
  return submit(operation(IORING_OP_WRITE, fd, from, size));
}
int ring_connect(int fd, const void* address, unsigned size) {
  io_uring_sqe entry = operation(IORING_OP_CONNECT, fd, address, 0);
  entry.off = size;
  return submit(entry);
}

}  // namespace attempt
