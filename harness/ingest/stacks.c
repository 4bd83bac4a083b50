#include "ingest/stacks.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "symbols/module_file.h"
#include "symbols/spaces.h"

#include <stdlib.h>
#include <string.h>

/* One address of a stack. */
struct stack_entry {
	struct place place;
	uint64_t address;
};

void
stacks_init(struct stacks *stacks, struct profile *profile, struct symbolizer *symbolizer)
{
	*stacks = (struct stacks){
		.profile = profile,
		.symbolizer = symbolizer,
	};
	place_frames_init(&stacks->places);
}

void
stacks_release(struct stacks *stacks)
{
	place_frames_release(&stacks->places);
	free(stacks->stack);
	free(stacks->last);
	free(stacks->last_nodes);
	*stacks = (struct stacks){0};
}

void
stacks_forget(struct stacks *stacks)
{
	place_frames_clear(&stacks->places);
	/* The nodes of the stack before were found from what is forgotten. */
	stacks->last_depth = 0;
}

/* The frame of code without a name: its module's name in brackets, even if the file is gone. */
static frame_id
unnamed_frame(struct profile *profile, const char *module, enum frame_kind kind)
{
	struct buf name;

	if (!module)
		return profile_frame(profile, "[unknown]", strlen("[unknown]"), kind);
	if (module[0] == '[')
		return profile_frame(profile, module, strlen(module), kind);
	const char *file = file_basename(module);
	size_t before = (size_t)(file - module);

	buf_init(&name);
	buf_printf(&name, "[%.*s]", (int)(module_file_path_len(module) - before), file);

	frame_id frame = profile_frame(profile, buf_text(&name), name.len, kind);

	buf_release(&name);
	return frame;
}

/* Notes of a frame what was not known of it. */
static void
describe_frame(
	struct profile *profile, frame_id id, const char *module, const struct symbol_frame *from)
{
	struct frame *frame = &profile->frames.frames[id];

	if (frame->module == 0 && module)
		frame->module = strtab_intern_str(&profile->strings, module);
	if (frame->file == 0 && from->file) {
		frame->file = strtab_intern_str(&profile->strings, from->file);
		frame->line = from->line;
	}
}

static frame_id
frame_of(struct profile *profile, const struct symbol *symbol, const struct symbol_frame *from,
	bool kernel)
{
	enum frame_kind kind = from->inlined                  ? FRAME_INLINED
			       : kernel                       ? FRAME_KERNEL
			       : symbol->source == SYMBOL_JIT ? FRAME_JIT
							      : FRAME_USER;
	frame_id id = from->name && from->name[0]
			      ? profile_frame(profile, from->name, strlen(from->name), kind)
			      : unnamed_frame(profile, symbol->module, kind);

	describe_frame(profile, id, symbol->module, from);
	return id;
}

/* Whether a place is likely to be met once, and others of its function as well. */
static bool
is_leaf(const struct place *place)
{
	return place->flags == STACK_EXACT;
}

/* Names an entry, and keeps its frames. */
static struct kept_frames
name(struct stacks *stacks, const struct stack_entry *entry)
{
	struct place place = entry->place;
	bool kernel = (place.flags & STACK_KERNEL) != 0;
	struct symbol_frame found[SYMBOL_FRAMES_MAX];
	frame_id frames[SYMBOL_FRAMES_MAX];
	struct symbol symbol;
	size_t count = symbolizer_frames(stacks->symbolizer, stacks->space, entry->address, kernel,
		(place.flags & STACK_EXACT) != 0, &symbol, found);

	if (is_leaf(&place))
		place.offset -= symbol.alike_before;
	const struct kept_frames *kept = place_frames_find(&stacks->places, &place);
	struct kept_frames made;

	if (kept) {
		made = *kept;
	} else {
		for (size_t i = 0; i < count; i++)
			frames[i] =
				frame_of(stacks->profile, &symbol, &found[count - 1 - i], kernel);
		made = place_frames_add(&stacks->places, &place, frames, count);
	}
	if (is_leaf(&place))
		place_frames_add_leaf(&stacks->places, &entry->place, &made,
			entry->place.offset + (symbol.alike_behind ? symbol.alike_behind : 1));
	return made;
}

/* The frames of an entry, outermost first, in stacks->places.frames. */
static struct kept_frames
resolve(struct stacks *stacks, const struct stack_entry *entry)
{
	const struct place *place = &entry->place;
	const struct kept_frames *kept = NULL;

	if (is_leaf(place))
		kept = place_frames_find_leaf(&stacks->places, place);
	if (!kept)
		kept = place_frames_find(&stacks->places, place);
	return kept ? *kept : name(stacks, entry);
}

void
stacks_begin(struct stacks *stacks, const struct space *space)
{
	uint32_t id = space ? space->id : 0;

	stacks->depth = 0;
	stacks->space = space;
	if (id != stacks->space_id)
		stacks->stretch = (struct symbol_stretch){0};
	stacks->space_id = id;
}

static void
grow(struct stacks *stacks)
{
	size_t capacity = stacks->capacity;
	size_t last = capacity;

	stacks->stack =
		mem_grow(stacks->stack, &capacity, stacks->depth + 1, sizeof(*stacks->stack));
	stacks->last = mem_grow(stacks->last, &last, capacity, sizeof(*stacks->last));
	last = stacks->capacity;
	stacks->last_nodes =
		mem_grow(stacks->last_nodes, &last, capacity, sizeof(*stacks->last_nodes));
	stacks->capacity = capacity;
}

static void
push(struct stacks *stacks, struct place place, uint64_t address)
{
	if (stacks->depth == stacks->capacity)
		grow(stacks);
	stacks->stack[stacks->depth++] = (struct stack_entry){place, address};
}

void
stacks_push_in(struct stacks *stacks, const struct symbol_stretch *stretch, uint64_t address,
	unsigned flags)
{
	push(stacks,
		(struct place){address - stretch->start + stretch->offset, stretch->owner, flags},
		address);
}

void
stacks_push(struct stacks *stacks, uint64_t address, unsigned flags)
{
	struct symbol_stretch *stretch = &stacks->stretch;
	/* A return address belongs where its call is. */
	uint64_t code = flags & STACK_EXACT ? address : address - 1;

	if (flags & STACK_KERNEL) {
		push(stacks, (struct place){address, 0, flags}, address);
		return;
	}
	if (code - stretch->start >= stretch->end - stretch->start)
		*stretch = symbolizer_stretch(stacks->symbolizer, stacks->space, code);
	stacks_push_in(stacks, stretch, address, flags);
}

/* What code addresses belong to. */
enum mode {
	MODE_USER,
	MODE_KERNEL,
	MODE_OTHER,   /* a guest's or the hypervisor's: nothing is known of it */
	MODE_INVALID, /* no marker of the kernel's: a word off the stack */
};

static enum mode
mode_of_sample(uint16_t misc)
{
	switch (misc & PERF_RECORD_MISC_CPUMODE_MASK) {
	case PERF_RECORD_MISC_KERNEL:
		return MODE_KERNEL;
	case PERF_RECORD_MISC_USER:
		return MODE_USER;
	default:
		return MODE_OTHER;
	}
}

static enum mode
mode_of_marker(uint64_t marker)
{
	switch (marker) {
	case PERF_CONTEXT_KERNEL:
		return MODE_KERNEL;
	case PERF_CONTEXT_USER:
		return MODE_USER;
	case PERF_CONTEXT_HV:
	case PERF_CONTEXT_GUEST:
	case PERF_CONTEXT_GUEST_KERNEL:
	case PERF_CONTEXT_GUEST_USER:
		return MODE_OTHER;
	default:
		return MODE_INVALID;
	}
}

/*
 * What the markers at the end of a chain say. Those of a condensed file end in PERF_CONTEXT_USER
 * with no address behind it where the stack is incomplete: once if it was too short a copy, twice
 * if it was broken.
 */
static enum stack_shape
shape_of_end(const struct record_sample *sample)
{
	size_t n = sample->nchain;

	if (n < 2 || sample->chain[n - 1] != PERF_CONTEXT_USER)
		return STACK_WHOLE;
	return sample->chain[n - 2] == PERF_CONTEXT_USER ? STACK_BROKEN : STACK_TRUNCATED;
}

/*
 * A word such as -1 where a return address should be reads like a marker that does not exist: the
 * program keeps no frame pointers there, and what follows is no chain. What lies before it stays:
 * the leaf is the address that the processor was at, whatever the stack holds. perf script shows
 * no stack at all for such a sample, though perf report counts it for its leaf.
 */
enum stack_shape
stacks_push_chain(struct stacks *stacks, const struct record_sample *sample, bool kernel_only)
{
	enum mode mode = mode_of_sample(sample->misc);
	unsigned exact = STACK_EXACT;

	for (size_t i = 0; i < sample->nchain && mode != MODE_INVALID; i++) {
		uint64_t address = sample->chain[i];

		if (address >= PERF_CONTEXT_MAX) {
			mode = mode_of_marker(address);
			exact = STACK_EXACT;
			continue;
		}
		if (mode == MODE_KERNEL)
			stacks_push(stacks, address, STACK_KERNEL | exact);
		else if (mode == MODE_USER && !kernel_only)
			stacks_push(stacks, address, exact);
		exact = 0;
	}
	if (stacks->depth == 0 && !kernel_only)
		stacks_push(stacks, sample->ip,
			STACK_EXACT |
				(mode_of_sample(sample->misc) == MODE_KERNEL ? STACK_KERNEL : 0));
	return mode == MODE_INVALID ? STACK_BROKEN : shape_of_end(sample);
}

static void
reverse(struct stack_entry *entries, size_t count)
{
	for (size_t i = 0; i < count / 2; i++) {
		struct stack_entry swap = entries[i];

		entries[i] = entries[count - 1 - i];
		entries[count - 1 - i] = swap;
	}
}

/* The node that the stack's outermost frame stands below. */
static node_id
base_node(struct stacks *stacks, frame_id root, frame_id mark)
{
	struct ctree *tree = &stacks->profile->tree;
	node_id node = ctree_child(tree, CTREE_ROOT, root);

	return mark ? ctree_child(tree, node, mark) : node;
}

/* Walks down the tree; last_nodes[] then holds the nodes of this stack. */
static node_id
walk(struct stacks *stacks, frame_id root, frame_id mark)
{
	struct ctree *tree = &stacks->profile->tree;
	size_t shared = 0;

	if (root == stacks->last_root && mark == stacks->last_mark)
		while (shared < stacks->depth && shared < stacks->last_depth &&
			place_equals(&stacks->stack[shared].place, &stacks->last[shared].place))
			shared++;

	/* What is kept lies all over memory: it is asked for together, not one after the other. */
	for (size_t i = shared; i < stacks->depth; i++)
		__builtin_prefetch(place_frames_first(&stacks->places, &stacks->stack[i].place));

	node_id node = shared > 0 ? stacks->last_nodes[shared - 1] : base_node(stacks, root, mark);

	for (size_t i = shared; i < stacks->depth; i++) {
		struct kept_frames found = resolve(stacks, &stacks->stack[i]);

		for (uint32_t k = 0; k < found.count; k++)
			node = ctree_child(tree, node, stacks->places.frames[found.first + k]);
		stacks->last_nodes[i] = node;
	}
	return node;
}

static frame_id
mark_of(const struct stacks *stacks, enum stack_shape shape)
{
	const char *name = shape == STACK_BROKEN ? FRAME_BROKEN : FRAME_TRUNCATED;

	if (shape == STACK_WHOLE || stacks->no_marks)
		return 0;
	return profile_frame(stacks->profile, name, strlen(name), FRAME_USER);
}

/* A frame-pointer chain that led into nowhere ends with an address that nothing was mapped at. */
static bool
leads_nowhere(struct stacks *stacks)
{
	const struct stack_entry *outermost = &stacks->stack[0];

	if (outermost->place.flags & STACK_KERNEL || stacks->depth < 2)
		return false;
	frame_id frame = stacks->places.frames[resolve(stacks, outermost).first];

	return strcmp(profile_frame_name(stacks->profile, frame), "[unknown]") == 0;
}

struct stack_result
stacks_end(struct stacks *stacks, frame_id root, enum stack_shape shape)
{
	const struct profile *profile = stacks->profile;
	frame_id mark = mark_of(stacks, shape);

	reverse(stacks->stack, stacks->depth);

	struct stack_result result = {.node = walk(stacks, root, mark)};
	frame_id leaf = profile->tree.nodes[result.node].frame;

	result.unknown_leaf = frame_name_is_unknown(profile_frame_name(profile, leaf));
	result.broken = shape != STACK_WHOLE || leads_nowhere(stacks);

	struct stack_entry *swap = stacks->last;

	stacks->last = stacks->stack;
	stacks->stack = swap;
	stacks->last_depth = stacks->depth;
	stacks->last_root = root;
	stacks->last_mark = mark;
	return result;
}
