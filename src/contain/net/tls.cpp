#include "contain/net/tls.h"

#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>
#include <mbedtls/error.h>
#include <mbedtls/net_sockets.h>
#include <mbedtls/ssl.h>
#include <mbedtls/x509_crt.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "base/text.h"

namespace capsule::contain {
namespace {

constexpr const char* kSystems[] = {
    "/etc/ssl/certs/ca-certificates.crt",                 // Debian, Ubuntu, Arch, Alpine
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // Fedora
    "/etc/pki/tls/certs/ca-bundle.crt",                   // older ones of it
    "/etc/ssl/ca-bundle.pem",                             // SUSE
    "/etc/ssl/cert.pem",
};

std::string words_of_error(int code) {
  char text[160] = {};
  mbedtls_strerror(code, text, sizeof text);
  return text;
}

int send_bytes(void* socket, const unsigned char* bytes, std::size_t size) {
  const ssize_t count = ::send(*static_cast<const int*>(socket), bytes, size, MSG_NOSIGNAL);
  if (count >= 0) return static_cast<int>(count);
  return errno == EAGAIN || errno == EINTR ? MBEDTLS_ERR_SSL_WANT_WRITE
                                           : MBEDTLS_ERR_NET_SEND_FAILED;
}

int receive_bytes(void* socket, unsigned char* into, std::size_t room) {
  const ssize_t count = ::recv(*static_cast<const int*>(socket), into, room, 0);
  if (count >= 0) return static_cast<int>(count);
  return errno == EAGAIN || errno == EINTR ? MBEDTLS_ERR_SSL_WANT_READ
                                           : MBEDTLS_ERR_NET_RECV_FAILED;
}

}  // namespace

Error no_authorities() {
  return Error{
      Reason::failed,
      "no certificates of authorities can be read, so no service can be trusted with the key",
      "install ca-certificates, or let SSL_CERT_FILE name a file of them"};
}

struct Tls::Shared {
  mbedtls_entropy_context entropy;
  mbedtls_ctr_drbg_context random;
  mbedtls_x509_crt authorities;
  mbedtls_ssl_config config;

  Shared() {
    mbedtls_entropy_init(&entropy);
    mbedtls_ctr_drbg_init(&random);
    mbedtls_x509_crt_init(&authorities);
    mbedtls_ssl_config_init(&config);
  }
  ~Shared() {
    mbedtls_ssl_config_free(&config);
    mbedtls_x509_crt_free(&authorities);
    mbedtls_ctr_drbg_free(&random);
    mbedtls_entropy_free(&entropy);
  }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
};

Tls::Tls(std::unique_ptr<Shared> shared) : shared_(std::move(shared)) {}
Tls::~Tls() = default;

Result<std::shared_ptr<Tls>> Tls::create(const std::vector<std::string>& authorities) {
  auto shared = std::make_unique<Shared>();
  // Of a bundle, single certificates of a kind that is not known here may be left out.
  bool any = false;
  for (const std::string& file : authorities)
    any |= mbedtls_x509_crt_parse_file(&shared->authorities, file.c_str()) >= 0;
  if (!any) return tl::unexpected(no_authorities());
  static const char* kProtocols[] = {"http/1.1", nullptr};
  int code =
      mbedtls_ctr_drbg_seed(&shared->random, mbedtls_entropy_func, &shared->entropy, nullptr, 0);
  if (code == 0)
    code = mbedtls_ssl_config_defaults(&shared->config, MBEDTLS_SSL_IS_CLIENT,
                                       MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT);
  if (code == 0) code = mbedtls_ssl_conf_alpn_protocols(&shared->config, kProtocols);
  if (code != 0)
    return fail(Reason::failed, "cannot prepare secure connections: " + words_of_error(code));
  mbedtls_ssl_conf_min_version(&shared->config, MBEDTLS_SSL_MAJOR_VERSION_3,
                               MBEDTLS_SSL_MINOR_VERSION_3);  // TLS 1.2
  mbedtls_ssl_conf_max_version(&shared->config, MBEDTLS_SSL_MAJOR_VERSION_3,
                               MBEDTLS_SSL_MINOR_VERSION_3);
  mbedtls_ssl_conf_authmode(&shared->config, MBEDTLS_SSL_VERIFY_REQUIRED);
  mbedtls_ssl_conf_ca_chain(&shared->config, &shared->authorities, nullptr);
  mbedtls_ssl_conf_rng(&shared->config, mbedtls_ctr_drbg_random, &shared->random);
  return std::shared_ptr<Tls>(new Tls(std::move(shared)));
}

std::vector<std::string> own_authorities() {
  std::vector<std::string> files;
  const auto add = [&](const char* file) {
    std::error_code relative;
    if (file != nullptr && *file != '\0')
      files.push_back(std::filesystem::absolute(file, relative).string());
  };
  add(std::getenv("SSL_CERT_FILE"));
  for (const char* file : kSystems)
    if (files.empty() && ::access(file, R_OK) == 0) add(file);
  add(std::getenv("NODE_EXTRA_CA_CERTS"));
  return files;
}

struct TlsStream::Session {
  mbedtls_ssl_context context;
  int socket = -1;

  Session() { mbedtls_ssl_init(&context); }
  ~Session() { mbedtls_ssl_free(&context); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
};

Result<std::unique_ptr<TlsStream>> TlsStream::create(File socket, const std::string& name,
                                                     std::shared_ptr<Tls> tls) {
  auto session = std::make_unique<Session>();
  session->socket = socket.fd();
  int code = mbedtls_ssl_setup(&session->context, &tls->shared().config);
  if (code == 0) code = mbedtls_ssl_set_hostname(&session->context, name.c_str());
  if (code != 0)
    return fail(Reason::failed, "cannot begin a secure connection: " + words_of_error(code));
  mbedtls_ssl_set_bio(&session->context, &session->socket, send_bytes, receive_bytes, nullptr);
  return std::unique_ptr<TlsStream>(
      new TlsStream(std::move(socket), std::move(session), std::move(tls)));
}

TlsStream::TlsStream(File socket, std::unique_ptr<Session> session, std::shared_ptr<Tls> tls)
    : socket_(std::move(socket)), tls_(std::move(tls)), session_(std::move(session)) {}

TlsStream::~TlsStream() = default;

Stream::State TlsStream::state_of(int code) {
  wants_writing_ = code == MBEDTLS_ERR_SSL_WANT_WRITE;
  switch (code) {
    case MBEDTLS_ERR_SSL_WANT_READ:
    case MBEDTLS_ERR_SSL_WANT_WRITE:
      return State::later;
    // Many services end without a farewell. Whether an answer is whole, its own length tells.
    case 0:
    case MBEDTLS_ERR_SSL_CONN_EOF:
    case MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY:
      return State::ended;
    default:
      if (code > 0) return State::moved;
      error_ = code;
      return State::broken;
  }
}

Stream::State TlsStream::greet() {
  if (greeted_) return State::moved;
  const int code = mbedtls_ssl_handshake(&session_->context);
  greeted_ = code == 0;
  if (greeted_) return State::moved;
  const State state = state_of(code);
  error_ = code;
  return state == State::later ? State::later : State::broken;
}

std::string TlsStream::why() const {
  const std::uint32_t flags = mbedtls_ssl_get_verify_result(&session_->context);
  if (flags == 0 || flags == ~0U || error_ != MBEDTLS_ERR_X509_CERT_VERIFY_FAILED)
    return words_of_error(error_);
  char text[512] = {};
  mbedtls_x509_crt_verify_info(text, sizeof text, "", flags);
  std::string words(text);
  std::replace(words.begin(), words.end(), '\n', ' ');
  return std::string(trimmed(words));
}

Stream::Moved TlsStream::read(char* into, std::size_t room) {
  const int code =
      mbedtls_ssl_read(&session_->context, reinterpret_cast<unsigned char*>(into), room);
  const State state = state_of(code);
  return {state, state == State::moved ? static_cast<std::size_t>(code) : 0};
}

Stream::Moved TlsStream::write(std::string_view bytes) {
  // What was begun is ended before anything else: as many bytes as at first.
  const std::size_t size = offered_ > 0 ? offered_ : bytes.size();
  const int code = mbedtls_ssl_write(&session_->context,
                                     reinterpret_cast<const unsigned char*>(bytes.data()), size);
  const State state = state_of(code);
  offered_ = state == State::later ? size : 0;
  return {state == State::ended ? State::broken : state,
          state == State::moved ? static_cast<std::size_t>(code) : 0};
}

void TlsStream::finish() { (void)mbedtls_ssl_close_notify(&session_->context); }

std::uint32_t TlsStream::events(bool reads, bool writes) const {
  if (!greeted_) return wants_writing_ ? EPOLLOUT : EPOLLIN;
  return (reads ? EPOLLIN : 0U) | (writes || wants_writing_ ? EPOLLOUT : 0U);
}

}  // namespace capsule::contain
