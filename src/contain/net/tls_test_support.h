// A service that speaks TLS on this machine's loopback, and an authority that vouches for it. Both
// are made anew for each test; nothing of them is kept.
#pragma once

#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>
#include <mbedtls/net_sockets.h>
#include <mbedtls/ssl.h>
#include <mbedtls/x509_crt.h>

#include <csignal>
#include <string>
#include <thread>

#include "contain/net/test_support.h"

namespace capsule::contain::testing {

// A value of the library with its way to begin and to end.
template <class T, void (*init)(T*), void (*free)(T*)>
struct Owned {
  T value;
  Owned() { init(&value); }
  ~Owned() { free(&value); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  T* operator&() { return &value; }
};
using OwnedKey = Owned<mbedtls_pk_context, mbedtls_pk_init, mbedtls_pk_free>;
using OwnedCertificate = Owned<mbedtls_x509_crt, mbedtls_x509_crt_init, mbedtls_x509_crt_free>;

struct TestRandom {
  Owned<mbedtls_entropy_context, mbedtls_entropy_init, mbedtls_entropy_free> entropy;
  Owned<mbedtls_ctr_drbg_context, mbedtls_ctr_drbg_init, mbedtls_ctr_drbg_free> source;
  TestRandom() {
    EXPECT_EQ(mbedtls_ctr_drbg_seed(&source, mbedtls_entropy_func, &entropy, nullptr, 0), 0);
  }
};

struct Certificate {
  std::string text;  // PEM
  std::string key;
  std::string name;
};

inline void read_key(OwnedKey& key, const std::string& text) {
  EXPECT_EQ(mbedtls_pk_parse_key(&key, reinterpret_cast<const unsigned char*>(text.c_str()),
                                 text.size() + 1, nullptr, 0),
            0);
}

// Signed by `by`, or by itself. The times are as certificates have them.
inline Certificate make_certificate(const std::string& name, const Certificate* by,
                                    const char* from, const char* until) {
  TestRandom random;
  OwnedKey own;
  EXPECT_EQ(mbedtls_pk_setup(&own, mbedtls_pk_info_from_type(MBEDTLS_PK_ECKEY)), 0);
  EXPECT_EQ(mbedtls_ecp_gen_key(MBEDTLS_ECP_DP_SECP256R1, mbedtls_pk_ec(own.value),
                                mbedtls_ctr_drbg_random, &random.source),
            0);
  OwnedKey issuer;
  if (by != nullptr) read_key(issuer, by->key);
  Owned<mbedtls_x509write_cert, mbedtls_x509write_crt_init, mbedtls_x509write_crt_free> made;
  Owned<mbedtls_mpi, mbedtls_mpi_init, mbedtls_mpi_free> serial;
  mbedtls_x509write_crt_set_version(&made, MBEDTLS_X509_CRT_VERSION_3);
  mbedtls_x509write_crt_set_md_alg(&made, MBEDTLS_MD_SHA256);
  mbedtls_x509write_crt_set_subject_key(&made, &own);
  mbedtls_x509write_crt_set_issuer_key(&made, by != nullptr ? &issuer : &own);
  EXPECT_EQ(mbedtls_mpi_lset(&serial, 7), 0);
  EXPECT_EQ(mbedtls_x509write_crt_set_serial(&made, &serial), 0);
  EXPECT_EQ(mbedtls_x509write_crt_set_subject_name(&made, ("CN=" + name).c_str()), 0);
  const std::string issuer_name = "CN=" + (by != nullptr ? by->name : name);
  EXPECT_EQ(mbedtls_x509write_crt_set_issuer_name(&made, issuer_name.c_str()), 0);
  EXPECT_EQ(mbedtls_x509write_crt_set_validity(&made, from, until), 0);
  EXPECT_EQ(mbedtls_x509write_crt_set_basic_constraints(&made, by == nullptr ? 1 : 0, -1), 0);
  unsigned char text[4096] = {};
  Certificate certificate;
  certificate.name = name;
  EXPECT_EQ(
      mbedtls_x509write_crt_pem(&made, text, sizeof text, mbedtls_ctr_drbg_random, &random.source),
      0);
  certificate.text = reinterpret_cast<const char*>(text);
  EXPECT_EQ(mbedtls_pk_write_key_pem(&own, text, sizeof text), 0);
  certificate.key = reinterpret_cast<const char*>(text);
  return certificate;
}

inline Certificate make_authority() {
  return make_certificate("Authority", nullptr, "20200101000000", "20990101000000");
}
inline Certificate make_certificate(const std::string& name, const Certificate& authority,
                                    const char* from = "20200101000000",
                                    const char* until = "20990101000000") {
  return make_certificate(name, &authority, from, until);
}

// Takes one connection, reads until `end` was said, answers, and ends. On a thread of its own.
class SecureService {
 public:
  SecureService(const Certificate& certificate, const std::string& end, const std::string& answer)
      : listener_(bound(SOCK_STREAM)),
        port_(port_of(listener_)),
        thread_([=, this] { serve(certificate, end, answer); }) {}
  ~SecureService() {
    if (thread_.joinable()) thread_.join();
  }
  SecureService(const SecureService&) = delete;
  SecureService& operator=(const SecureService&) = delete;

  std::uint16_t port() const { return port_; }
  // What was said, once it has ended.
  const std::string& heard() {
    thread_.join();
    return heard_;
  }

 private:
  void serve(const Certificate& certificate, const std::string& end, const std::string& answer) {
    // A client that was not satisfied is gone when it is written to.
    sigset_t gone;
    ::sigemptyset(&gone);
    ::sigaddset(&gone, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &gone, nullptr);
    TestRandom random;
    OwnedKey key;
    OwnedCertificate own;
    Owned<mbedtls_ssl_config, mbedtls_ssl_config_init, mbedtls_ssl_config_free> config;
    Owned<mbedtls_ssl_context, mbedtls_ssl_init, mbedtls_ssl_free> session;
    read_key(key, certificate.key);
    const auto* text = reinterpret_cast<const unsigned char*>(certificate.text.c_str());
    EXPECT_EQ(mbedtls_x509_crt_parse(&own, text, certificate.text.size() + 1), 0);
    EXPECT_EQ(mbedtls_ssl_config_defaults(&config, MBEDTLS_SSL_IS_SERVER,
                                          MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT),
              0);
    mbedtls_ssl_conf_rng(&config, mbedtls_ctr_drbg_random, &random.source);
    EXPECT_EQ(mbedtls_ssl_conf_own_cert(&config, &own, &key), 0);
    EXPECT_EQ(mbedtls_ssl_setup(&session, &config), 0);
    File peer = accepted(listener_);
    mbedtls_net_context net{peer.fd()};
    mbedtls_ssl_set_bio(&session, &net, mbedtls_net_send, mbedtls_net_recv, nullptr);
    if (mbedtls_ssl_handshake(&session) != 0) return;
    unsigned char part[4096];
    while (!heard_.ends_with(end)) {
      const int count = mbedtls_ssl_read(&session, part, sizeof part);
      if (count <= 0) return;
      heard_.append(reinterpret_cast<const char*>(part), static_cast<std::size_t>(count));
    }
    for (std::size_t at = 0; at < answer.size();) {
      const int count = mbedtls_ssl_write(
          &session, reinterpret_cast<const unsigned char*>(answer.data()) + at, answer.size() - at);
      if (count <= 0) return;
      at += static_cast<std::size_t>(count);
    }
    mbedtls_ssl_close_notify(&session);
  }

  const File listener_;
  const std::uint16_t port_;
  std::string heard_;
  std::thread thread_;
};

}  // namespace capsule::contain::testing
