#include "base/sha256.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/base16.h>
#include <nettle/hmac.h>
#include <nettle/sha2.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

/* Of a file, at a time. */
#define READ_BYTES 65536

struct sha256_stream {
	struct sha256_ctx context;
};

static void
put_text(char text[SHA256_TEXT_SIZE], const uint8_t digest[SHA256_DIGEST_SIZE])
{
	base16_encode_update(text, SHA256_DIGEST_SIZE, digest);
	text[SHA256_TEXT_SIZE - 1] = '\0';
}

static void
finish(struct sha256_ctx *context, char text[SHA256_TEXT_SIZE])
{
	uint8_t digest[SHA256_DIGEST_SIZE];

	sha256_digest(context, sizeof(digest), digest);
	put_text(text, digest);
}

void
sha256_text(const void *bytes, size_t len, char text[SHA256_TEXT_SIZE])
{
	struct sha256_ctx context;

	sha256_init(&context);
	sha256_update(&context, len, bytes);
	finish(&context, text);
}

void
hmac_sha256(
	const void *key, size_t key_len, const void *bytes, size_t len, char text[SHA256_TEXT_SIZE])
{
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct hmac_sha256_ctx context;

	hmac_sha256_set_key(&context, key_len, key);
	hmac_sha256_update(&context, len, bytes);
	hmac_sha256_digest(&context, sizeof(digest), digest);
	put_text(text, digest);
}

struct sha256_stream *
sha256_stream_new(void)
{
	struct sha256_stream *stream = mem_zalloc(1, sizeof(*stream));

	sha256_init(&stream->context);
	return stream;
}

void
sha256_stream_add(struct sha256_stream *stream, const void *bytes, size_t len)
{
	sha256_update(&stream->context, len, bytes);
}

void
sha256_stream_end(struct sha256_stream *stream, char text[SHA256_TEXT_SIZE])
{
	finish(&stream->context, text);
	free(stream);
}

/* 0, or errno. */
static int
add_file(struct sha256_ctx *context, int fd)
{
	unsigned char *bytes = mem_zalloc(READ_BYTES, 1);
	ssize_t len;

	do {
		len = read(fd, bytes, READ_BYTES);
		if (len > 0)
			sha256_update(context, (size_t)len, bytes);
	} while (len > 0 || (len < 0 && errno == EINTR));

	const int error = len < 0 ? errno : 0;

	free(bytes);
	return error;
}

int
sha256_file(const char *path, char text[SHA256_TEXT_SIZE], struct err *err)
{
	struct sha256_ctx context;
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	int error = fd < 0 ? errno : 0;

	if (fd >= 0) {
		sha256_init(&context);
		error = add_file(&context, fd);
		close(fd);
	}
	if (error)
		return err_set_errno(err, ERR_SYSTEM, error, "cannot read '%s'", path);
	finish(&context, text);
	return 0;
}
