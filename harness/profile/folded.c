#include "profile/folded.h"

#include "base/escape.h"
#include "base/mem.h"
#include "profile/folded_header.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void
write_header(const struct profile *profile, struct buf *out)
{
	buf_printf(out, "# runs: %zu\n", profile->nruns);
	for (const struct folded_key *key = folded_keys; key->key; key++) {
		str_id id = *folded_key_slot((struct profile *)profile, key);

		if (id == 0)
			continue;
		buf_printf(out, "# %s: ", key->key);
		for (const char *c = strtab_str(&profile->strings, id); *c; c++)
			buf_putc(out, iscntrl((unsigned char)*c) ? '?' : *c);
		buf_putc(out, '\n');
	}
	if (profile->frequency_hz > 0) {
		buf_puts(out, "# frequency: ");
		buf_put_number(out, profile->frequency_hz);
		buf_putc(out, '\n');
	}
}

static void
write_weights(const struct profile *profile, node_id node, const double *sums, struct buf *out)
{
	if (sums) {
		buf_putc(out, ' ');
		buf_put_number(out, sums[node]);
		return;
	}
	for (size_t run = 0; run < profile->nruns; run++) {
		buf_putc(out, ' ');
		buf_put_number(out, ctree_weight(&profile->tree, run, node));
	}
}

static bool
has_weight(const struct profile *profile, node_id node)
{
	for (size_t run = 0; run < profile->nruns; run++) {
		if (ctree_weight(&profile->tree, run, node) > 0)
			return true;
	}
	return false;
}

/*
 * Walks the tree with the stack's text in `path`, each node's frame appended on the way down and
 * cut off on the way up: no recursion, whatever the depth.
 */
void
folded_write(const struct profile *profile, enum folded_columns columns, struct buf *out)
{
	const struct ctree_node *nodes = profile->tree.nodes;
	double *sums = NULL;
	struct buf path = {0};
	node_id node = nodes[CTREE_ROOT].first_child;
	bool first = true;

	if (columns == FOLDED_RUNS) {
		write_header(profile, out);
	} else {
		sums = mem_zalloc(profile->tree.nnodes, sizeof(*sums));
		ctree_sum(&profile->tree, 0, profile->nruns, sums);
	}
	size_t *starts = mem_zalloc(profile->tree.nnodes, sizeof(*starts));

	while (node != CTREE_NONE) {
		starts[node] = path.len;
		if (path.len > 0)
			buf_putc(&path, ';');
		profile_put_frame(profile, nodes[node].frame, &path);
		if (has_weight(profile, node)) {
			if (first && path.len > 1 && memcmp(path.data, "# ", 2) == 0)
				buf_putc(out, '\n');
			first = false;
			buf_put(out, path.data, path.len);
			write_weights(profile, node, sums, out);
			buf_putc(out, '\n');
		}
		node_id next = nodes[node].first_child;

		while (next == CTREE_NONE && node != CTREE_ROOT) {
			path.len = starts[node];
			next = nodes[node].next_sibling;
			node = nodes[node].parent;
		}
		node = next;
	}
	free(starts);
	free(sums);
	buf_release(&path);
}
