/*
 * git's diff: any bytes. Each hunk has its changed lines in order, and an excerpt is of whole lines
 * and within its limits.
 */
#include "builds/diff_hunks.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(bool good)
{
	if (!good)
		abort();
}

static void
check_excerpt(const struct diff_hunk *hunk)
{
	const struct diff_excerpt wanted = {.from = hunk->first,
		.to = hunk->last,
		.near = hunk->last,
		.most_lines = 4,
		.most_bytes = 60};
	struct buf out = {0};
	bool cut;
	size_t lines = 0;

	diff_hunk_put(hunk, &wanted, &out, &cut);
	for (size_t i = 0; i < out.len; i++)
		lines += out.data[i] == '\n';
	check(lines <= wanted.most_lines && out.len <= wanted.most_bytes);
	check(out.len == 0 || out.data[out.len - 1] == '\n');
	check(cut || out.len <= strlen(hunk->text) + 1);
	buf_release(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diff_hunks hunks = {0};

	diff_hunks_parse(&hunks, (const char *)data, size);
	for (size_t i = 0; i < hunks.count; i++) {
		const struct diff_hunk *hunk = &hunks.hunks[i];

		check(hunk->begin > 0 && hunk->begin <= hunk->first && hunk->first <= hunk->last);
		check(hunk->path && strlen(hunk->text) <= size);
		check_excerpt(hunk);
	}
	diff_hunks_release(&hunks);
	return 0;
}
