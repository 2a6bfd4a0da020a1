#pragma once
// SHA256_CTX is the one hash state that is a plain value: HMACKey keeps two of them. Its functions
// are marked deprecated in favour of EVP, whose contexts are heap objects without value semantics.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include "tls.h"
