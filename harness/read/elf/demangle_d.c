/*
 * Demangles names of D by libiberty. Names that would take it too long are refused.
 *
 * Source: D language specification, "Application Binary Interface", section "Name Mangling".
 */
#include "base/allowance.h"
#include "base/mem.h"
#include "elf/demangle_internal.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The demangler calls itself for each level of a type: longer ones could exhaust the stack. */
#define D_NAME_BYTES_MAX 8192
/* Characters of the name that are read, each as often as it is referred to. */
#define VISITS_MAX 65536

/*
 * The reference at `at`, a 'Q' and a number in base 26 whose last digit is a small letter, counts
 * back to an earlier part; SIZE_MAX where there is none.
 */
static size_t
referred(const char *name, size_t at)
{
	uint64_t back = 0;

	for (size_t i = at + 1; isalpha((unsigned char)name[i]) && back <= at; i++) {
		const bool last = islower((unsigned char)name[i]);

		back = back * 26 + (uint64_t)(name[i] - (last ? 'a' : 'A'));
		if (last)
			return back > 0 && back <= at ? at - (size_t)back : SIZE_MAX;
	}
	return SIZE_MAX;
}

/*
 * How many characters are read in all: of a reference those from the part it refers to up to it,
 * with the references in there. Parts of identifiers may look like one, which makes it more.
 */
static uint64_t
count_visits(const char *name, size_t len)
{
	/* Up to each place, of the references before it. */
	uint64_t *sums = mem_zalloc(len + 1, sizeof(*sums));

	for (size_t at = 0; at < len; at++) {
		const size_t to = name[at] == 'Q' ? referred(name, at) : SIZE_MAX;
		uint64_t visits = 0;

		if (to != SIZE_MAX)
			visits = at - to + (sums[at] - sums[to]);
		sums[at + 1] = sums[at] + visits;
		if (sums[at + 1] > VISITS_MAX)
			sums[at + 1] = VISITS_MAX + 1;
	}
	const uint64_t visits = len + sums[len];

	free(sums);
	return visits;
}

/* "app.f!(int).f(int, char) const" -> "app.f!(int).f": brackets behind '!' are template arguments.
 */
static void
drop_d_parameters(char *text)
{
	int depth = 0;
	size_t len = strlen(text);

	while (len > 0 && text[len - 1] != ')')
		len--;
	for (size_t at = len; at-- > 0;) {
		depth += text[at] == ')';
		depth -= text[at] == '(';
		if (depth > 0)
			continue;
		if (at > 0 && text[at - 1] != '!')
			text[at] = '\0';
		return;
	}
}

char *
demangle_d(const char *name, struct allowance *allowance)
{
	const size_t len = strnlen(name, D_NAME_BYTES_MAX + 1);

	if (strcmp(name, "_Dmain") != 0 &&
		(strncmp(name, "_D", 2) != 0 || !isdigit((unsigned char)name[2])))
		return NULL;
	if (len > D_NAME_BYTES_MAX)
		return NULL;
	const uint64_t visits = count_visits(name, len);

	if (visits > VISITS_MAX || !allowance_take(allowance, visits))
		return NULL;
	char *text = dlang_demangle(name, DMGL_PARAMS);

	if (text) {
		allowance_take(allowance, strlen(text));
		drop_d_parameters(text);
	}
	return text;
}
