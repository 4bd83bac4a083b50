#include "profile/event_parts.h"

#include <string.h>

/* Modifiers of how a sample is taken, not of which events count: perf adds them by itself. */
#define PRECISION "pP"

static bool
is_modifiers(struct text_part text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.at[i] == '\0' || !strchr("ukhIGHpPSDWebR", text.at[i]))
			return false;
	return true;
}

struct event_parts
event_parts_of(const char *name)
{
	const char *end = name + strlen(name);
	const char *first = strchr(name, '/');
	const char *last = strrchr(name, '/');

	if (first && first != name && first != last) {
		const struct text_part modifiers = {last + 1, (size_t)(end - last) - 1};

		if (is_modifiers(modifiers))
			return (struct event_parts){{name, (size_t)(first - name)},
				{first + 1, (size_t)(last - first) - 1}, modifiers};
	}
	const char *colon = strrchr(name, ':');
	const struct text_part modifiers =
		colon && colon > name ? (struct text_part){colon + 1, (size_t)(end - colon) - 1}
				      : (struct text_part){end, 0};

	if (modifiers.len == 0 || !is_modifiers(modifiers))
		return (struct event_parts){{name, 0}, {name, (size_t)(end - name)}, {end, 0}};
	return (struct event_parts){{name, 0}, {name, (size_t)(colon - name)}, modifiers};
}

bool
text_part_is(struct text_part a, struct text_part b)
{
	return a.len == b.len && memcmp(a.at, b.at, a.len) == 0;
}

/* Whether all letters of `a` are in `b`, but for those of precision. */
static bool
are_in(struct text_part a, struct text_part b)
{
	for (size_t i = 0; i < a.len; i++)
		if (!strchr(PRECISION, a.at[i]) && !memchr(b.at, a.at[i], b.len))
			return false;
	return true;
}

bool
event_parts_same_modifiers(struct text_part a, struct text_part b)
{
	return are_in(a, b) && are_in(b, a);
}
