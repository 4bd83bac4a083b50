/*
 * Compresses generated text with zstd at a fast, a usual and a high level, and takes it apart
 * again.
 */
#include "support.h"

#include <zstd.h>

#define TEXT_BYTES ((size_t)1 << 20)

/* Words of a small vocabulary, the common ones far more often, as in a log or a source file. */
static KEPT void
make_text(char *text)
{
	static const char vocabulary[] =
		"sample frame stack function weight profile run cost share "
		"baseline verdict gate kernel address symbol module ";
	uint64_t random = 3;
	size_t used = 0;

	while (used < TEXT_BYTES) {
		uint64_t pick = random_next(&random);
		size_t start = (pick % 64) * (pick >> 32 & 1) + (pick >> 40) % 40;
		size_t len = 4 + (pick >> 50) % 12;

		if (pick % 7 == 0) {
			text[used++] = (char)('0' + (pick >> 20) % 10);
			continue;
		}
		if (len > TEXT_BYTES - used)
			len = TEXT_BYTES - used;
		memcpy(text + used, vocabulary + start, len);
		used += len;
	}
}

static KEPT size_t
compress_text(ZSTD_CCtx *context, char *packed, size_t capacity, const char *text, int level)
{
	return ZSTD_compressCCtx(context, packed, capacity, text, TEXT_BYTES, level);
}

static KEPT size_t
decompress_text(ZSTD_DCtx *context, char *out, const char *packed, size_t len)
{
	return ZSTD_decompressDCtx(context, out, TEXT_BYTES, packed, len);
}

int
main(int argc, char **argv)
{
	static const int levels[] = {1, 3, 7};
	unsigned long rounds = rounds_option(argc, argv, 36);
	size_t capacity = ZSTD_compressBound(TEXT_BYTES);
	char *text = malloc(TEXT_BYTES);
	char *unpacked = malloc(TEXT_BYTES);
	char *packed = malloc(capacity);
	ZSTD_CCtx *compressor = ZSTD_createCCtx();
	ZSTD_DCtx *decompressor = ZSTD_createDCtx();

	expect_true("out of memory", text && unpacked && packed && compressor && decompressor);
	make_text(text);
	for (unsigned long i = 0; i < rounds; i++) {
		for (size_t l = 0; l < sizeof levels / sizeof levels[0]; l++) {
			size_t len = compress_text(compressor, packed, capacity, text, levels[l]);

			expect_true("the text does not compress",
				!ZSTD_isError(len) && len < TEXT_BYTES / 2);
			for (int again = 0; again < 3; again++)
				expect_u64("unpacked bytes",
					decompress_text(decompressor, unpacked, packed, len),
					TEXT_BYTES);
			expect_true("the text changed", memcmp(text, unpacked, TEXT_BYTES) == 0);
		}
	}
	ZSTD_freeCCtx(compressor);
	ZSTD_freeDCtx(decompressor);
	free(text);
	free(unpacked);
	free(packed);
	return 0;
}
