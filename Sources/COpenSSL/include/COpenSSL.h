#pragma once
#include <openssl/ssl.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/x509v3.h>
#include "md5_lanes.h"

// Macros that Swift cannot see, with the settings that belong together.

/// TLS 1.2 or newer, forward-secret authenticated ciphers, no renegotiation, read and write buffers given back while a
/// connection is idle, partial writes from a buffer that may have moved, no session cache (tickets only).
/// Returns 1, or 0 when OpenSSL refuses.
int copenssl_harden_server(SSL_CTX *_Nonnull context);

/// TLS 1.2 or newer and forward-secret authenticated ciphers for a client, with its server verified against the
/// authorities of this system. Returns 1, or 0 when OpenSSL refuses.
int copenssl_harden_client(SSL_CTX *_Nonnull context);

/// Chooses among `count` contexts by the name that the client asks for (SNI): the first whose certificate covers the
/// name; `context` itself when none does or no name was sent. `context` holds a reference to each until it is freed.
/// Returns 1, or 0 without memory.
int copenssl_choose_by_name(SSL_CTX *_Nonnull context, SSL_CTX *_Nonnull const *_Nullable others, size_t count);

/// Sends `certificate` along with the context's own; the context takes its own reference. Returns 1, or 0.
int copenssl_add_to_chain(SSL_CTX *_Nonnull context, X509 *_Nonnull certificate);

/// A new P-256 key, or NULL.
EVP_PKEY *_Nullable copenssl_p256_key(void);
/// The name that a client asks for. Returns 1 when it was taken.
int copenssl_ask_for_name(SSL *_Nonnull session, const char *_Nonnull name);
/// The bytes in a memory BIO, which stays their owner.
const char *_Nullable copenssl_memory(BIO *_Nonnull bio, size_t *_Nonnull length);

/// Writes the names and addresses of a certificate's `subjectAltName` to `room`, each with a line feed behind it, as
/// many as fit whole; names with control characters are left out. Returns how many bytes were written.
size_t copenssl_certificate_names(X509 *_Nonnull certificate, char *_Nonnull room, size_t size);

/// Writes the issuer's common name, or else its organisation, to `room`, at most `size` bytes. Returns how many.
size_t copenssl_certificate_issuer(X509 *_Nonnull certificate, char *_Nonnull room, size_t size);
