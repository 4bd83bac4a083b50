#include "base/unit.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#define KIB 1024.0
#define MICRO_SIGN "\xc2\xb5"
#define GREEK_MU "\xce\xbc"

/* clang-format off */
const struct unit units[] = {
	{"ns", UNIT_NS, 1, true},
	{"us", UNIT_NS, 1e3, true},
	{"ms", UNIT_NS, 1e6, true},
	{"s", UNIT_NS, 1e9, true},
	{"min", UNIT_NS, 60e9, false},
	{"hr", UNIT_NS, 3600e9, false},
	{"B", UNIT_BYTES, 1, true},
	{"KiB", UNIT_BYTES, KIB, true},
	{"MiB", UNIT_BYTES, KIB * KIB, true},
	{"GiB", UNIT_BYTES, KIB * KIB * KIB, true},
	{"TiB", UNIT_BYTES, KIB * KIB * KIB * KIB, true},
	{NULL, NULL, 0, false},
};

/* Without the "s" of a plural. */
static const struct {
	const char *text;
	const char *name;
} spellings[] = {
	{"nanosecond", "ns"}, {"nsec", "ns"},
	{"microsecond", "us"}, {"usec", "us"}, {MICRO_SIGN "s", "us"}, {GREEK_MU "s", "us"},
	{"millisecond", "ms"}, {"msec", "ms"},
	{"second", "s"}, {"sec", "s"},
	{"minute", "min"}, {"hour", "hr"}, {"h", "hr"},
	{"byte", "B"},
	{"kilobyte", "KiB"}, {"kibibyte", "KiB"}, {"kbyte", "KiB"}, {"kb", "KiB"},
	{"megabyte", "MiB"}, {"mebibyte", "MiB"}, {"mbyte", "MiB"}, {"mb", "MiB"},
	{"gigabyte", "GiB"}, {"gibibyte", "GiB"}, {"gbyte", "GiB"}, {"gb", "GiB"},
	{"terabyte", "TiB"}, {"tebibyte", "TiB"}, {"tbyte", "TiB"}, {"tb", "TiB"},
};
/* clang-format on */

static const struct unit *
named(const char *name, size_t len)
{
	for (const struct unit *unit = units; unit->name; unit++)
		if (strlen(unit->name) == len && strncasecmp(unit->name, name, len) == 0)
			return unit;
	return NULL;
}

static const struct unit *
spelled(const char *text, size_t len)
{
	for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++)
		if (strlen(spellings[i].text) == len &&
			strncasecmp(spellings[i].text, text, len) == 0)
			return named(spellings[i].name, strlen(spellings[i].name));
	return NULL;
}

const struct unit *
unit_find(const char *text, size_t len)
{
	const struct unit *unit = named(text, len);

	if (!unit)
		unit = spelled(text, len);
	if (!unit && len > 2 && (text[len - 1] == 's' || text[len - 1] == 'S'))
		unit = spelled(text, len - 1);
	return unit;
}

const struct unit *
unit_of_setting(const char *text, size_t len)
{
	if (len == 1 && (*text == 'm' || *text == 'h'))
		return *text == 'm' ? named("min", 3) : named("hr", 2);
	const struct unit *unit = named(text, len);

	return unit && memcmp(unit->name, text, len) == 0 ? unit : NULL;
}
