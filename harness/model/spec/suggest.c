#include "spec/suggest.h"

#include <ctype.h>
#include <string.h>

#define NAME_MAX_COMPARED 63

static unsigned
min3(unsigned a, unsigned b, unsigned c)
{
	unsigned least = a < b ? a : b;

	return least < c ? least : c;
}

static int
same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Optimal string alignment: three rows of the usual table, the third for swaps. */
unsigned
suggest_distance(const char *a, const char *b)
{
	unsigned rows[3][NAME_MAX_COMPARED + 1];
	unsigned *before = rows[0];
	unsigned *above = rows[1];
	unsigned *row = rows[2];
	size_t a_len = strnlen(a, NAME_MAX_COMPARED);
	size_t b_len = strnlen(b, NAME_MAX_COMPARED);

	memset(rows, 0, sizeof(rows));
	for (size_t j = 0; j <= b_len; j++)
		above[j] = (unsigned)j;
	for (size_t i = 1; i <= a_len; i++) {
		row[0] = (unsigned)i;
		for (size_t j = 1; j <= b_len; j++) {
			row[j] = min3(above[j] + 1, row[j - 1] + 1,
				above[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1));
			if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) &&
				same(a[i - 2], b[j - 1]) && before[j - 2] + 1 < row[j])
				row[j] = before[j - 2] + 1;
		}
		unsigned *oldest = before;

		before = above;
		above = row;
		row = oldest;
	}
	return above[b_len];
}

const char *
suggest_nearest(const char *name, const char *const *names, size_t nnames)
{
	size_t len = strnlen(name, NAME_MAX_COMPARED);
	unsigned allowed = len / 3 > 2 ? (unsigned)(len / 3) : 2;
	const char *nearest = NULL;

	for (size_t i = 0; i < nnames; i++) {
		unsigned distance = suggest_distance(name, names[i]);

		/* As many edits as letters would turn any name into any other. */
		if (distance <= allowed && distance < len && distance < strlen(names[i])) {
			nearest = names[i];
			allowed = distance > 0 ? distance - 1 : 0;
			if (distance == 0)
				break;
		}
	}
	return nearest;
}
