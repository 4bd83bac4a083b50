#include "gate/gate_bases.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void
gate_bases_release(struct gate_bases *bases)
{
	for (size_t i = 0; i < bases->nsides; i++) {
		build_side_release(bases->sides[i]);
		free(bases->sides[i]);
	}
	free(bases->sides);
	*bases = (struct gate_bases){0};
}

const struct build_side *
gate_bases_open(struct gate_bases *bases, const struct repository *repository, const char *commit,
	struct err *err)
{
	for (size_t i = 0; i < bases->nsides; i++) {
		if (strcmp(bases->sides[i]->commit, commit) == 0)
			return bases->sides[i];
	}
	struct build_side *side = mem_zalloc(1, sizeof(*side));

	if (build_side_of_commit(side, repository, commit, err) < 0) {
		free(side);
		return NULL;
	}
	bases->sides = mem_grow(
		bases->sides, &bases->capacity, bases->nsides + 1, sizeof(struct build_side *));
	bases->sides[bases->nsides++] = side;
	return side;
}
