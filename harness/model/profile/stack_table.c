#include "profile/stack_table.h"

#include "base/mem.h"
#include "profile/folded_header.h"

#include <stdlib.h>

struct table_writer {
	const struct profile *profile;
	uint32_t *numbers; /* by frame; 0: it has none yet */
	uint32_t nframes;
	size_t nstacks;
	node_id *path; /* from the root's child down to the current node */
	size_t depth;
	size_t path_capacity;
	size_t shared; /* of the path, nodes of the stack written last */
	struct buf names;
	struct buf stacks;
	struct buf weights; /* of a stack */
};

/* Empty where the node has no weight in any run. */
static void
put_weights(struct table_writer *writer, node_id node)
{
	struct buf *out = &writer->weights;
	size_t skipped = 0;

	buf_clear(out);
	for (size_t run = 0; run < writer->profile->nruns; run++) {
		const double weight = ctree_weight(&writer->profile->tree, run, node);

		if (!(weight > 0)) {
			skipped++;
			continue;
		}
		buf_putc(out, out->len > 0 ? ' ' : '|');
		if (skipped > 0)
			buf_printf(out, "-%zu ", skipped);
		skipped = 0;
		buf_put_number(out, weight);
	}
}

static uint32_t
number_of(struct table_writer *writer, frame_id frame)
{
	uint32_t *number = &writer->numbers[frame];

	if (*number == 0) {
		*number = ++writer->nframes;
		profile_put_frame(writer->profile, frame, &writer->names);
		buf_putc(&writer->names, '\n');
	}
	return *number;
}

static void
put_stack(struct table_writer *writer)
{
	const struct ctree_node *nodes = writer->profile->tree.nodes;

	put_weights(writer, writer->path[writer->depth - 1]);
	if (writer->weights.len == 0)
		return;
	buf_put_number(&writer->stacks, (double)writer->shared);
	for (size_t i = writer->shared; i < writer->depth; i++) {
		buf_putc(&writer->stacks, ' ');
		buf_put_number(
			&writer->stacks, (double)number_of(writer, nodes[writer->path[i]].frame));
	}
	buf_put(&writer->stacks, writer->weights.data, writer->weights.len);
	buf_putc(&writer->stacks, '\n');
	writer->shared = writer->depth;
	writer->nstacks++;
}

/* No recursion, whatever the depth. */
static void
put_stacks(struct table_writer *writer)
{
	const struct ctree_node *nodes = writer->profile->tree.nodes;
	node_id node = nodes[CTREE_ROOT].first_child;

	while (node != CTREE_NONE) {
		writer->path = mem_grow(writer->path, &writer->path_capacity, writer->depth + 1,
			sizeof(*writer->path));
		writer->path[writer->depth++] = node;
		put_stack(writer);
		node_id next = nodes[node].first_child;

		while (next == CTREE_NONE && writer->depth > 0) {
			next = nodes[writer->path[--writer->depth]].next_sibling;
			if (writer->shared > writer->depth)
				writer->shared = writer->depth;
		}
		node = next;
	}
}

void
stack_table_write(const struct profile *profile, struct buf *out)
{
	struct table_writer writer = {
		.profile = profile,
		.numbers = mem_zalloc(profile->frames.nframes, sizeof(*writer.numbers)),
	};

	put_stacks(&writer);
	buf_puts(out, "# profile_run stacks 1\n");
	folded_header_write(profile, out);
	buf_printf(out, "frames %u\n", writer.nframes);
	buf_put(out, buf_text(&writer.names), writer.names.len);
	buf_printf(out, "stacks %zu\n", writer.nstacks);
	buf_put(out, buf_text(&writer.stacks), writer.stacks.len);
	buf_release(&writer.weights);
	buf_release(&writer.stacks);
	buf_release(&writer.names);
	free(writer.path);
	free(writer.numbers);
}
