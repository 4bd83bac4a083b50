#include "profile/profile.h"

#include "base/escape.h"
#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void
profile_init(struct profile *profile)
{
	*profile = (struct profile){0};
	strtab_init(&profile->strings);
	frame_table_init(&profile->frames);
	ctree_init(&profile->tree);
}

void
profile_release(struct profile *profile)
{
	ctree_release(&profile->tree);
	frame_table_release(&profile->frames);
	strtab_release(&profile->strings);
	free(profile->runs);
	*profile = (struct profile){0};
}

size_t
profile_add_run(struct profile *profile)
{
	profile->runs = mem_grow(
		profile->runs, &profile->runs_capacity, profile->nruns + 1, sizeof(*profile->runs));
	profile->runs[profile->nruns] = (struct run){0};
	profile->nruns++;
	return ctree_add_column(&profile->tree);
}

frame_id
profile_frame(struct profile *profile, const char *name, size_t len, enum frame_kind kind)
{
	return frame_intern(&profile->frames, strtab_intern(&profile->strings, name, len), kind);
}

frame_id
profile_frame_text(struct profile *profile, const char *text, size_t len)
{
	enum frame_kind kind = frame_parse_kind(text, &len);

	return profile_frame(profile, text, len, kind);
}

const char *
profile_frame_name(const struct profile *profile, frame_id frame)
{
	return strtab_str(&profile->strings, profile->frames.frames[frame].name);
}

void
profile_put_frame(const struct profile *profile, frame_id frame, struct buf *out)
{
	const struct frame *f = &profile->frames.frames[frame];

	escape_folded(out, strtab_str(&profile->strings, f->name),
		strtab_len(&profile->strings, f->name));
	buf_puts(out, frame_kind_suffix(f->kind));
}

int
profile_compare_frames(const struct profile *profile, frame_id a, frame_id b)
{
	enum frame_kind x = profile->frames.frames[a].kind;
	enum frame_kind y = profile->frames.frames[b].kind;
	int by_name = strcmp(profile_frame_name(profile, a), profile_frame_name(profile, b));

	return by_name != 0 ? by_name : (x > y) - (x < y);
}

double
profile_column_total(const struct profile *profile, size_t column)
{
	double total = 0;

	for (size_t node = 0; node < profile->tree.nnodes; node++)
		total += ctree_weight(&profile->tree, column, (node_id)node);
	return total;
}

double
profile_total(const struct profile *profile)
{
	double total = 0;

	for (size_t run = 0; run < profile->nruns; run++)
		total += profile_column_total(profile, run);
	return total;
}

str_id
profile_copy_string(struct profile *into, const struct profile *from, str_id id)
{
	return strtab_intern(
		&into->strings, strtab_str(&from->strings, id), strtab_len(&from->strings, id));
}

size_t
profile_nlabels(const struct profile *profile)
{
	const char *by = strtab_str(&profile->strings, profile->by);
	size_t count = 1;

	/* Folded text has the process at the root, too. */
	for (; (by = strchr(by, ',')) != NULL; by++)
		count++;
	return count;
}

void
profile_describe(struct profile *into, const struct profile *from)
{
	str_id *const mine[] = {&into->workload, &into->command, &into->event, &into->metric,
		&into->unit, &into->weight, &into->cost_unit, &into->callgraph,
		&into->callgraph_why, &into->host, &into->operations, &into->files, &into->code,
		&into->missing, &into->unsteady, &into->cpu_choice, &into->variants};
	const str_id theirs[] = {from->workload, from->command, from->event, from->metric,
		from->unit, from->weight, from->cost_unit, from->callgraph, from->callgraph_why,
		from->host, from->operations, from->files, from->code, from->missing,
		from->unsteady, from->cpu_choice, from->variants};

	for (size_t i = 0; i < sizeof(mine) / sizeof(mine[0]); i++) {
		if (*mine[i] == 0)
			*mine[i] = profile_copy_string(into, from, theirs[i]);
	}
	if (into->stack_bytes == 0)
		into->stack_bytes = from->stack_bytes;
	if (into->frequency_hz <= 0)
		into->frequency_hz = from->frequency_hz;
	if (into->started == 0 || (from->started != 0 && from->started < into->started))
		into->started = from->started;
	into->duration_s += from->duration_s;
}

void
profile_init_brief(struct profile *brief, const struct profile *profile)
{
	profile_init(brief);
	profile_describe(brief, profile);
	brief->by = profile_copy_string(brief, profile, profile->by);
	for (size_t i = 0; i < profile->nruns; i++) {
		const size_t column = profile_add_run(brief);

		brief->runs[column] = profile->runs[i];
		ctree_set(&brief->tree, column, CTREE_ROOT, profile_column_total(profile, i));
	}
}

void
profile_shorten_names(struct profile *profile)
{
	str_id *const names[] = {&profile->workload, &profile->event, &profile->metric,
		&profile->unit, &profile->cost_unit, &profile->by};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *name = strtab_str(&profile->strings, *names[i]);
		size_t len = PROFILE_NAME_MAX;

		if (strlen(name) <= len)
			continue;
		while (len > 0 && ((unsigned char)name[len] & 0xc0) == 0x80)
			len--;
		char *head = mem_dup(name, len);

		*names[i] = strtab_intern(&profile->strings, head, len);
		free(head);
	}
}

void
profile_place_frame(struct profile *into, frame_id frame, const struct profile *from,
	const struct frame *theirs, bool anew)
{
	struct frame *mine = &into->frames.frames[frame];

	if (theirs->module != 0 && (anew || mine->module == 0)) {
		mine->module = profile_copy_string(into, from, theirs->module);
		mine->build_id = profile_copy_string(into, from, theirs->build_id);
	}
	if (theirs->file != 0 && (anew || mine->file == 0)) {
		mine->file = profile_copy_string(into, from, theirs->file);
		mine->line = theirs->line;
	}
}

static frame_id
append_frame(struct profile *into, const struct profile *from, frame_id frame, bool anew)
{
	const struct frame *theirs = &from->frames.frames[frame];
	const frame_id id = frame_intern(
		&into->frames, profile_copy_string(into, from, theirs->name), theirs->kind);
	struct frame *mine = &into->frames.frames[id];

	if (mine->full == 0)
		mine->full = profile_copy_string(into, from, theirs->full);
	profile_place_frame(into, id, from, theirs, anew);
	return id;
}

frame_id *
profile_append_frames(struct profile *into, const struct profile *from, bool anew)
{
	frame_id *map = mem_zalloc(from->frames.nframes, sizeof(*map));

	for (size_t i = 1; i < from->frames.nframes; i++)
		map[i] = append_frame(into, from, (frame_id)i, anew);
	return map;
}

size_t
profile_append_runs(struct profile *into, const struct profile *from, const node_id *nodes)
{
	size_t first = into->nruns;

	for (size_t run = 0; run < from->nruns; run++) {
		size_t column = profile_add_run(into);

		into->runs[column] = from->runs[run];
		ctree_reserve(&into->tree, column);
		for (size_t i = 0; i < from->tree.nnodes; i++) {
			double weight = ctree_weight(&from->tree, run, (node_id)i);

			if (weight > 0)
				ctree_add(&into->tree, column, nodes[i], weight);
		}
	}
	return first;
}

size_t
profile_append(struct profile *into, const struct profile *from)
{
	frame_id *frames = profile_append_frames(into, from, false);
	node_id *nodes = mem_zalloc(from->tree.nnodes, sizeof(*nodes));

	profile_describe(into, from);
	for (size_t i = 1; i < from->tree.nnodes; i++) {
		const struct ctree_node *node = &from->tree.nodes[i];

		nodes[i] = ctree_child_near(
			&into->tree, nodes[node->parent], frames[node->frame], nodes[i - 1] + 1);
	}
	size_t first = profile_append_runs(into, from, nodes);

	free(nodes);
	free(frames);
	return first;
}

/* By node, whether it or one below it has a weight. */
static bool *
find_used(const struct ctree *tree)
{
	bool *used = mem_zalloc(tree->nnodes, sizeof(*used));

	for (size_t i = tree->nnodes; i-- > 1;) {
		for (size_t column = 0; column < tree->ncolumns && !used[i]; column++)
			used[i] = ctree_weight(tree, column, (node_id)i) > 0;
		used[tree->nodes[i].parent] |= used[i];
	}
	return used;
}

size_t
profile_append_used(struct profile *into, const struct profile *from)
{
	bool *used = find_used(&from->tree);
	frame_id *frames = mem_zalloc(from->frames.nframes, sizeof(*frames));
	node_id *nodes = mem_zalloc(from->tree.nnodes, sizeof(*nodes));

	profile_describe(into, from);
	for (size_t i = 1; i < from->tree.nnodes; i++) {
		const struct ctree_node *node = &from->tree.nodes[i];

		if (!used[i])
			continue;
		if (frames[node->frame] == 0)
			frames[node->frame] = append_frame(into, from, node->frame, false);
		nodes[i] = ctree_child(&into->tree, nodes[node->parent], frames[node->frame]);
	}
	size_t first = profile_append_runs(into, from, nodes);

	free(nodes);
	free(frames);
	free(used);
	return first;
}

void
profile_drop_runs(struct profile *profile, size_t count)
{
	while (profile->nruns > count) {
		profile->nruns--;
		ctree_drop_column(&profile->tree);
	}
}

struct ranked_frame {
	const char *name;
	enum frame_kind kind;
	frame_id frame;
};

static int
compare_ranked(const void *a, const void *b)
{
	const struct ranked_frame *x = a;
	const struct ranked_frame *y = b;
	int by_name = strcmp(x->name, y->name);

	if (by_name != 0)
		return by_name;
	return (x->kind > y->kind) - (x->kind < y->kind);
}

/* rank[frame]: the frame's place in order of name and kind. */
static uint32_t *
rank_frames(const struct profile *profile)
{
	size_t n = profile->frames.nframes;
	struct ranked_frame *ranked = mem_zalloc(n, sizeof(*ranked));
	uint32_t *rank = mem_zalloc(n, sizeof(*rank));

	for (size_t i = 0; i < n; i++)
		ranked[i] = (struct ranked_frame){
			.name = profile_frame_name(profile, (frame_id)i),
			.kind = profile->frames.frames[i].kind,
			.frame = (frame_id)i,
		};
	qsort(ranked, n, sizeof(*ranked), compare_ranked);
	for (size_t i = 0; i < n; i++)
		rank[ranked[i].frame] = (uint32_t)i;
	free(ranked);
	return rank;
}

/*
 * All nodes in order of rank, by counting; then each is put in front of its parent's children, last
 * rank first. One pass over the tree, however wide a node is.
 */
void
profile_sort(struct profile *profile)
{
	struct ctree *tree = &profile->tree;
	size_t nframes = profile->frames.nframes;
	uint32_t *rank = rank_frames(profile);
	size_t *next = mem_zalloc(nframes + 1, sizeof(*next));
	node_id *order = mem_zalloc(tree->nnodes, sizeof(*order));

	for (size_t i = 1; i < tree->nnodes; i++)
		next[rank[tree->nodes[i].frame] + 1]++;
	for (size_t r = 1; r <= nframes; r++)
		next[r] += next[r - 1];
	for (size_t i = 1; i < tree->nnodes; i++)
		order[next[rank[tree->nodes[i].frame]]++] = (node_id)i;
	for (size_t i = 0; i < tree->nnodes; i++)
		tree->nodes[i].first_child = CTREE_NONE;
	for (size_t i = tree->nnodes - 1; i > 0; i--) {
		struct ctree_node *node = &tree->nodes[order[i - 1]];

		node->next_sibling = tree->nodes[node->parent].first_child;
		tree->nodes[node->parent].first_child = order[i - 1];
	}
	ctree_reordered(tree);
	free(order);
	free(next);
	free(rank);
}

void
run_view_init(struct run_view *view, const struct profile *of)
{
	*view = (struct run_view){.profile = *of, .of = of};
	view->profile.runs = mem_zalloc(of->nruns + 1, sizeof(*view->profile.runs));
	view->profile.runs_capacity = of->nruns + 1;
	view->profile.tree.columns = mem_zalloc(of->nruns + 1, sizeof(*view->profile.tree.columns));
	view->profile.tree.columns_capacity = of->nruns + 1;
	run_view_clear(view);
}

void
run_view_release(struct run_view *view)
{
	free(view->profile.runs);
	free(view->profile.tree.columns);
	*view = (struct run_view){0};
}

void
run_view_clear(struct run_view *view)
{
	view->profile.nruns = 0;
	view->profile.tree.ncolumns = 0;
}

struct run *
run_view_add(struct run_view *view, size_t column)
{
	size_t at = view->profile.nruns++;

	assert(at < view->of->nruns && column < view->of->nruns);
	view->profile.tree.columns[at] = view->of->tree.columns[column];
	view->profile.tree.ncolumns++;
	view->profile.runs[at] = view->of->runs[column];
	return &view->profile.runs[at];
}
