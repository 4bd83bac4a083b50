/*
 * SHA-256 (FIPS 180-4, by nettle), always as the text that sha256sum prints: to tell whether a file
 * or a setting has changed, and to name things by their contents.
 */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include "base/err.h"

#include <stddef.h>

/* 64 hexadecimal digits and a terminator. */
#define SHA256_TEXT_SIZE 65

/* Of `len` bytes. */
void sha256_text(const void *bytes, size_t len, char text[SHA256_TEXT_SIZE]);
/* HMAC-SHA-256 (RFC 2104): of `len` bytes under a key, without which nobody can compute it. */
void hmac_sha256(const void *key, size_t key_len, const void *bytes, size_t len,
	char text[SHA256_TEXT_SIZE]);
/* Of a file's contents. */
int sha256_file(const char *path, char text[SHA256_TEXT_SIZE], struct err *err);

/* Of bytes that come in pieces. */
struct sha256_stream;
struct sha256_stream *sha256_stream_new(void);
void sha256_stream_add(struct sha256_stream *stream, const void *bytes, size_t len);
/* Writes the text, and frees the stream. */
void sha256_stream_end(struct sha256_stream *stream, char text[SHA256_TEXT_SIZE]);

#endif
