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

/* One frame of a stack. */
struct stack_step {
	uint64_t path;
	frame_id frame;
	node_id node;
};

/* What the name of a frame says. */
enum trait {
	TRAIT_ASKED = 1,
	TRAIT_UNNAMED = 2, /* it stands for code without a known name */
	TRAIT_NOWHERE = 4, /* not even its module is known */
};

void
stacks_init(struct stacks *stacks, struct profile *profile, struct symbolizer *symbolizer)
{
	*stacks = (struct stacks){
		.profile = profile,
		.symbolizer = symbolizer,
	};
	place_frames_init(&stacks->places);
	path_nodes_init(&stacks->nodes);
}

void
stacks_release(struct stacks *stacks)
{
	place_frames_release(&stacks->places);
	path_nodes_release(&stacks->nodes);
	free(stacks->stack);
	free(stacks->last);
	free(stacks->ends);
	free(stacks->steps);
	free(stacks->traits);
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

/* The frames of an entry. */
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
	stacks->ends = mem_grow(stacks->ends, &last, capacity, sizeof(*stacks->ends));
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

/* The node that the stack's outermost frame stands below. */
static node_id
base_node(struct stacks *stacks, frame_id root, frame_id mark)
{
	struct ctree *tree = &stacks->profile->tree;
	node_id node = ctree_child(tree, CTREE_ROOT, root);

	return mark ? ctree_child(tree, node, mark) : node;
}

/* Entry `i` from the root on. */
static const struct stack_entry *
entry_at(const struct stacks *stacks, size_t i)
{
	return &stacks->stack[stacks->depth - 1 - i];
}

/* How many entries are as they were in the stack before, from the root on. */
static size_t
shared_depth(const struct stacks *stacks, frame_id root, frame_id mark)
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

/* What is kept lies all over memory: it is asked for together, not one after the other. */
static void
ask_places(const struct stacks *stacks, size_t first)
{
	for (size_t i = first; i < stacks->depth; i++) {
		const struct place *place = &entry_at(stacks, i)->place;

		if (is_leaf(place))
			__builtin_prefetch(place_frames_first_leaf(&stacks->places, place));
		else
			__builtin_prefetch(place_frames_first(&stacks->places, place));
	}
}

static void
add_step(struct stacks *stacks, uint64_t path, frame_id frame)
{
	stacks->steps = mem_grow(
		stacks->steps, &stacks->steps_capacity, stacks->nsteps + 1, sizeof(*stacks->steps));
	stacks->steps[stacks->nsteps++] = (struct stack_step){.path = path, .frame = frame};
	__builtin_prefetch(path_nodes_at(&stacks->nodes, path));
}

/* Puts the frames of the entries from `first` on behind those of the entries before. */
static void
add_steps(struct stacks *stacks, size_t first, uint64_t path)
{
	for (size_t i = first; i < stacks->depth; i++) {
		struct kept_frames found = resolve(stacks, entry_at(stacks, i));
		size_t count = place_frames_count(&stacks->places, found);

		for (size_t k = 0; k < count; k++) {
			frame_id frame = place_frames_get(&stacks->places, found, k);

			path = path_nodes_further(path, frame);
			add_step(stacks, path, frame);
		}
		stacks->ends[i] = (uint32_t)stacks->nsteps;
	}
}

/* The same of the nodes that the steps from `first` on may lead to. */
static void
ask_nodes(const struct stacks *stacks, size_t first)
{
	const struct ctree_node *nodes = stacks->profile->tree.nodes;

	for (size_t i = first; i < stacks->nsteps; i++) {
		uint64_t path = stacks->steps[i].path;

		/* Its child is looked for behind it. */
		__builtin_prefetch(&nodes[path_nodes_at(&stacks->nodes, path)->node + 1]);
	}
}

/* Walks down the tree; steps[] is then of this stack. */
static node_id
walk(struct stacks *stacks, frame_id root, frame_id mark)
{
	struct ctree *tree = &stacks->profile->tree;
	size_t shared = shared_depth(stacks, root, mark);
	size_t known = shared > 0 ? stacks->ends[shared - 1] : 0;
	node_id node = 0;
	uint64_t path = 0;

	ask_places(stacks, shared);
	if (known > 0) {
		node = stacks->steps[known - 1].node;
		path = stacks->steps[known - 1].path;
	} else {
		node = base_node(stacks, root, mark);
		path = path_nodes_further(0, node);
	}
	stacks->nsteps = known;
	add_steps(stacks, shared, path);
	ask_nodes(stacks, known);
	for (size_t i = known; i < stacks->nsteps; i++) {
		struct stack_step *step = &stacks->steps[i];

		node = path_nodes_child(&stacks->nodes, tree, node, step->frame, step->path);
		step->node = node;
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

static unsigned
traits_of(struct stacks *stacks, frame_id frame)
{
	if (frame < stacks->traits_capacity && stacks->traits[frame] != 0)
		return stacks->traits[frame];
	const char *name = profile_frame_name(stacks->profile, frame);
	unsigned traits = TRAIT_ASKED;

	if (frame_name_is_unknown(name))
		traits |= TRAIT_UNNAMED;
	if (strcmp(name, "[unknown]") == 0)
		traits |= TRAIT_NOWHERE;
	stacks->traits = mem_grow(stacks->traits, &stacks->traits_capacity, (size_t)frame + 1,
		sizeof(*stacks->traits));
	stacks->traits[frame] = (uint8_t)traits;
	return traits;
}

/* A frame-pointer chain that led into nowhere ends with an address that nothing was mapped at. */
static bool
leads_nowhere(struct stacks *stacks)
{
	if (stacks->depth < 2 || entry_at(stacks, 0)->place.flags & STACK_KERNEL)
		return false;
	return (traits_of(stacks, stacks->steps[0].frame) & TRAIT_NOWHERE) != 0;
}

struct stack_result
stacks_end(struct stacks *stacks, frame_id root, enum stack_shape shape)
{
	frame_id mark = mark_of(stacks, shape);
	struct stack_result result = {.node = walk(stacks, root, mark)};
	frame_id leaf = mark ? mark : root;

	if (stacks->nsteps > 0)
		leaf = stacks->steps[stacks->nsteps - 1].frame;
	result.unknown_leaf = (traits_of(stacks, leaf) & TRAIT_UNNAMED) != 0;
	result.broken = shape != STACK_WHOLE || leads_nowhere(stacks);

	struct stack_entry *swap = stacks->last;

	stacks->last = stacks->stack;
	stacks->stack = swap;
	stacks->last_depth = stacks->depth;
	stacks->last_root = root;
	stacks->last_mark = mark;
	return result;
}
