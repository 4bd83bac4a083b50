#include "code/constant_text.h"
#include "code/meaning.h"

#include "unit.h"

void suite_code_meaning_data(void);

#define CHECK(bytes, address, expected) check(bytes, sizeof(bytes) - 1, address, expected)

/* `expected` is the length, -1 for what is no text. */
static void
check(const char *bytes, size_t left, uint64_t address, int expected)
{
	size_t len = 99;
	bool is_text = code_is_text((const unsigned char *)bytes, left, address, 0, &len);

	CU_ASSERT_EQUAL(is_text, expected >= 0);
	if (is_text)
		CU_ASSERT_EQUAL(len, (size_t)expected);
}

static void
test_texts(void)
{
	CHECK("hello\0world\0", 0x1001, 5);
	CHECK("gr\xc3\xbc\xc3\x9f\0", 0x1000, 6);
	CHECK("line\n\ttab\x1b[0m\0", 0x1000, 13);
	CHECK("\0more\0", 0x1001, 0);
	CHECK("\0more\0", 0x1000, 0);
	CHECK("\0\0\0\0\0\0\0\0other\0", 0x1000, 0);
	CHECK("q\0\0\0\0\0\0\0s1\0\0\0\0\0\0", 0x1000, 1);
	CHECK("s\0t\0\0\0", 0x1000, 1);
}

static void
test_others(void)
{
	CHECK("", 0x1000, -1);
	CHECK("never ends", 0x1000, -1);
	CHECK("a\x01z\0", 0x1000, -1);
	CHECK("a\xff\0", 0x1000, -1);
	CHECK("\xc3\0", 0x1000, -1);
	CHECK("A\0\0\0B\0\0\0", 0x1000, -1);
	CHECK("A\0B\0C\0", 0x1000, -1);
	CHECK("\0\0\0\0\0\0\xf0\x3f", 0x1000, -1);
}

/* The last byte of a text is one, too; a number ahead of a table is none. */
static void
test_ends(void)
{
	static const unsigned char text[] = "some text\0\1\2\3";
	static const unsigned char number[] = "\0\0\0\0\0\0Y@\0\0\0\0\1\2\3\4";
	size_t len = 99;

	CU_ASSERT_TRUE(code_is_text(text + 9, 4, 0x1000, 9, &len));
	CU_ASSERT_EQUAL(len, 0);
	CU_ASSERT_FALSE(code_is_text(text + 9, 4, 0x1000, 3, &len));
	CU_ASSERT_FALSE(code_is_text(number + 8, 8, 0x1000, 8, &len));
}

static const struct unit_case cases[] = {
	{"texts_are_taken_to_their_end", test_texts},
	{"numbers_are_no_texts", test_others},
	{"an_empty_text_may_end_another", test_ends},
	{NULL, NULL},
};

void
suite_code_meaning_data(void)
{
	unit_suite("code/meaning_data", cases);
}
