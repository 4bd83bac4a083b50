#include "ingest/ingest_internal.h"

#include "unit.h"

#include <string.h>

void suite_ingest_utf16(void);

#define LEN(text) (sizeof(text) - 1)

static void
expect(const char *bytes, size_t len, const char *text)
{
	struct buf out = {0};

	CU_ASSERT(utf16_is(bytes, len));
	utf16_decode(bytes, len, &out);
	UNIT_STR_EQ(buf_text(&out), text);
	buf_release(&out);
}

#define EXPECT(bytes, text) expect(bytes, LEN(bytes), text)

static void
test_orders(void)
{
	EXPECT("\xff\xfe"
	       "a\0;\0b\0 \0"
	       "2\0\n\0",
		"a;b 2\n");
	EXPECT("\xfe\xff\0a\0;\0b\0 \0"
	       "2\0\n",
		"a;b 2\n");
	EXPECT("a\0;\0b\0 \0"
	       "2\0\r\0\n\0b\0",
		"a;b 2\r\nb");
	EXPECT("\0a\0;\0b\0 \0"
	       "2\0\r\0\n\0b",
		"a;b 2\r\nb");
	EXPECT("\xff\xfe", "");
}

static void
test_characters(void)
{
	EXPECT("\xff\xfe\xe9\x00\xac\x20\x3d\xd8\x00\xde", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
	/* Halves of pairs, and of a unit. */
	EXPECT("\xff\xfe\x3d\xd8"
	       "a\0\x00\xde"
	       "b\0c",
		"\xef\xbf\xbd"
		"a\xef\xbf\xbd"
		"b\xef\xbf\xbd");
	EXPECT("\xff\xfe\x3d\xd8", "\xef\xbf\xbd");
}

static void
test_others(void)
{
	static const char perf[] = "PERFILE2h\0\0\0\0\0\0\0";
	static const char pprof[] = "\x0a\0\x12\0\x12\0\x12\0\x12\0\x12\0\x12\0\x12\0\x12\0";

	CU_ASSERT(!utf16_is("", 0));
	CU_ASSERT(!utf16_is("\xff", 1));
	CU_ASSERT(!utf16_is("a;b 2\na;c 3\na;d 4\n", 18));
	CU_ASSERT(!utf16_is("a\0;\0b\0", 6));
	CU_ASSERT(!utf16_is(perf, LEN(perf)));
	CU_ASSERT(!utf16_is(pprof, LEN(pprof)));
}

static const struct unit_case cases[] = {
	{"both_orders_are_read_with_and_without_a_mark", test_orders},
	{"characters_are_written_in_utf8", test_characters},
	{"other_bytes_are_not_taken", test_others},
	{NULL, NULL},
};

void
suite_ingest_utf16(void)
{
	unit_suite("ingest/utf16", cases);
}
