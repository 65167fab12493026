// A small HTTP/1.1 server for tests, on a free port of 127.0.0.1: one request a connection. Bodies
// are whole both ways, unless a test wants otherwise.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace capsule::test {

struct Request {
  std::string method, path;                    // the path without what follows a question mark
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
};

struct Response {
  int status = 200;
  std::string type = {}, body = {};
  std::map<std::string, std::string> headers = {};
  // What comes of it: all; half of the body it announced; nothing until the other side leaves.
  enum class Fate { whole, cut, silent } fate = Fate::whole;
};

class HttpServer {
 public:
  // `answer` is called by several threads at once.
  explicit HttpServer(std::function<Response(const Request&)> answer);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  int port() const { return port_; }

 private:
  struct Connection {
    int socket;
    std::thread thread;
  };
  void accept_all();
  void serve(int socket);  // one request

  std::function<Response(const Request&)> answer_;
  int listener_ = -1;
  int port_ = 0;
  std::mutex mutex_;
  bool closing_ = false;               // guarded by mutex_
  std::list<Connection> connections_;  // guarded by mutex_; sockets are closed by the destructor
  std::thread acceptor_;
};

}  // namespace capsule::test
