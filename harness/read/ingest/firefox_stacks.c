/*
 * Stacks of the Firefox Profiler, put together from the rows of tables: a stack is a frame and a
 * prefix, a frame a function, and a function a text.
 */
#include "base/mem.h"
#include "base/text.h"
#include "ingest/firefox_internal.h"
#include "ingest/ingest_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A thread whose stacks are put together. */
struct thread_stacks {
	struct firefox_reading *reading;
	size_t number;
	struct firefox_tables tables; /* its own, else the shared ones; borrowed */
	size_t nframes;
	frame_id *frames; /* by row; 0: not looked at yet */
	node_id *nodes;   /* by row of the stacks; CTREE_NONE likewise */
	bool *idle;       /* likewise, where it has a node */
	uint32_t *path;   /* rows from a stack to its root */
	size_t path_capacity;
	uint32_t *touched; /* rows whose nodes are set */
	size_t ntouched;
	size_t touched_capacity;
};

static int
refuse_row(const struct thread_stacks *thread, const char *table, size_t row, const char *what,
	struct err *err)
{
	return err_set(err, ERR_INPUT, "%s: threads[%zu].%s: row %zu: %s", thread->reading->path,
		thread->number, table, row, what);
}

static const struct firefox_category *
category_of(const struct thread_stacks *thread, enum firefox_column_id column, size_t row)
{
	static const struct firefox_category other = {.kind = FRAME_USER};
	const uint32_t category =
		firefox_row(&thread->tables, column, row, thread->reading->ncategories);

	return category == FIREFOX_NONE ? &other : &thread->reading->categories[category];
}

/* "0x1f00": the name of a function whose symbol was not looked up. */
static bool
is_address(const char *name)
{
	return name[0] == '0' && name[1] == 'x' && name[2] &&
	       name[2 + strspn(name + 2, "0123456789abcdefABCDEF")] == '\0';
}

/* The length without "[12]" behind a closed parenthesis: a row of the sources. */
static size_t
without_source(const char *text)
{
	const size_t len = strlen(text);
	size_t at = len;

	if (len == 0 || text[len - 1] != ']')
		return len;
	for (at--; at > 0 && text_is_digit(text[at - 1]);)
		at--;
	return at > 1 && text[at - 1] == '[' && text[at - 2] == ')' ? at - 1 : len;
}

/* A function of a raw file: "malloc (in libc.so.6)", "run (app.js:12:3)", or a name alone. */
static frame_id
raw_frame(struct firefox_reading *reading, const char *text, enum frame_kind kind)
{
	struct profile *profile = reading->profile;
	const char *open = strrchr(text, '(');
	const size_t len = without_source(text);

	if (is_address(text)) {
		reading->naddresses++;
		return profile_frame(profile, "[unknown]", strlen("[unknown]"), kind);
	}
	const bool is_place = open && open > text + 1 && open[-1] == ' ' && text[len - 1] == ')';
	const size_t name_len = is_place ? (size_t)(open - 1 - text) : len;
	const frame_id id = profile_frame(profile, text, name_len, kind);

	if (is_place && strncmp(open, "(in ", 4) == 0 && profile->frames.frames[id].module == 0)
		profile->frames.frames[id].module = strtab_intern(
			&profile->strings, open + 4, len - 1 - (size_t)(open + 4 - text));
	return id;
}

/* The name of a frame's library: its own, or that of its function's resource. */
static str_id
module_of(const struct firefox_tables *tables, uint32_t row, uint32_t func)
{
	const uint32_t lib = firefox_row(tables, FRAME_LIB, row, tables->nlibs);
	const uint32_t resource = firefox_row(tables, FUNC_RESOURCE, func, FIREFOX_NONE);

	if (lib != FIREFOX_NONE)
		return tables->libs[lib];
	return resource == FIREFOX_NONE ? 0 : firefox_text(tables, RESOURCE_NAME, resource);
}

static void
place(const struct thread_stacks *thread, uint32_t func, str_id module, frame_id id)
{
	const struct firefox_tables *tables = &thread->tables;
	struct frame *frame = &thread->reading->profile->frames.frames[id];
	const uint32_t source = firefox_row(tables, FUNC_SOURCE, func, FIREFOX_NONE);
	const uint32_t line = firefox_row(tables, FUNC_LINE, func, FIREFOX_NONE);

	if (frame->file == 0)
		frame->file = source != FIREFOX_NONE ? firefox_text(tables, SOURCE_FILE, source)
						     : firefox_text(tables, FUNC_FILE, func);
	if (frame->module == 0)
		frame->module = module;
	if (frame->line == 0 && line != FIREFOX_NONE)
		frame->line = line;
}

static frame_id
add_frame(const struct thread_stacks *thread, uint32_t row)
{
	const struct firefox_tables *tables = &thread->tables;
	struct profile *profile = thread->reading->profile;
	const struct strtab *strings = &profile->strings;
	const uint32_t func = firefox_row(tables, FRAME_FUNC, row, FIREFOX_NONE);
	const str_id name = func == FIREFOX_NONE ? firefox_text(tables, FRAME_LOCATION, row)
						 : firefox_text(tables, FUNC_NAME, func);
	const uint32_t depth = firefox_row(tables, FRAME_INLINE_DEPTH, row, FIREFOX_NONE);
	const enum frame_kind kind = depth > 0 && depth != FIREFOX_NONE
					     ? FRAME_INLINED
					     : category_of(thread, FRAME_CATEGORY, row)->kind;
	const char *text = strtab_len(strings, name) > 0 ? strtab_str(strings, name) : "[unknown]";
	struct buf shown = {0};

	if (func == FIREFOX_NONE)
		return raw_frame(thread->reading, text, kind);
	const str_id module = module_of(tables, row, func);

	/* As our own captures have it where no name is known. */
	if (is_address(text)) {
		frame_put_unnamed(&shown, strtab_str(strings, module), strtab_len(strings, module));
		thread->reading->naddresses++;
	} else {
		buf_puts(&shown, text);
	}
	const frame_id id = profile_frame(profile, buf_text(&shown), shown.len, kind);

	buf_release(&shown);
	place(thread, func, module, id);
	return id;
}

/* The frame of a stack's row; 0: it has none. */
static frame_id
frame_of(struct thread_stacks *thread, uint32_t stack)
{
	const uint32_t row = firefox_row(&thread->tables, STACK_FRAME, stack, thread->nframes);

	if (row == FIREFOX_NONE)
		return 0;
	if (thread->frames[row] == 0)
		thread->frames[row] = add_frame(thread, row);
	return thread->frames[row];
}

/* The row of a stack's prefix, which is ahead of it; FIREFOX_NONE: it is a root. */
static int
find_prefix(const struct thread_stacks *thread, uint32_t stack, uint32_t *prefix, struct err *err)
{
	const struct firefox_tables *tables = &thread->tables;
	const bool by_offset = tables->columns[STACK_PREFIX_OFFSET].count > 0;
	const enum firefox_column_id id = by_offset ? STACK_PREFIX_OFFSET : STACK_PREFIX;
	const struct firefox_column *column = &tables->columns[id];
	const uint32_t value =
		firefox_row(tables, id, stack, by_offset ? (size_t)stack + 1 : stack);
	const bool is_root =
		by_offset ? value == 0 : stack < column->count && isnan(column->values[stack]);

	*prefix = is_root ? FIREFOX_NONE : by_offset ? stack - value : value;
	return is_root || value != FIREFOX_NONE
		       ? 0
		       : refuse_row(thread, "stackTable", stack,
				 "it has no prefix that is ahead of it", err);
}

/* A stack whose frame has no category has that of its prefix. */
static bool
is_idle(const struct thread_stacks *thread, uint32_t stack, bool prefix_is_idle)
{
	const struct firefox_tables *tables = &thread->tables;
	const size_t count = thread->reading->ncategories;
	const uint32_t row = firefox_row(tables, STACK_FRAME, stack, thread->nframes);
	uint32_t category = firefox_row(tables, STACK_CATEGORY, stack, count);

	if (category == FIREFOX_NONE && row != FIREFOX_NONE)
		category = firefox_row(tables, FRAME_CATEGORY, row, count);
	return category == FIREFOX_NONE ? prefix_is_idle
					: thread->reading->categories[category].idle;
}

/* Rows from a stack up to one that has a node, or a root; *at is that one. */
static int
find_path(struct thread_stacks *thread, uint32_t *at, size_t *depth, struct err *err)
{
	for (*depth = 0; *at != FIREFOX_NONE && thread->nodes[*at] == CTREE_NONE;) {
		thread->path = mem_grow(
			thread->path, &thread->path_capacity, *depth + 1, sizeof(*thread->path));
		thread->path[(*depth)++] = *at;
		if (find_prefix(thread, *at, at, err) < 0)
			return -1;
	}
	return 0;
}

static int
find_node(struct thread_stacks *thread, uint32_t stack, node_id root, struct err *err)
{
	struct ctree *tree = &thread->reading->profile->tree;
	uint32_t at = stack;
	size_t depth;

	if (find_path(thread, &at, &depth, err) < 0)
		return -1;
	node_id node = at == FIREFOX_NONE ? root : thread->nodes[at];
	bool idle = at != FIREFOX_NONE && thread->idle[at];

	while (depth-- > 0) {
		const uint32_t row = thread->path[depth];
		const frame_id frame = frame_of(thread, row);

		if (frame == 0)
			return refuse_row(thread, "stackTable", row,
				"it has no frame of the frameTable", err);
		node = ctree_child(tree, node, frame);
		idle = is_idle(thread, row, idle);
		thread->nodes[row] = node;
		thread->idle[row] = idle;
		thread->touched = mem_grow(thread->touched, &thread->touched_capacity,
			thread->ntouched + 1, sizeof(*thread->touched));
		thread->touched[thread->ntouched++] = row;
	}
	return tree_limit_check(
		thread->reading->profile, thread->reading->tree_limit, thread->reading->path, err);
}

static int
add_sample(struct thread_stacks *thread, size_t number, node_id root, double scale, struct err *err)
{
	struct firefox_reading *reading = thread->reading;
	const struct firefox_column *stacks = &thread->tables.columns[SAMPLE_STACK];
	const struct firefox_column *weights = &thread->tables.columns[SAMPLE_WEIGHT];
	const size_t nstacks = thread->tables.columns[STACK_FRAME].count;
	const uint32_t stack = firefox_row(&thread->tables, SAMPLE_STACK, number, nstacks);
	double weight = 1;

	if (isnan(stacks->values[number]))
		return 0;
	if (stack == FIREFOX_NONE)
		return refuse_row(
			thread, "samples", number, "the stackTable has no such stack", err);
	if (weights->count > 0)
		weight = number < weights->count ? weights->values[number] : NAN;
	if (!(weight >= 0) || !isfinite(weight))
		return refuse_row(
			thread, "samples", number, "its weight is no number of 0 or more", err);
	if (find_node(thread, stack, root, err) < 0)
		return -1;
	if (!thread->idle[stack])
		ctree_add(&reading->profile->tree, reading->column, thread->nodes[stack],
			scale == 1 ? weight : round(weight * scale));
	return 0;
}

static void
take_own(struct firefox_tables *into, const struct firefox_tables *own,
	enum firefox_column_id first, enum firefox_column_id last)
{
	for (enum firefox_column_id i = first; i <= last; i++)
		if (own->columns[i].count > 0 || i == first)
			into->columns[i] = own->columns[i];
}

static size_t
rows_of_frames(const struct firefox_tables *tables)
{
	const size_t raw = tables->columns[FRAME_LOCATION].count;
	const size_t count = tables->columns[FRAME_FUNC].count;

	return count > raw ? count : raw;
}

/* What shared rows name is shared; a thread's own rows may name both. */
static struct firefox_tables
tables_of(const struct firefox_reading *reading, const struct firefox_thread *thread)
{
	const struct firefox_tables *own = &thread->tables;
	struct firefox_tables all = reading->shared;

	all.columns[SAMPLE_STACK] = own->columns[SAMPLE_STACK];
	all.columns[SAMPLE_WEIGHT] = own->columns[SAMPLE_WEIGHT];
	if (own->columns[STACK_FRAME].count == 0)
		return all;
	take_own(&all, own, STACK_PREFIX, STACK_CATEGORY);
	if (rows_of_frames(own) == 0)
		return all;
	take_own(&all, own, FRAME_FUNC, FRAME_CATEGORY);
	if (own->columns[FUNC_NAME].count > 0)
		take_own(&all, own, FUNC_NAME, FUNC_RESOURCE);
	if (own->columns[RESOURCE_NAME].count > 0)
		all.columns[RESOURCE_NAME] = own->columns[RESOURCE_NAME];
	if (own->columns[SOURCE_FILE].count > 0)
		all.columns[SOURCE_FILE] = own->columns[SOURCE_FILE];
	if (own->ntexts > 0) {
		all.texts = own->texts;
		all.ntexts = own->ntexts;
	}
	if (own->nlibs > 0) {
		all.libs = own->libs;
		all.nlibs = own->nlibs;
	}
	return all;
}

static node_id *
no_nodes(size_t count)
{
	node_id *nodes = mem_zalloc(count, sizeof(*nodes));

	for (size_t i = 0; i < count; i++)
		nodes[i] = CTREE_NONE;
	return nodes;
}

/* Of shared rows, frames are looked at once, and nodes that a thread has set are put back. */
static void
thread_stacks_begin(struct thread_stacks *thread)
{
	struct firefox_reading *reading = thread->reading;
	const struct firefox_tables *own = &reading->threads[thread->number].tables;
	const size_t nstacks = thread->tables.columns[STACK_FRAME].count;

	thread->nframes = rows_of_frames(&thread->tables);
	if (rows_of_frames(own) > 0 && own->columns[STACK_FRAME].count > 0)
		thread->frames = mem_zalloc(thread->nframes, sizeof(*thread->frames));
	else if (!reading->shared_frames)
		reading->shared_frames = mem_zalloc(thread->nframes, sizeof(*thread->frames));
	if (!thread->frames)
		thread->frames = reading->shared_frames;
	if (own->columns[STACK_FRAME].count > 0) {
		thread->nodes = no_nodes(nstacks);
		thread->idle = mem_zalloc(nstacks, sizeof(*thread->idle));
		return;
	}
	if (!reading->shared_nodes) {
		reading->shared_nodes = no_nodes(nstacks);
		reading->shared_idle = mem_zalloc(nstacks, sizeof(*thread->idle));
	}
	thread->nodes = reading->shared_nodes;
	thread->idle = reading->shared_idle;
}

static void
thread_stacks_end(struct thread_stacks *thread)
{
	for (size_t i = 0; i < thread->ntouched; i++)
		thread->nodes[thread->touched[i]] = CTREE_NONE;
	if (thread->frames != thread->reading->shared_frames)
		free(thread->frames);
	if (thread->nodes != thread->reading->shared_nodes) {
		free(thread->nodes);
		free(thread->idle);
	}
	free(thread->path);
	free(thread->touched);
}

/* The main thread of each of Firefox's processes. */
#define MAIN_THREAD "GeckoMain"

/*
 * Stacks of other programs begin with the name of their thread; that of the process where the
 * thread's tells nothing.
 */
static node_id
root_of(const struct firefox_reading *reading, const struct firefox_thread *thread)
{
	struct profile *profile = reading->profile;
	const bool of_process = thread->process && *thread->process;
	const char *name = thread->name;

	if (of_process && (!name || !*name || strcmp(name, MAIN_THREAD) == 0))
		name = thread->process;
	return reading->own || !name || !*name
		       ? CTREE_ROOT
		       : ctree_child(&profile->tree, CTREE_ROOT,
				 profile_frame(profile, name, strlen(name), FRAME_USER));
}

int
firefox_enter_thread(struct firefox_reading *reading, size_t number, double scale, struct err *err)
{
	struct thread_stacks thread = {.reading = reading,
		.number = number,
		.tables = tables_of(reading, &reading->threads[number])};
	const size_t nsamples = thread.tables.columns[SAMPLE_STACK].count;
	int result = 0;

	if (nsamples == 0)
		return 0;
	const node_id root = root_of(reading, &reading->threads[number]);

	thread_stacks_begin(&thread);
	for (size_t i = 0; result == 0 && i < nsamples; i++)
		result = add_sample(&thread, i, root, scale, err);
	thread_stacks_end(&thread);
	return result;
}
