#include "contain/wire.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace capsule::contain {
namespace {

constexpr std::size_t kMaxFiles = 64;

// As the kernel wants it.
constexpr std::size_t kControl = CMSG_SPACE(sizeof(int) * kMaxFiles) + CMSG_SPACE(sizeof(ucred));

void take(const cmsghdr* told, Beside& beside) {
  if (told->cmsg_level != SOL_SOCKET) return;
  if (told->cmsg_type == SCM_CREDENTIALS) {
    ucred credentials{};
    std::memcpy(&credentials, CMSG_DATA(told), sizeof credentials);
    beside.sender = credentials.pid;
  }
  if (told->cmsg_type != SCM_RIGHTS) return;
  for (std::size_t at = 0; CMSG_LEN(at + sizeof(int)) <= told->cmsg_len; at += sizeof(int)) {
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(told) + at, sizeof fd);
    beside.files.emplace_back(fd);
  }
}

}  // namespace

void send_message(int channel, const Message& message, const std::vector<File>& files) {
  Message copy = message;
  iovec body{&copy, sizeof copy};
  alignas(cmsghdr) char control[kControl] = {};
  msghdr whole{};
  whole.msg_iov = &body;
  whole.msg_iovlen = 1;
  if (!files.empty()) {
    const std::size_t size = sizeof(int) * std::min(files.size(), kMaxFiles);
    whole.msg_control = control;
    whole.msg_controllen = CMSG_SPACE(size);
    cmsghdr* head = CMSG_FIRSTHDR(&whole);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(size);
    for (std::size_t i = 0; i < size / sizeof(int); ++i) {
      const int fd = files[i].fd();
      std::memcpy(CMSG_DATA(head) + i * sizeof(int), &fd, sizeof(int));
    }
  }
  // Nobody listens any more: then nobody needs to know.
  (void)!::sendmsg(channel, &whole, MSG_NOSIGNAL);
}

bool receive_message(int channel, Message& message, Beside& beside, int flags) {
  iovec body{&message, sizeof message};
  alignas(cmsghdr) char control[kControl] = {};
  msghdr whole{};
  whole.msg_iov = &body;
  whole.msg_iovlen = 1;
  whole.msg_control = control;
  whole.msg_controllen = sizeof control;
  ssize_t count = 0;
  do count = ::recvmsg(channel, &whole, flags | MSG_CMSG_CLOEXEC);
  while (count < 0 && errno == EINTR);
  if (count < 0) return false;
  for (cmsghdr* told = CMSG_FIRSTHDR(&whole); told != nullptr; told = CMSG_NXTHDR(&whole, told))
    take(told, beside);
  return count == sizeof message;
}

}  // namespace capsule::contain
