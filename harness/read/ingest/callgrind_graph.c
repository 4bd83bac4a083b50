/*
 * The call graph of a callgrind file, and its stacks: exact ones where names hold their callers,
 * else estimated from the costs of calls.
 */
#include "base/mem.h"
#include "elf/demangle.h"
#include "ingest/callgrind_internal.h"

#include <stdlib.h>
#include <string.h>

node_id
callgrind_truncated_node(const struct callgrind_target *target)
{
	struct profile *profile = target->profile;

	if (target->no_marks)
		return target->root;
	return ctree_child(&profile->tree, target->root,
		profile_frame(profile, FRAME_TRUNCATED, strlen(FRAME_TRUNCATED), FRAME_USER));
}

void
callgrind_graph_release(struct callgrind_graph *graph)
{
	free(graph->functions);
	free(graph->calls);
	key_map_release(&graph->by_name);
	key_map_release(&graph->by_ends);
	*graph = (struct callgrind_graph){0};
}

uint32_t
callgrind_graph_function(struct callgrind_graph *graph, str_id name, str_id object)
{
	uint32_t index = key_map_add(&graph->by_name, key_of_pair(name, object));

	if (index == graph->nfunctions) {
		graph->functions = mem_grow(graph->functions, &graph->functions_capacity,
			graph->nfunctions + 1, sizeof(*graph->functions));
		graph->functions[graph->nfunctions++] =
			(struct callgrind_function){.name = name, .object = object};
	}
	return index;
}

void
callgrind_graph_call(
	struct callgrind_graph *graph, uint32_t caller, uint32_t callee, double inclusive)
{
	uint32_t index = key_map_add(&graph->by_ends, key_of_pair(caller, callee));

	if (index == graph->ncalls) {
		graph->calls = mem_grow(graph->calls, &graph->calls_capacity, graph->ncalls + 1,
			sizeof(*graph->calls));
		graph->calls[graph->ncalls++] =
			(struct callgrind_call){.caller = caller, .callee = callee};
	}
	graph->calls[index].inclusive += inclusive;
}

struct putting {
	const struct callgrind_graph *graph;
	struct callgrind_names *names;
	const struct callgrind_target *target;
	str_id *leaves; /* by function */
	/* By str_id of names->texts: */
	size_t ntexts;
	bool *is_leaf;
	bool *is_root;    /* nothing called it: stacks begin with it */
	str_id *objects;  /* where the function is */
	str_id *sources;  /* the file that declares it */
	frame_id *frames; /* 0: not made yet */
};

/* "0x000000000001d100": code without a name. */
static bool
is_address(const char *name, size_t len)
{
	return len > 2 && name[0] == '0' && name[1] == 'x' &&
	       strspn(name + 2, "0123456789abcdefABCDEF") == len - 2;
}

/* Without the version of a symbol, "memcpy@@GLIBC_2.14". */
static size_t
unversioned_len(const char *name, size_t len)
{
	const char *at = memchr(name, '@', len);

	return at && at > name && !memchr(name, '(', (size_t)(at - name)) ? (size_t)(at - name)
									  : len;
}

static str_id
copy_text(struct putting *putting, str_id id)
{
	const struct strtab *texts = &putting->names->texts;

	return strtab_intern(
		&putting->target->profile->strings, strtab_str(texts, id), strtab_len(texts, id));
}

static frame_id
make_frame(struct putting *putting, str_id text)
{
	const struct strtab *texts = &putting->names->texts;
	struct profile *profile = putting->target->profile;
	const char *name = strtab_str(texts, text);
	size_t len = strtab_len(texts, text);
	const char *object = strtab_str(texts, putting->objects[text]);
	const size_t object_len = strcmp(object, "???") != 0 ? strlen(object) : 0;
	bool nameless = len == 0 || is_address(name, len) || strcmp(name, "???") == 0;
	struct buf unnamed = {0};
	char *shown = NULL;

	if (nameless) {
		frame_put_unnamed(&unnamed, object, object_len);
		name = buf_text(&unnamed);
		len = unnamed.len;
	} else {
		len = unversioned_len(name, len);
		if (putting->target->short_names)
			shown = demangle_shorten(name, len);
	}
	frame_id frame = shown ? profile_frame(profile, shown, strlen(shown), FRAME_USER)
			       : profile_frame(profile, name, len, FRAME_USER);
	struct frame *known = &profile->frames.frames[frame];

	if (known->module == 0)
		known->module = copy_text(putting, putting->objects[text]);
	if (known->file == 0 && !nameless &&
		strcmp(strtab_str(texts, putting->sources[text]), "???") != 0)
		known->file = copy_text(putting, putting->sources[text]);
	free(shown);
	buf_release(&unnamed);
	return frame;
}

static frame_id
frame_of(struct putting *putting, str_id text)
{
	frame_id *frame = &putting->frames[text];

	if (*frame == 0)
		*frame = make_frame(putting, text);
	return *frame;
}

/* Finds which texts are functions by themselves, with their objects and sources. */
static void
find_leaves(struct putting *putting)
{
	const struct callgrind_graph *graph = putting->graph;

	putting->leaves = mem_zalloc(graph->nfunctions + 1, sizeof(*putting->leaves));
	for (size_t i = 0; i < graph->nfunctions; i++)
		putting->leaves[i] = callgrind_names_leaf(putting->names, graph->functions[i].name);
	putting->ntexts = putting->names->texts.nentries;
	putting->is_leaf = mem_zalloc(putting->ntexts, sizeof(*putting->is_leaf));
	putting->is_root = mem_zalloc(putting->ntexts, sizeof(*putting->is_root));
	putting->objects = mem_zalloc(putting->ntexts, sizeof(*putting->objects));
	putting->sources = mem_zalloc(putting->ntexts, sizeof(*putting->sources));
	putting->frames = mem_zalloc(putting->ntexts, sizeof(*putting->frames));
	for (size_t i = 0; i < graph->nfunctions; i++) {
		const struct callgrind_function *function = &graph->functions[i];
		str_id of[] = {putting->leaves[i], function->name};

		putting->is_leaf[of[0]] = true;
		/* The whole name stands for itself where it cannot be split. */
		for (size_t j = 0; j < 2; j++) {
			if (putting->objects[of[j]] == 0)
				putting->objects[of[j]] = function->object;
			if (putting->sources[of[j]] == 0)
				putting->sources[of[j]] = function->source;
		}
	}
}

static void
split(struct putting *putting, size_t function, struct callgrind_stack *stack)
{
	callgrind_names_stack(putting->names, putting->graph->functions[function].name,
		putting->is_leaf, putting->ntexts, stack);
}

/* Returns the length of the longest stack; finds the functions that shorter ones begin with. */
static size_t
find_roots(struct putting *putting, struct callgrind_stack *stack)
{
	const size_t count = putting->graph->nfunctions;
	uint32_t *lengths = mem_zalloc(count + 1, sizeof(*lengths));
	str_id *outermost = mem_zalloc(count + 1, sizeof(*outermost));
	size_t longest = 0;

	for (size_t i = 0; i < count; i++) {
		split(putting, i, stack);
		lengths[i] = (uint32_t)stack->nframes;
		outermost[i] = stack->frames[stack->nframes - 1];
		if (stack->nframes > longest)
			longest = stack->nframes;
	}
	for (size_t i = 0; i < count; i++)
		if (lengths[i] < longest)
			putting->is_root[outermost[i]] = true;
	free(outermost);
	free(lengths);
	return longest;
}

static void
put_exact(struct putting *putting, size_t longest, struct callgrind_stack *stack)
{
	const struct callgrind_target *target = putting->target;
	struct ctree *tree = &target->profile->tree;

	for (size_t i = 0; i < putting->graph->nfunctions; i++) {
		double self = putting->graph->functions[i].self;

		if (!(self > 0))
			continue;
		split(putting, i, stack);
		bool cut = stack->nframes == longest &&
			   !putting->is_root[stack->frames[stack->nframes - 1]];
		node_id node = cut ? callgrind_truncated_node(target) : target->root;

		for (size_t at = stack->nframes; at > 0; at--)
			node = ctree_child(tree, node, frame_of(putting, stack->frames[at - 1]));
		ctree_add(tree, target->column, node, self);
	}
}

/* Functions in the order of their names: the order in a file is that of addresses. */
static int
compare_functions(const void *a, const void *b, void *context)
{
	const struct putting *putting = context;
	const struct callgrind_function *x = &putting->graph->functions[*(const uint32_t *)a];
	const struct callgrind_function *y = &putting->graph->functions[*(const uint32_t *)b];
	const struct strtab *texts = &putting->names->texts;

	/* Texts that are the same have one id: many functions may share a long one. */
	if (x->name != y->name)
		return strcmp(strtab_str(texts, x->name), strtab_str(texts, y->name));
	return x->object == y->object
		       ? 0
		       : strcmp(strtab_str(texts, x->object), strtab_str(texts, y->object));
}

static void
put_estimates(struct putting *putting, struct callgrind_stack *stack)
{
	const struct callgrind_graph *from = putting->graph;
	const size_t count = from->nfunctions;
	struct callgrind_graph sorted = {.nfunctions = count, .ncalls = from->ncalls};
	uint32_t *order = mem_zalloc(count + 1, sizeof(*order));
	uint32_t *place = mem_zalloc(count + 1, sizeof(*place));
	frame_id *frames = mem_zalloc(count + 1, sizeof(*frames));

	sorted.functions = mem_zalloc(count + 1, sizeof(*sorted.functions));
	sorted.calls = mem_zalloc(from->ncalls + 1, sizeof(*sorted.calls));
	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, count, sizeof(*order), compare_functions, putting);
	for (size_t i = 0; i < count; i++) {
		place[order[i]] = (uint32_t)i;
		sorted.functions[i] = from->functions[order[i]];
		split(putting, order[i], stack);
		frames[i] = frame_of(putting, stack->frames[0]);
	}
	for (size_t i = 0; i < from->ncalls; i++)
		sorted.calls[i] = (struct callgrind_call){
			.caller = place[from->calls[i].caller],
			.callee = place[from->calls[i].callee],
			.inclusive = from->calls[i].inclusive,
		};
	callgrind_estimate_stacks(&sorted, frames, putting->target);
	callgrind_graph_release(&sorted);
	free(frames);
	free(place);
	free(order);
}

bool
callgrind_put_stacks(const struct callgrind_graph *graph, struct callgrind_names *names,
	const struct callgrind_target *target)
{
	struct putting putting = {.graph = graph, .names = names, .target = target};
	struct callgrind_stack stack = {0};

	find_leaves(&putting);
	size_t longest = find_roots(&putting, &stack);

	if (longest > 1)
		put_exact(&putting, longest, &stack);
	else
		put_estimates(&putting, &stack);
	callgrind_stack_release(&stack);
	free(putting.leaves);
	free(putting.is_leaf);
	free(putting.is_root);
	free(putting.objects);
	free(putting.sources);
	free(putting.frames);
	return longest <= 1 && graph->ncalls > 0;
}
