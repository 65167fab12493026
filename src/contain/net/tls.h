// TLS to a service: its certificate has to be for its name, and by an authority that this machine
// trusts. Only whoever adds a key to requests needs it: all other connections pass as they are.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "contain/net/stream.h"

namespace capsule::contain {

// What the connections of one gateway share. Not for several threads.
class Tls {
 public:
  // `authorities` are files of certificates (PEM). Error: none of them can be read, or there is no
  // randomness.
  static Result<std::shared_ptr<Tls>> create(const std::vector<std::string>& authorities);
  ~Tls();
  Tls(const Tls&) = delete;
  Tls& operator=(const Tls&) = delete;

  struct Shared;
  Shared& shared() { return *shared_; }

 private:
  explicit Tls(std::unique_ptr<Shared> shared);
  std::unique_ptr<Shared> shared_;
};

// The files of this machine, by whole paths: the one that SSL_CERT_FILE names, else those that
// systems have, and the one of NODE_EXTRA_CA_CERTS beside it. Only for who has the user's own
// environment: whoever chooses these files says who gets the key.
std::vector<std::string> own_authorities();

// What is said where there are none.
Error no_authorities();

class TlsStream : public Stream {
 public:
  // `socket` is connected, and `name` is what its certificate has to be for. Keeps `tls` alive.
  static Result<std::unique_ptr<TlsStream>> create(File socket, const std::string& name,
                                                   std::shared_ptr<Tls> tls);
  ~TlsStream() override;

  // Nothing is read or written before it is `moved`; `broken`: why() says the reason.
  State greet();
  std::string why() const;

  Moved read(char* into, std::size_t room) override;
  Moved write(std::string_view bytes) override;
  void finish() override;
  int fd() const override { return socket_.fd(); }
  std::uint32_t events(bool reads, bool writes) const override;

 private:
  struct Session;
  TlsStream(File socket, std::unique_ptr<Session> session, std::shared_ptr<Tls> tls);
  State state_of(int code);

  const File socket_;
  const std::shared_ptr<Tls> tls_;
  const std::unique_ptr<Session> session_;
  bool greeted_ = false;
  bool wants_writing_ = false;  // before it can go on, whatever it was asked
  std::size_t offered_ = 0;     // bytes that are on their way: they have to be offered again
  int error_ = 0;
};

}  // namespace capsule::contain
