#include "profile/folded_header.h"

#include "profile/fields.h"

#include <ctype.h>
#include <string.h>

size_t
folded_header_key_len(const char *line, size_t len)
{
	size_t n = 2;

	if (len < 5 || line[0] != '#' || line[1] != ' ')
		return 0;
	while (n < len && (islower((unsigned char)line[n]) || line[n] == '_'))
		n++;
	if (n == 2 || n + 1 >= len || line[n] != ':' || line[n + 1] != ' ')
		return 0;
	return n - 2;
}

static bool
key_is(const char *line, size_t key_len, const char *key)
{
	return strlen(key) == key_len && memcmp(line + 2, key, key_len) == 0;
}

bool
folded_header_is_known(const char *line, size_t key_len)
{
	for (const struct field *field = profile_fields; field->name; field++)
		if ((field->files & FIELD_FOLDED) && key_is(line, key_len, field->name))
			return true;
	return key_is(line, key_len, "runs") || key_is(line, key_len, "frequency");
}
