#include "base/sha256.h"

#include "unit.h"

#include <string.h>

void suite_base_sha256(void);

/* The example of FIPS 180-4. */
static void
sha256_is_that_of_the_standard(void)
{
	char text[SHA256_TEXT_SIZE];

	sha256_text("abc", 3, text);
	UNIT_STR_EQ(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

/* RFC 4231, test cases 2 and 6. */
static void
hmac_is_that_of_its_standard(void)
{
	char key[131];
	char text[SHA256_TEXT_SIZE];
	const char *data = "what do ya want for nothing?";
	const char *longer = "Test Using Larger Than Block-Size Key - Hash Key First";

	hmac_sha256("Jefe", 4, data, strlen(data), text);
	UNIT_STR_EQ(text, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
	memset(key, 0xaa, sizeof(key));
	hmac_sha256(key, sizeof(key), longer, strlen(longer), text);
	UNIT_STR_EQ(text, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

static void
pieces_give_the_digest_of_the_whole(void)
{
	char whole[SHA256_TEXT_SIZE];
	char text[SHA256_TEXT_SIZE];
	struct sha256_stream *stream = sha256_stream_new();

	sha256_text("abcdef", 6, whole);
	sha256_stream_add(stream, "abc", 3);
	sha256_stream_add(stream, "def", 3);
	sha256_stream_end(stream, text);
	UNIT_STR_EQ(text, whole);
}

void
suite_base_sha256(void)
{
	static const struct unit_case cases[] = {
		{"sha256_is_that_of_the_standard", sha256_is_that_of_the_standard},
		{"hmac_is_that_of_its_standard", hmac_is_that_of_its_standard},
		{"pieces_give_the_digest_of_the_whole", pieces_give_the_digest_of_the_whole},
		{NULL, NULL},
	};

	unit_suite("base/sha256", cases);
}
