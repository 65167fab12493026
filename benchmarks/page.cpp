#include "benchmarks/page.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

namespace capsule::bench {

int Page::ask(const std::string& path) const {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port =
      htons(static_cast<std::uint16_t>(std::atoi(host.c_str() + host.find(':') + 1)));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const std::string request = "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n" +
                              (cookie.empty() ? "" : "Cookie: " + cookie + "\r\n") + "\r\n";
  if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::send(fd, request.data(), request.size(), MSG_NOSIGNAL) < 0)
    std::abort();
  return fd;
}

std::string heard_until(int fd, std::string_view end) {
  std::string heard;
  char bytes[4096];
  while (heard.find(end) == heard.npos) {
    const ssize_t count = ::read(fd, bytes, sizeof bytes);
    if (count <= 0) std::abort();
    heard.append(bytes, static_cast<std::size_t>(count));
  }
  return heard;
}

Page entered(const Face& serve, std::string_view last_words) {
  const std::string screen = heard_until(serve.terminal(), last_words);
  const std::size_t begin = screen.find("http://") + 7, path = screen.find("/?", begin);
  Page page{screen.substr(begin, path - begin), ""};
  const int entering = page.ask(screen.substr(path, screen.find_first_of("\r\n", path) - path));
  const std::string answer = heard_until(entering, "\r\n\r\n");
  ::close(entering);
  const std::size_t cookie = answer.find("Set-Cookie: ") + 12;
  page.cookie = answer.substr(cookie, answer.find(';', cookie) - cookie);
  return page;
}

double cpu_seconds_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::size_t name = text.rfind(')');
  if (name == text.npos) std::abort();  // it has ended
  std::istringstream rest(text.substr(name + 2));
  std::string skipped;
  for (int i = 0; i < 11; ++i) rest >> skipped;
  double user = 0, system = 0;
  rest >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double own_mb_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("RssAnon:")) return std::atof(line.c_str() + 8) / 1024;
  std::abort();  // it has ended
}

}  // namespace capsule::bench
