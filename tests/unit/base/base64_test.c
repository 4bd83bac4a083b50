#include "base/base64.h"

#include "unit.h"

#include <string.h>

void suite_base_base64(void);

/* RFC 4648, section 10. */
static void
bytes_and_text_are_those_of_the_standard(void)
{
	static const char *const pairs[][2] = {{"", ""}, {"f", "Zg=="}, {"fo", "Zm8="},
		{"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="},
		{"foobar", "Zm9vYmFy"}, {"\xfb\xff\xbf", "+/+/"}};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		struct buf text = {0};
		struct buf bytes = {0};

		base64_put(&text, pairs[i][0], strlen(pairs[i][0]));
		UNIT_STR_EQ(buf_text(&text), pairs[i][1]);
		base64_read(&bytes, pairs[i][1], strlen(pairs[i][1]));
		UNIT_STR_EQ(buf_text(&bytes), pairs[i][0]);
		buf_release(&text);
		buf_release(&bytes);
	}
}

static void
other_text_ends_it(void)
{
	struct buf bytes = {0};

	base64_read(&bytes, "Zm9v\nYg==", 9);
	UNIT_STR_EQ(buf_text(&bytes), "foo");
	buf_clear(&bytes);
	base64_read(&bytes, "Zm\0v", 4);
	UNIT_STR_EQ(buf_text(&bytes), "f");
	buf_release(&bytes);
}

void
suite_base_base64(void)
{
	static const struct unit_case cases[] = {
		{"bytes_and_text_are_those_of_the_standard",
			bytes_and_text_are_those_of_the_standard},
		{"other_text_ends_it", other_text_ends_it},
		{NULL, NULL},
	};

	unit_suite("base/base64", cases);
}
