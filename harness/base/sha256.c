#include "base/sha256.h"

#include "base/mem.h"

#include <errno.h>
#include <sha256.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void
sha256_text(const void *bytes, size_t len, char text[SHA256_TEXT_SIZE])
{
	SHA256Data(bytes, len, text);
}

void
hmac_sha256(
	const void *key, size_t key_len, const void *bytes, size_t len, char text[SHA256_TEXT_SIZE])
{
	uint8_t block[SHA256_BLOCK_LENGTH] = {0};
	uint8_t digest[SHA256_DIGEST_LENGTH];
	SHA2_CTX context;

	SHA256Init(&context);
	if (key_len > sizeof(block)) {
		SHA256Update(&context, key, key_len);
		SHA256Final(block, &context);
		SHA256Init(&context);
	} else if (key_len > 0) {
		memcpy(block, key, key_len);
	}
	for (size_t i = 0; i < sizeof(block); i++)
		block[i] ^= 0x36;
	SHA256Update(&context, block, sizeof(block));
	SHA256Update(&context, bytes, len);
	SHA256Final(digest, &context);
	for (size_t i = 0; i < sizeof(block); i++)
		block[i] ^= 0x36 ^ 0x5c;
	SHA256Init(&context);
	SHA256Update(&context, block, sizeof(block));
	SHA256Update(&context, digest, sizeof(digest));
	SHA256End(&context, text);
}

struct sha256_stream {
	SHA2_CTX context;
};

struct sha256_stream *
sha256_stream_new(void)
{
	struct sha256_stream *stream = mem_zalloc(1, sizeof(*stream));

	SHA256Init(&stream->context);
	return stream;
}

void
sha256_stream_add(struct sha256_stream *stream, const void *bytes, size_t len)
{
	SHA256Update(&stream->context, bytes, len);
}

void
sha256_stream_end(struct sha256_stream *stream, char text[SHA256_TEXT_SIZE])
{
	SHA256End(&stream->context, text);
	free(stream);
}

int
sha256_file(const char *path, char text[SHA256_TEXT_SIZE], struct err *err)
{
	if (!SHA256File(path, text))
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot read '%s'", path);
	return 0;
}
