/*
 * Joining profiles by the canonical names of their functions: which frames become one, what a file
 * chose for this CPU, and the ways into the kernel.
 */
#include "profile/canonical.h"

#include "base/mem.h"
#include "base/text.h"
#include "profile/function_class.h"

#include <stdlib.h>
#include <string.h>

bool
variant_names_next(const char **lines, struct variant_line *line)
{
	const char *end = strchr(*lines, '\n');
	const char *mark =
		end ? memmem(*lines, (size_t)(end - *lines), VARIANT_OF, strlen(VARIANT_OF)) : NULL;

	if (!mark)
		return false;
	const char *function = mark + strlen(VARIANT_OF);

	*line = (struct variant_line){.name = *lines,
		.name_len = (size_t)(mark - *lines),
		.function = function,
		.function_len = (size_t)(end - function)};
	*lines = end + 1;
	return true;
}

void
variant_names_add(struct variant_names *variants, const struct profile *profile)
{
	const char *lines = strtab_str(&profile->strings, profile->variants);
	size_t capacity = variants->names.nentries;
	struct variant_line line;

	while (variant_names_next(&lines, &line)) {
		const size_t n = variants->names.nentries;

		if (text_map_find(&variants->names, line.name, line.name_len))
			continue;
		text_map_add(&variants->names, line.name, line.name_len, (uint32_t)n);
		variants->functions = mem_grow(
			variants->functions, &capacity, n + 1, sizeof(*variants->functions));
		variants->functions[n] =
			arena_dup(&variants->names.arena, line.function, line.function_len);
	}
}

void
variant_names_release(struct variant_names *variants)
{
	text_map_release(&variants->names);
	free(variants->functions);
	*variants = (struct variant_names){0};
}

const char *
variant_names_find(const struct variant_names *variants, const char *name, size_t len)
{
	const struct text_entry *entry =
		variants->names.nentries > 0 ? text_map_find(&variants->names, name, len) : NULL;

	return entry ? variants->functions[entry->value] : NULL;
}

/* Appends all as lines. */
static void
variant_names_put(const struct variant_names *variants, struct buf *lines)
{
	for (size_t i = 0; i < variants->names.nentries; i++) {
		const struct text_entry *entry = variants->names.entries[i];

		buf_put(lines, entry->text, entry->len);
		buf_printf(lines, VARIANT_OF "%s\n", variants->functions[i]);
	}
}

/*
 * The ways into the kernel: what its functions are compared as where their names tell nothing.
 *
 * Another build of the kernel has other functions inside: they are renamed, inlined, or replaced by
 * those of another hypervisor. What stays is the way in: the system call, a page fault, an
 * interrupt. And what runs below an interrupt's entry is of no program: which function it hits is
 * chance.
 */

enum kernel_way {
	KERNEL_WAY_NONE,      /* not in the kernel */
	KERNEL_WAY_UNKNOWN,   /* in it */
	KERNEL_WAY_CALL,      /* a system call, not known which */
	KERNEL_WAY_FAULT,     /* a page fault */
	KERNEL_WAY_NAMED,     /* a system call by name */
	KERNEL_WAY_INTERRUPT, /* an interrupt, wherever it came */
};

/* function_class() knows them, too. */
static const char *const way_texts[] = {
	[KERNEL_WAY_NONE] = "",
	[KERNEL_WAY_UNKNOWN] = "kernel",
	[KERNEL_WAY_CALL] = "system call",
	[KERNEL_WAY_FAULT] = "page fault",
	[KERNEL_WAY_NAMED] = "system call ",
	[KERNEL_WAY_INTERRUPT] = "interrupt",
};

/* The entries of system calls, below which the calls' own functions are. */
static bool
is_call_entry(const char *name)
{
	static const char *const entries[] = {
		"entry_SYSCALL", "do_syscall_", "x64_sys_call", "el0_svc", "invoke_syscall"};

	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
		if (strncmp(name, entries[i], strlen(entries[i])) == 0)
			return true;
	return false;
}

/*
 * The way that a frame `name` of the kernel makes known by itself. Puts the way's name into `text`:
 * "system call read", "page fault", "interrupt".
 */
static enum kernel_way
kernel_way_of(const char *name, struct buf *text)
{
	const unsigned classes = function_class(name, FRAME_KERNEL);
	const char *call;
	const size_t len = function_class_syscall(name, &call);
	enum kernel_way way = KERNEL_WAY_UNKNOWN;

	if (classes & CLASS_INTERRUPT)
		way = KERNEL_WAY_INTERRUPT;
	else if (len > 0)
		way = KERNEL_WAY_NAMED;
	else if (classes & CLASS_FAULT)
		way = KERNEL_WAY_FAULT;
	else if (is_call_entry(name))
		way = KERNEL_WAY_CALL;
	buf_clear(text);
	buf_puts(text, way_texts[way]);
	if (way == KERNEL_WAY_NAMED)
		buf_put(text, call, len);
	return way;
}

/*
 * The way that is known at a frame which by itself makes `own` known, below one at which `above`
 * was: the first that is found holds, but for an interrupt. A page fault of a system call is the
 * call's.
 */
static enum kernel_way
kernel_way_below(enum kernel_way above, enum kernel_way own)
{
	if (own == KERNEL_WAY_INTERRUPT)
		return own;
	if (own <= above || above == KERNEL_WAY_FAULT ||
		(above == KERNEL_WAY_CALL && own == KERNEL_WAY_FAULT))
		return above;
	return own;
}

/* "6.1.0-13-amd64" of "name, 6.1.0-13-amd64, x86_64, CPU"; its length, 0: not there. */
static size_t
find_release(const struct profile *profile, const char **release)
{
	const char *at = strtab_str(&profile->strings, profile->host);

	while ((at = strstr(at, ", ")) != NULL) {
		at += 2;
		if (*at < '1' || *at > '9')
			continue;
		*release = at;
		return strcspn(at, ",");
	}
	return 0;
}

/*
 * Whether both profiles are known to be of other builds of the kernel, by its release in
 * profile->host.
 */
static bool
kernel_way_is_needed(const struct profile *a, const struct profile *b)
{
	const char *one = NULL;
	const char *other = NULL;
	const size_t one_len = find_release(a, &one);
	const size_t other_len = find_release(b, &other);

	return one_len > 0 && other_len > 0 &&
	       (one_len != other_len || memcmp(one, other, one_len) != 0);
}

/* The way into the kernel that a frame makes known by itself; looked up once. */
struct own_way {
	enum kernel_way way;
	frame_id frame; /* that stands for it, of `into`; 0: not made yet */
};

struct fold {
	struct profile *into;
	const struct profile *from; /* only its frames are used */
	frame_id *frames;           /* of `into`, by frame of `from` */
	bool *is_part; /* by frame of `from`: split off, and entered from its function alone */
	bool by_ways;  /* the kernel's functions are compared by the ways into it */
	struct own_way *ways; /* by frame of `from` */
	struct variant_names chosen;
	struct buf name;
};

/* Which of two full names a frame keeps: the first in order, so that none depends on arrival. */
static str_id
first_name(const struct profile *profile, str_id a, str_id b)
{
	const struct strtab *strings = &profile->strings;

	if (a == 0 || b == 0)
		return a == 0 ? b : a;
	return strcmp(strtab_str(strings, a), strtab_str(strings, b)) <= 0 ? a : b;
}

static void
fold_frame(struct fold *fold, frame_id id)
{
	const struct frame *theirs = &fold->from->frames.frames[id];
	const char *name = strtab_str(&fold->from->strings, theirs->name);
	const size_t len = strtab_len(&fold->from->strings, theirs->name);
	const char *function =
		theirs->kind == FRAME_USER ? variant_names_find(&fold->chosen, name, len) : NULL;
	bool differs = canonical_name(name, len, &fold->name);

	if (function) {
		buf_clear(&fold->name);
		buf_puts(&fold->name, function);
		differs = true;
	}
	str_id full =
		profile_copy_string(fold->into, fold->from, differs ? theirs->name : theirs->full);
	frame_id frame =
		profile_frame(fold->into, buf_text(&fold->name), fold->name.len, theirs->kind);
	struct frame *mine = &fold->into->frames.frames[frame];

	mine->full = first_name(fold->into, mine->full, full);
	profile_place_frame(fold->into, frame, fold->from, theirs, false);
	fold->frames[id] = frame;
	fold->is_part[id] = strncmp(name, buf_text(&fold->name), fold->name.len) == 0 &&
			    strstr(name + fold->name.len, ".part.") != NULL;
	if (theirs->kind == FRAME_KERNEL)
		fold->ways[id].way = kernel_way_of(name, &fold->name);
}

/* Whether the name of `part` is the name of `whole` and more. */
static bool
is_made_from(const struct profile *profile, frame_id part, frame_id whole)
{
	const struct strtab *strings = &profile->strings;
	str_id a = profile->frames.frames[part].name;
	str_id b = profile->frames.frames[whole].name;
	size_t len = strtab_len(strings, b);

	return strtab_len(strings, a) > len &&
	       memcmp(strtab_str(strings, a), strtab_str(strings, b), len) == 0;
}

/* Whether the child is a piece of the function its parent is. */
static bool
is_piece(const struct fold *fold, frame_id child, frame_id parent)
{
	if (fold->frames[child] != fold->frames[parent] || child == parent)
		return false;
	return fold->is_part[child] || is_made_from(fold->from, child, parent);
}

/* The frame that stands for a node of the kernel in comparing, below a node of `into`. */
struct way_in {
	enum kernel_way way;
	frame_id frame; /* 0: it stays as it is */
	node_id below;
};

/* The frame of `into` that stands for the way that `frame` makes known. */
static frame_id
stand_in(struct fold *fold, frame_id frame)
{
	struct own_way *own = &fold->ways[frame];

	if (own->frame == 0) {
		kernel_way_of(profile_frame_name(fold->from, frame), &fold->name);
		own->frame = profile_frame(
			fold->into, buf_text(&fold->name), fold->name.len, FRAME_KERNEL);
	}
	return own->frame;
}

/* The same for a node below one of `above`, whose place is `parent`. */
static struct way_in
find_way_in(struct fold *fold, const struct way_in *above, frame_id frame, node_id parent)
{
	const enum kernel_way own = fold->ways[frame].way;
	struct way_in in = *above;

	if (own == KERNEL_WAY_NONE)
		return (struct way_in){0};
	in.way = kernel_way_below(above->way, own);
	if (in.way == above->way || (in.way != KERNEL_WAY_INTERRUPT && !fold->by_ways))
		return in;
	if (above->way == KERNEL_WAY_NONE || in.way == KERNEL_WAY_INTERRUPT)
		in.below = parent;
	in.frame = stand_in(fold, frame);
	return in;
}

/* Adds the runs of `side`; `frames` are the frames of `from`, by frame of `side`. */
static void
fold_runs(struct fold *fold, const struct profile *side, const frame_id *frames)
{
	const struct ctree *tree = &side->tree;
	node_id *nodes = mem_zalloc(tree->nnodes, sizeof(*nodes));
	struct way_in *ways = mem_zalloc(tree->nnodes, sizeof(*ways));

	for (size_t i = 1; i < tree->nnodes; i++) {
		const struct ctree_node *node = &tree->nodes[i];
		frame_id frame = frames[node->frame];
		node_id parent = nodes[node->parent];
		const struct way_in *way = &ways[i];

		ways[i] = find_way_in(fold, &ways[node->parent], frame, parent);
		if (way->frame != 0)
			nodes[i] = ctree_child_near(
				&fold->into->tree, way->below, way->frame, nodes[i - 1] + 1);
		else if (node->parent != CTREE_ROOT &&
			 is_piece(fold, frame, frames[tree->nodes[node->parent].frame]))
			nodes[i] = parent;
		else
			nodes[i] = ctree_child_near(
				&fold->into->tree, parent, fold->frames[frame], nodes[i - 1] + 1);
	}
	profile_append_runs(fold->into, side, nodes);
	free(ways);
	free(nodes);
}

void
canonical_join(struct profile *into, const struct profile *first, const struct profile *second)
{
	const struct profile *const sides[] = {first, second};
	size_t nsides = second ? 2 : 1;
	frame_id *frames[2];
	struct profile both;

	profile_init(&both);
	for (size_t i = 0; i < nsides; i++) {
		frames[i] = profile_append_frames(&both, sides[i], true);
		profile_describe(&both, sides[i]);
	}
	struct fold fold = {
		.into = into,
		.from = &both,
		.frames = mem_zalloc(both.frames.nframes, sizeof(*fold.frames)),
		.is_part = mem_zalloc(both.frames.nframes, sizeof(*fold.is_part)),
		.by_ways = second && kernel_way_is_needed(first, second),
		.ways = mem_zalloc(both.frames.nframes, sizeof(*fold.ways)),
	};

	profile_describe(into, &both);
	for (size_t i = 0; i < nsides; i++)
		variant_names_add(&fold.chosen, sides[i]);
	variant_names_put(&fold.chosen, &fold.name);
	into->variants = strtab_intern(&into->strings, buf_text(&fold.name), fold.name.len);
	for (size_t i = 1; i < both.frames.nframes; i++)
		fold_frame(&fold, (frame_id)i);
	for (size_t i = 0; i < nsides; i++) {
		fold_runs(&fold, sides[i], frames[i]);
		free(frames[i]);
	}
	buf_release(&fold.name);
	variant_names_release(&fold.chosen);
	free(fold.ways);
	free(fold.is_part);
	free(fold.frames);
	profile_release(&both);
}
