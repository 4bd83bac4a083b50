#include "analysis/crosscheck_name.h"

#include <stdbool.h>
#include <string.h>

/*
 * How the part of the name begins that says for which processors it is: sysdeps/x86_64/multiarch
 * and sysdeps/aarch64/multiarch of glibc.
 */
static const char *const kinds[] = {"_sse", "_ssse", "_avx", "_evex", "_fma", "_erms", "_generic",
	"_neon", "_sve", "_asimd", "_zva", "_mops", "_a64fx", "_thunderx", "_falkor"};

static bool
is_kind(const char *at)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const size_t len = strlen(kinds[i]);

		/* The terminator is found, too. */
		if (strncmp(at, kinds[i], len) == 0 && strchr("_0123456789", at[len]))
			return true;
	}
	return false;
}

/* Copies as one function have one entry: memcpy() is allowed to do what memmove() does. */
static size_t
put(const char *base, size_t len, char *common, size_t size)
{
	static const char *const copies[] = {"memcpy", "mempcpy"};

	for (size_t i = 0; i < sizeof(copies) / sizeof(copies[0]); i++) {
		if (strlen(copies[i]) == len && strncmp(base, copies[i], len) == 0) {
			base = "memmove";
			len = strlen(base);
		}
	}
	if (len >= size)
		return 0;
	memcpy(common, base, len);
	common[len] = '\0';
	return len;
}

size_t
crosscheck_common_name(const char *name, char *common, size_t size)
{
	const char *base = name + 2;

	if (strncmp(name, "__", 2) != 0 ||
		base[strspn(base, "abcdefghijklmnopqrstuvwxyz0123456789_")] != '\0')
		return 0;
	for (const char *at = strchr(base, '_'); at; at = strchr(at + 1, '_'))
		if (at > base && is_kind(at))
			return put(base, (size_t)(at - base), common, size);
	return 0;
}

size_t
crosscheck_event_len(const char *event)
{
	const char *modifiers = strrchr(event, ':');

	if (!modifiers || modifiers[1] == '\0' ||
		modifiers[1 + strspn(modifiers + 1, "pPH")] != '\0')
		return strlen(event);
	return (size_t)(modifiers - event);
}
