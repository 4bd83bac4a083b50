#include "ingest/stacks.h"

#include "base/buf.h"
#include "base/mem.h"
#include "elf/elf_image.h"
#include "ingest/place_frames.h"
#include "ingest/syscalls.h"
#include "symbols/module.h"
#include "symbols/spaces.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The frames of a profile that stand for what symbolizing finds.
 */

/* The frame of code without a name: its module's name in brackets, even if the file is gone. */
static frame_id
unnamed_frame(struct profile *profile, const char *module, enum frame_kind kind)
{
	struct buf name = {0};

	frame_put_unnamed(&name, module, module ? strlen(module) : 0);
	const frame_id frame = profile_frame(profile, buf_text(&name), name.len, kind);

	buf_release(&name);
	return frame;
}

/* Fills in the attributes of a frame that were not known. */
static void
describe_frame(struct profile *profile, frame_id id, const struct symbol *symbol,
	const struct symbol_frame *from)
{
	struct frame *frame = &profile->frames.frames[id];

	if (frame->module == 0 && symbol->module) {
		frame->module = strtab_intern_str(&profile->strings, symbol->module);
		if (symbol->build_id) {
			char digits[BUILD_ID_TEXT_SIZE];

			build_id_text(symbol->build_id, digits);
			frame->build_id = strtab_intern_str(&profile->strings, digits);
		}
	}
	if (frame->file == 0 && from->file) {
		frame->file = strtab_intern_str(&profile->strings, from->file);
		frame->line = from->line;
	}
}

/*
 * The frame of `from`, one of the functions at an address whose symbol is `symbol`: what is known
 * of it is filled in where it was not. It is its own for each line in it (at_line).
 * `kernel`: the address is the kernel's.
 */
static frame_id
frame_of_symbol(struct profile *profile, const struct symbol *symbol,
	const struct symbol_frame *from, bool kernel)
{
	enum frame_kind kind = from->inlined                  ? FRAME_INLINED
			       : kernel                       ? FRAME_KERNEL
			       : symbol->source == SYMBOL_JIT ? FRAME_JIT
							      : FRAME_USER;
	frame_id id = from->name && from->name[0]
			      ? frame_intern_at(&profile->frames,
					strtab_intern_str(&profile->strings, from->name), kind,
					from->at_line)
			      : unnamed_frame(profile, symbol->module, kind);

	describe_frame(profile, id, symbol, from);
	return id;
}

/* One address of a stack. */
struct stack_entry {
	struct place place;
	uint64_t address;
};

/* One frame of a stack. */
struct stack_step {
	frame_id frame;
	node_id node;
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
	free(stacks->ends);
	free(stacks->steps);
	free(stacks->reasons);
	*stacks = (struct stacks){0};
}

void
stacks_forget(struct stacks *stacks)
{
	place_frames_clear(&stacks->places);
	/* The previous stack's nodes were found from the dropped places. */
	stacks->last_depth = 0;
}

/* Looks up the frames of an entry, and keeps them. */
static struct kept_frames
symbolize(struct stacks *stacks, const struct stack_entry *entry)
{
	bool kernel = (entry->place.flags & STACK_KERNEL) != 0;
	struct symbol_frame found[SYMBOL_FRAMES_MAX];
	frame_id frames[SYMBOL_FRAMES_MAX];
	struct symbol symbol;
	size_t count = symbolizer_frames(stacks->symbolizer, stacks->space, entry->address, kernel,
		(entry->place.flags & STACK_EXACT) != 0, &symbol, found);

	for (size_t i = 0; i < count; i++) {
		struct symbol_frame *from = &found[count - 1 - i];

		if (!stacks->at_lines)
			from->at_line = 0;
		frames[i] = frame_of_symbol(stacks->profile, &symbol, from, kernel);
	}
	return place_frames_add(&stacks->places, &entry->place, frames, count);
}

/* A system call's place has its table as owner, counted from here. */
#define SYSCALL_OWNER 1U

/* Names the system call of an entry, and keeps its frame. */
static struct kept_frames
name_syscall(struct stacks *stacks, const struct place *place)
{
	const char *name =
		syscall_name((enum syscall_table)(place->owner - SYSCALL_OWNER), place->offset);
	char numbered[32];

	if (!name && place->offset < SYSCALLS_MAX)
		snprintf(numbered, sizeof(numbered), "syscall %" PRIu64, place->offset);
	else if (!name)
		snprintf(numbered, sizeof(numbered), "syscall (no such number)");
	const char *shown = name ? name : numbered;
	frame_id frame = profile_frame(stacks->profile, shown, strlen(shown), FRAME_KERNEL);

	return place_frames_add(&stacks->places, place, &frame, 1);
}

static bool
is_syscall(const struct place *place)
{
	return place->flags & STACK_KERNEL && place->owner >= SYSCALL_OWNER;
}

/* The frames of an entry. */
static struct kept_frames
resolve(struct stacks *stacks, const struct stack_entry *entry)
{
	const struct kept_frames *kept = place_frames_find(&stacks->places, &entry->place);

	if (kept)
		return *kept;
	return is_syscall(&entry->place) ? name_syscall(stacks, &entry->place)
					 : symbolize(stacks, entry);
}

void
stacks_begin(struct stacks *stacks, const struct space *space)
{
	uint32_t id = space ? space->id : 0;

	stacks->depth = 0;
	stacks->space = space;
	if (id != stacks->space_id)
		stacks->range = stacks->range_before = (struct symbol_range){0};
	stacks->space_id = id;
}

static void
grow_stack(struct stacks *stacks)
{
	size_t capacity = stacks->capacity;
	size_t last = capacity;

	stacks->stack =
		mem_grow(stacks->stack, &capacity, stacks->depth + 1, sizeof(*stacks->stack));
	stacks->last = mem_grow(stacks->last, &last, capacity, sizeof(*stacks->last));
	last = stacks->capacity;
	stacks->ends = mem_grow(stacks->ends, &last, capacity, sizeof(*stacks->ends));
	stacks->capacity = capacity;
}

static void
push(struct stacks *stacks, struct place place, uint64_t address)
{
	if (stacks->depth == stacks->capacity)
		grow_stack(stacks);
	stacks->stack[stacks->depth++] = (struct stack_entry){place, address};
}

void
stacks_push_in(
	struct stacks *stacks, const struct symbol_range *range, uint64_t address, unsigned flags)
{
	push(stacks, (struct place){address - range->start + range->offset, range->owner, flags},
		address);
}

void
stacks_push(struct stacks *stacks, uint64_t address, unsigned flags)
{
	struct symbol_range *range = &stacks->range;
	/* A return address belongs where its call is. */
	uint64_t code = flags & STACK_EXACT ? address : address - 1;

	if (flags & STACK_KERNEL) {
		push(stacks, (struct place){address, 0, flags}, address);
		return;
	}
	/* Callers alternate between two files more often than not. */
	if (code - range->start >= range->end - range->start) {
		struct symbol_range last = *range;

		*range = stacks->range_before;
		stacks->range_before = last;
		if (code - range->start >= range->end - range->start)
			*range = symbolizer_range(stacks->symbolizer, stacks->space, code);
	}
	stacks_push_in(stacks, range, address, flags);
}

void
stacks_push_syscall(struct stacks *stacks, enum syscall_table table, uint64_t number)
{
	const struct place place = {
		/* A program may try any number. */
		.offset = number < SYSCALLS_MAX ? number : SYSCALLS_MAX,
		.owner = SYSCALL_OWNER + (uint32_t)table,
		.flags = STACK_KERNEL | STACK_EXACT,
	};

	push(stacks, place, 0);
}

/* The node that the stack's outermost frame stands below. */
static node_id
base_node(struct stacks *stacks, node_id root, frame_id mark)
{
	return mark ? ctree_child(&stacks->profile->tree, root, mark) : root;
}

/* Entry `i` from the root on. */
static const struct stack_entry *
entry_at(const struct stacks *stacks, size_t i)
{
	return &stacks->stack[stacks->depth - 1 - i];
}

/* The number of entries, from the root on, that are the same as in the previous stack. */
static size_t
shared_depth(const struct stacks *stacks, node_id root, frame_id mark)
{
	size_t limit = stacks->depth < stacks->last_depth ? stacks->depth : stacks->last_depth;
	size_t shared = 0;

	if (root != stacks->last_root || mark != stacks->last_mark)
		return 0;
	while (shared < limit && place_equals(&entry_at(stacks, shared)->place,
					 &stacks->last[stacks->last_depth - 1 - shared].place))
		shared++;
	return shared;
}

/* Kept places are scattered in memory: prefetches all of them at once. */
static void
prefetch_places(const struct stacks *stacks, size_t first)
{
	for (size_t i = first; i < stacks->depth; i++)
		__builtin_prefetch(
			place_frames_first(&stacks->places, &entry_at(stacks, i)->place));
}

static void
add_step(struct stacks *stacks, frame_id frame, node_id node)
{
	stacks->steps = mem_grow(
		stacks->steps, &stacks->steps_capacity, stacks->nsteps + 1, sizeof(*stacks->steps));
	stacks->steps[stacks->nsteps++] = (struct stack_step){.frame = frame, .node = node};
}

/* Walks down the tree; steps[] is then of this stack. */
static node_id
walk(struct stacks *stacks, node_id root, frame_id mark)
{
	struct ctree *tree = &stacks->profile->tree;
	size_t shared = shared_depth(stacks, root, mark);

	prefetch_places(stacks, shared);
	stacks->nsteps = shared > 0 ? stacks->ends[shared - 1] : 0;
	node_id node = stacks->nsteps > 0 ? stacks->steps[stacks->nsteps - 1].node
					  : base_node(stacks, root, mark);

	for (size_t i = shared; i < stacks->depth; i++) {
		struct kept_frames found = resolve(stacks, entry_at(stacks, i));
		size_t count = place_frames_count(&stacks->places, found);

		for (size_t k = 0; k < count; k++) {
			frame_id frame = place_frames_get(&stacks->places, found, k);

			node = ctree_child(tree, node, frame);
			add_step(stacks, frame, node);
		}
		stacks->ends[i] = (uint32_t)stacks->nsteps;
	}
	return node;
}

static frame_id
mark_of(struct stacks *stacks, enum stack_shape shape)
{
	const char *name = shape == STACK_BROKEN ? FRAME_BROKEN : FRAME_TRUNCATED;

	if (shape == STACK_WHOLE || stacks->no_marks)
		return 0;
	if (stacks->marks[shape] == 0)
		stacks->marks[shape] =
			profile_frame(stacks->profile, name, strlen(name), FRAME_USER);
	return stacks->marks[shape];
}

/* Whether the stack ends at an address that is not mapped, as a wrong frame-pointer chain does. */
static bool
leads_nowhere(struct stacks *stacks)
{
	if (stacks->depth < 2 || entry_at(stacks, 0)->place.flags & STACK_KERNEL)
		return false;
	return strcmp(profile_frame_name(stacks->profile, stacks->steps[0].frame), "[unknown]") ==
	       0;
}

struct stack_result
stacks_end(struct stacks *stacks, node_id root, enum stack_shape shape)
{
	frame_id mark = mark_of(stacks, shape);
	struct stack_result result = {.node = walk(stacks, root, mark)};
	frame_id leaf = mark ? mark : stacks->profile->tree.nodes[root].frame;

	if (stacks->nsteps > 0)
		leaf = stacks->steps[stacks->nsteps - 1].frame;
	result.unknown_leaf = frame_name_is_unknown(profile_frame_name(stacks->profile, leaf));
	result.broken = shape != STACK_WHOLE || leads_nowhere(stacks);

	struct stack_entry *swap = stacks->last;

	stacks->last = stacks->stack;
	stacks->stack = swap;
	stacks->last_depth = stacks->depth;
	stacks->last_root = root;
	stacks->last_mark = mark;
	stacks->lines.entry = SIZE_MAX;
	return result;
}

size_t
stacks_nframes(const struct stacks *stacks)
{
	return stacks->nsteps;
}

frame_id
stacks_frame(const struct stacks *stacks, size_t i)
{
	return stacks->steps[i].frame;
}

bool
stacks_frame_is_leaf(const struct stacks *stacks, size_t i)
{
	return stacks->last_depth < 2 || i >= stacks->ends[stacks->last_depth - 2];
}

node_id
stacks_leaf(const struct stacks *stacks)
{
	return stacks->nsteps > 0 ? stacks->steps[stacks->nsteps - 1].node : CTREE_NONE;
}

/* The entry of frame `i`. Successive frames are of the same entry, or of one beside it. */
static size_t
entry_of(const struct stacks *stacks, size_t i)
{
	size_t at = stacks->lines.entry != SIZE_MAX ? stacks->lines.entry : stacks->last_depth - 1;

	while (at > 0 && stacks->ends[at - 1] > i)
		at--;
	while (stacks->ends[at] <= i)
		at++;
	return at;
}

bool
stacks_line(struct stacks *stacks, size_t i, struct line_place *place)
{
	struct stack_lines *lines = &stacks->lines;
	const size_t at = entry_of(stacks, i);
	/* The stack has become the one before the next. */
	const struct stack_entry *entry = &stacks->last[stacks->last_depth - 1 - at];
	const unsigned flags = entry->place.flags;
	const size_t outer = i - (at > 0 ? stacks->ends[at - 1] : 0);

	if (is_syscall(&entry->place))
		return false;
	if (at != lines->entry)
		lines->count = symbolizer_frames(stacks->symbolizer, stacks->space, entry->address,
			(flags & STACK_KERNEL) != 0, (flags & STACK_EXACT) != 0, &lines->symbol,
			lines->frames);
	lines->entry = at;
	if (outer >= lines->count)
		return false;
	const struct symbol_frame *frame = &lines->frames[lines->count - 1 - outer];

	*place = (struct line_place){
		.file = frame->file,
		.line = frame->at_line,
		.module = entry->place.owner & SYMBOL_OWNER_FILE ? lines->symbol.module : NULL,
		.offset = entry->place.offset - (flags & STACK_EXACT ? 0 : 1),
	};
	return true;
}

/* The reason that a frame of the stack tells. */
static enum wait_reason
reason_of(struct stacks *stacks, frame_id frame)
{
	const struct profile *profile = stacks->profile;

	if (profile->frames.frames[frame].kind != FRAME_KERNEL)
		return WAIT_UNKNOWN;
	stacks->reasons = mem_grow(
		stacks->reasons, &stacks->nreasons, frame + (size_t)1, sizeof(*stacks->reasons));
	uint8_t *known = &stacks->reasons[frame];

	if (*known == 0)
		*known = (uint8_t)(wait_reason_of(profile_frame_name(profile, frame)) + 1);
	return (enum wait_reason)(*known - 1);
}

enum wait_reason
stacks_reason(struct stacks *stacks)
{
	struct wait_search search = {.named = false};

	for (size_t i = stacks->nsteps; i-- > 0;) {
		frame_id frame = stacks->steps[i].frame;

		if (stacks->profile->frames.frames[frame].kind != FRAME_KERNEL)
			break;
		wait_search_take(&search, reason_of(stacks, frame),
			!frame_name_is_unknown(profile_frame_name(stacks->profile, frame)));
	}
	return wait_search_reason(&search);
}

bool
stacks_release_lock(const struct stacks *stacks)
{
	enum wake_reason reason = WAKE_UNKNOWN;

	for (size_t i = stacks->nsteps; i-- > 0 && reason == WAKE_UNKNOWN;) {
		frame_id frame = stacks->steps[i].frame;

		if (stacks->profile->frames.frames[frame].kind != FRAME_KERNEL)
			break;
		reason = wake_reason_of(profile_frame_name(stacks->profile, frame));
	}
	return reason == WAKE_RELEASES_LOCK;
}

bool
stacks_wait_at_futex(const struct stacks *stacks)
{
	for (size_t i = stacks->nsteps; i-- > 0;) {
		frame_id frame = stacks->steps[i].frame;

		if (stacks->profile->frames.frames[frame].kind != FRAME_KERNEL)
			return false;
		if (wait_reason_is_futex(profile_frame_name(stacks->profile, frame)))
			return true;
	}
	return false;
}

node_id
stacks_wait(struct stacks *stacks, node_id node, enum wait_reason reason)
{
	struct ctree *tree = &stacks->profile->tree;
	const char *name = wait_reason_name(reason);

	for (size_t i = stacks->nsteps;
		i-- > 0 && reason_of(stacks, stacks->steps[i].frame) == WAIT_SCHEDULER;)
		node = tree->nodes[stacks->steps[i].node].parent;
	return ctree_child(
		tree, node, profile_frame(stacks->profile, name, strlen(name), FRAME_WAIT));
}
