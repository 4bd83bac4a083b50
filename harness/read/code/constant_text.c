#include "code/constant_text.h"

#include <string.h>

/* The bytes of one character, 0 if there is none: what is printed, and what moves the cursor. */
static size_t
character(const unsigned char *bytes, size_t left)
{
	size_t more;

	if (left == 0)
		return 0;
	if ((*bytes >= 0x20 && *bytes < 0x7f) || (*bytes >= 0x07 && *bytes <= 0x0d) ||
		*bytes == 0x1b)
		return 1;
	/* UTF-8 */
	more = *bytes >= 0xc2 && *bytes <= 0xdf   ? 1
	       : *bytes >= 0xe0 && *bytes <= 0xef ? 2
	       : *bytes >= 0xf0 && *bytes <= 0xf4 ? 3
						  : 0;
	if (more == 0 || left <= more)
		return 0;
	for (size_t i = 1; i <= more; i++)
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
	return more + 1;
}

/* The length of the text at `bytes`, SIZE_MAX if it holds anything else or does not end. */
static size_t
text_len(const unsigned char *bytes, size_t left)
{
	size_t len = 0;

	while (len < left && bytes[len] != '\0') {
		size_t more = character(bytes + len, left - len);

		if (more == 0)
			return SIZE_MAX;
		len += more;
	}
	return len < left ? len : SIZE_MAX;
}

static uint32_t
word_at(const unsigned char *bytes, size_t word)
{
	uint32_t value;

	memcpy(&value, bytes + word * sizeof(value), sizeof(value));
	return value;
}

/*
 * Numbers of 2 or 4 bytes, all of them small, look like texts of one or two characters. Those of 8
 * bytes do, too, but so do short texts where the compiler aligns them, which are many.
 */
static bool
is_numbers(const unsigned char *bytes, size_t left, uint64_t address, size_t len)
{
	if (address % 4 == 0 && left >= 8 && len <= 2 && word_at(bytes, 0) <= UINT16_MAX &&
		word_at(bytes, 1) > 0 && word_at(bytes, 1) <= UINT16_MAX)
		return true;
	return address % 2 == 0 && left >= 6 && len == 1 && bytes[2] && !bytes[3] && bytes[4] &&
	       !bytes[5];
}

/*
 * Linkers make short texts the ends of longer ones; a number resembles the end of a short one at
 * most.
 */
#define TEXT_BEFORE 4
/* Nor do numbers have three such bytes and a zero where texts may begin. */
#define TEXT_BEHIND 3
#define TEXT_ALIGNMENT 8

/* Nothing but a terminator, among texts. */
static bool
is_empty(const unsigned char *bytes, size_t left, uint64_t address, size_t before)
{
	size_t seen = 0;
	size_t len;

	while (seen < TEXT_BEFORE && seen < before && character(bytes - seen - 1, 1) == 1)
		seen++;
	if (seen == TEXT_BEFORE)
		return true;
	if (address % 4 != 0)
		return true;
	/* The next text follows at once, or where the compiler aligns it. */
	for (size_t at = 1; at <= TEXT_ALIGNMENT && at < left; at++) {
		len = at == 1 || at % 4 == 0 ? text_len(bytes + at, left - at) : SIZE_MAX;
		if (len != SIZE_MAX && len >= TEXT_BEHIND)
			return true;
		if (bytes[at] != 0)
			return false;
	}
	return false;
}

bool
code_is_text(const unsigned char *bytes, size_t left, uint64_t address, size_t before, size_t *len)
{
	*len = text_len(bytes, left);
	if (*len == SIZE_MAX)
		return false;
	if (*len == 0)
		return is_empty(bytes, left, address, before);
	return !is_numbers(bytes, left, address, *len);
}
