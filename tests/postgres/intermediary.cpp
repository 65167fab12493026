#include "tests/postgres/intermediary.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace capsule::test {
namespace {

sockaddr_un at(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

bool write_all(int fd, const std::string& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::send(fd, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace

Intermediary::Intermediary(std::string server) : server_(std::move(server)) {
  std::string name = "/tmp/capsule-between.XXXXXX";
  folder_ = ::mkdtemp(name.data());
  EXPECT_EQ(::pipe(end_), 0);
  listening_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un address = at(folder_ + "/.s.PGSQL.5432");
  EXPECT_EQ(::bind(listening_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(::listen(listening_, 8), 0);
  accepting_ = std::thread([this] { accept_all(); });
}

Intermediary::~Intermediary() {
  ::close(end_[1]);
  accepting_.join();
  for (std::thread& thread : passing_) thread.join();
  ::close(listening_);
  ::close(end_[0]);
  std::error_code error;
  std::filesystem::remove_all(folder_, error);
}

std::string Intermediary::address(const std::string& database) const {
  return "postgresql:///" + database + "?host=" + folder_ + "&user=owner";
}

void Intermediary::swallow_answer_to(const std::string& text) {
  const std::lock_guard lock(mutex_);
  text_ = text;
}

bool Intermediary::is_it(const std::string& said) {
  const std::lock_guard lock(mutex_);
  if (text_.empty() || said.find(text_) == std::string::npos) return false;
  text_.clear();
  return true;
}

void Intermediary::accept_all() {
  for (;;) {
    pollfd look[2]{{listening_, POLLIN, 0}, {end_[0], POLLIN, 0}};
    ::poll(look, 2, -1);
    if (look[1].revents != 0) return;
    const int client = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client >= 0) passing_.emplace_back([this, client] { pass_on(client); });
  }
}

void Intermediary::pass_on(int client) {
  const int server = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un address = at(server_);
  bool swallow = false;
  bool open = ::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  char buffer[65536];
  while (open) {
    pollfd look[3]{{client, POLLIN, 0}, {server, POLLIN, 0}, {end_[0], POLLIN, 0}};
    ::poll(look, 3, -1);
    if (look[2].revents != 0) break;
    for (const int from : {client, server}) {
      if (look[from == client ? 0 : 1].revents == 0) continue;
      const ssize_t count = ::read(from, buffer, sizeof buffer);
      open &= count > 0;
      if (count <= 0) break;
      const std::string said(buffer, static_cast<std::size_t>(count));
      if (from == client) swallow |= is_it(said);
      // It answers once it has committed.
      if (from == server && swallow) {
        ++swallowed_;
        open = false;
        break;
      }
      open &= write_all(from == client ? server : client, said);
    }
  }
  ::close(server);
  ::close(client);
}

}  // namespace capsule::test
