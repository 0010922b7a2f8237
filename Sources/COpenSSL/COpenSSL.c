#include "COpenSSL.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

int copenssl_harden_server(SSL_CTX *context) {
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                  SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE |
                                     SSL_OP_PRIORITIZE_CHACHA | SSL_OP_IGNORE_UNEXPECTED_EOF);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_num_tickets(context, 1);
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
           SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1 &&
           SSL_CTX_set_session_id_context(context, (const unsigned char *)"teahouse", 8) == 1;
}

int copenssl_harden_client(SSL_CTX *context) {
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
           SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1 &&
           SSL_CTX_set_default_verify_paths(context) == 1;
}

struct choice {
    size_t count;
    SSL_CTX *contexts[];
};

static void free_choice(void *parent, void *value, CRYPTO_EX_DATA *data, int index, long number, void *argument) {
    (void)parent, (void)data, (void)index, (void)number, (void)argument;
    struct choice *choice = value;
    if (choice == NULL) return;
    for (size_t i = 0; i < choice->count; i++) SSL_CTX_free(choice->contexts[i]);
    free(choice);
}

static int choice_index = -1;
static CRYPTO_ONCE choice_once = CRYPTO_ONCE_STATIC_INIT;
static void make_choice_index(void) { choice_index = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, free_choice); }

static int choose(SSL *session, int *alert, void *argument) {
    (void)alert;
    const struct choice *choice = argument;
    const char *name = SSL_get_servername(session, TLSEXT_NAMETYPE_host_name);
    if (name == NULL) return SSL_TLSEXT_ERR_OK;
    for (size_t i = 0; i < choice->count; i++) {
        X509 *certificate = SSL_CTX_get0_certificate(choice->contexts[i]);
        if (certificate != NULL && X509_check_host(certificate, name, 0, 0, NULL) == 1) {
            SSL_set_SSL_CTX(session, choice->contexts[i]);
            break;
        }
    }
    return SSL_TLSEXT_ERR_OK;
}

int copenssl_choose_by_name(SSL_CTX *context, SSL_CTX *const *others, size_t count) {
    if (!CRYPTO_THREAD_run_once(&choice_once, make_choice_index) || choice_index < 0) return 0;
    struct choice *choice = malloc(sizeof *choice + count * sizeof(SSL_CTX *));
    if (choice == NULL) return 0;
    choice->count = count;
    for (size_t i = 0; i < count; i++) {
        SSL_CTX_up_ref(others[i]);
        choice->contexts[i] = others[i];
    }
    if (!SSL_CTX_set_ex_data(context, choice_index, choice)) {
        free_choice(NULL, choice, NULL, 0, 0, NULL);
        return 0;
    }
    // A session keeps a reference to `context` while this runs, and `context` owns `choice`.
    SSL_CTX_set_tlsext_servername_callback(context, choose);
    SSL_CTX_set_tlsext_servername_arg(context, choice);
    return 1;
}

int copenssl_add_to_chain(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add1_chain_cert(context, certificate);
}

EVP_PKEY *copenssl_p256_key(void) { return EVP_EC_gen("P-256"); }

int copenssl_ask_for_name(SSL *session, const char *name) {
    return (int)SSL_set_tlsext_host_name(session, name);
}

const char *copenssl_memory(BIO *bio, size_t *length) {
    char *bytes = NULL;
    long count = BIO_get_mem_data(bio, &bytes);
    *length = count > 0 ? (size_t)count : 0;
    return bytes;
}

static int is_printable(const unsigned char *text, int length) {
    for (int i = 0; i < length; i++)
        if (text[i] <= 0x20 || text[i] >= 0x7F) return 0;
    return length > 0;
}

size_t copenssl_certificate_names(X509 *certificate, char *room, size_t size) {
    GENERAL_NAMES *names = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
    size_t written = 0;
    for (int i = 0; names != NULL && i < sk_GENERAL_NAME_num(names); i++) {
        const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, i);
        char address[INET6_ADDRSTRLEN];
        const char *text = NULL;
        int length = 0;
        if (name->type == GEN_DNS) {
            text = (const char *)ASN1_STRING_get0_data(name->d.dNSName);
            length = ASN1_STRING_length(name->d.dNSName);
        } else if (name->type == GEN_IPADD) {
            int count = ASN1_STRING_length(name->d.iPAddress);
            if (count != 4 && count != 16) continue;
            text = inet_ntop(count == 4 ? AF_INET : AF_INET6, ASN1_STRING_get0_data(name->d.iPAddress), address,
                             sizeof address);
            length = text == NULL ? 0 : (int)strlen(text);
        }
        if (text == NULL || !is_printable((const unsigned char *)text, length)) continue;
        if (written + (size_t)length + 1 > size) break;
        memcpy(room + written, text, (size_t)length);
        written += (size_t)length;
        room[written++] = '\n';
    }
    GENERAL_NAMES_free(names);
    ERR_clear_error();
    return written;
}

size_t copenssl_certificate_issuer(X509 *certificate, char *room, size_t size) {
    X509_NAME *issuer = X509_get_issuer_name(certificate);
    int length = X509_NAME_get_text_by_NID(issuer, NID_commonName, room, (int)size);
    if (length <= 0) length = X509_NAME_get_text_by_NID(issuer, NID_organizationName, room, (int)size);
    return length > 0 ? (size_t)length : 0;
}
