#include "perfdata/timeline.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Where each ordered stretch starts, and at last `count`. Returns how many stretches. */
static size_t
find_stretches(const struct moment *moments, size_t count, size_t **starts)
{
	size_t capacity = 0;
	size_t nstarts = 1;

	*starts = mem_grow(NULL, &capacity, 2, sizeof(**starts));
	for (size_t i = 1; i < count; i++) {
		if (moments[i].time_ns >= moments[i - 1].time_ns)
			continue;
		*starts = mem_grow(*starts, &capacity, nstarts + 2, sizeof(**starts));
		(*starts)[nstarts++] = i;
	}
	(*starts)[nstarts] = count;
	return nstarts;
}

static void
merge(const struct moment *from, size_t left, size_t middle, size_t right, struct moment *to)
{
	size_t a = left;
	size_t b = middle;

	for (size_t i = left; i < right; i++) {
		if (a < middle && (b >= right || from[a].time_ns <= from[b].time_ns))
			to[i] = from[a++];
		else
			to[i] = from[b++];
	}
}

void
timeline_sort(struct moment *moments, size_t count)
{
	size_t *starts;
	size_t nstretches = find_stretches(moments, count, &starts);
	struct moment *from = moments;
	struct moment *to = nstretches > 1 ? mem_zalloc(count, sizeof(*to)) : NULL;
	struct moment *scratch = to;

	while (nstretches > 1) {
		size_t merged = 0;

		for (size_t i = 0; i < nstretches; i += 2) {
			size_t middle = starts[i + 1];
			size_t right = i + 2 <= nstretches ? starts[i + 2] : middle;

			merge(from, starts[i], middle, right, to);
			starts[merged++] = starts[i];
		}
		starts[merged] = count;
		nstretches = merged;

		struct moment *swap = from;

		from = to;
		to = swap;
	}
	if (from != moments)
		memcpy(moments, from, count * sizeof(*moments));
	free(scratch);
	free(starts);
}
