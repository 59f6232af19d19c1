// SPDX-License-Identifier: Apache-2.0
#include "tests/support/tls_identity.hpp"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <fstream>
#include <stdexcept>

namespace kbase::tests {
namespace {

constexpr long kDay = 24L * 3600;

template <class T> T* made(T* object) {
  if (object == nullptr) throw std::runtime_error("OpenSSL made no identity");
  return object;
}

void add_extension(X509* certificate, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* const extension = made(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

std::shared_ptr<X509> self_signed(EVP_PKEY* key, const std::string& name) {
  std::shared_ptr<X509> certificate(made(X509_new()), X509_free);
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -kDay);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), kDay);
  X509_NAME* const subject = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1,
                             0);
  X509_set_issuer_name(certificate.get(), subject);
  X509_set_pubkey(certificate.get(), key);
  add_extension(certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
  add_extension(certificate.get(), NID_subject_alt_name, "DNS:" + name);
  if (X509_sign(certificate.get(), key, EVP_sha256()) == 0) throw std::runtime_error("OpenSSL did not sign");
  return certificate;
}

template <class Write> std::string pem_of(Write write) {
  const std::shared_ptr<BIO> out(made(BIO_new(BIO_s_mem())), BIO_free);
  write(out.get());
  char* text = nullptr;
  const long size = BIO_get_mem_data(out.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

}  // namespace

TlsIdentity::TlsIdentity(const std::string& name) : context_(made(SSL_CTX_new(TLS_server_method())), SSL_CTX_free) {
  const std::shared_ptr<EVP_PKEY> key(made(EVP_EC_gen("P-256")), EVP_PKEY_free);
  const std::shared_ptr<X509> certificate = self_signed(key.get(), name);
  certificate_ = pem_of([&](BIO* out) { PEM_write_bio_X509(out, certificate.get()); });
  key_ = pem_of([&](BIO* out) { PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr); });
  SSL_CTX_use_certificate(context_.get(), certificate.get());
  SSL_CTX_use_PrivateKey(context_.get(), key.get());
}

std::string TlsIdentity::certificate_in(const std::filesystem::path& folder) const {
  std::string file = folder / "authority.pem";
  std::ofstream(file) << certificate_;
  return file;
}

}  // namespace kbase::tests
