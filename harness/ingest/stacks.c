#include "ingest/stacks.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* The cache starts anew beyond this: code made and thrown away at run time has no end. */
#define CACHE_MAX ((size_t)1 << 21)

/* Where an address came from, beside its address space. */
enum entry_flag {
	ENTRY_EXACT = 1, /* an instruction that was executing, not a return address */
	ENTRY_KERNEL = 2,
};

/* One address of a stack; equal entries resolve to the same frame. */
struct stack_entry {
	uint64_t address;
	uint32_t space; /* symbolizer_space(); 0 in the kernel, which is the same for all */
	uint32_t flags;
};

struct cached_frame {
	struct stack_entry key;
	frame_id frame; /* 0: the slot is empty */
};

void
stacks_init(struct stacks *stacks, struct profile *profile, struct symbolizer *symbolizer)
{
	*stacks = (struct stacks){
		.profile = profile,
		.symbolizer = symbolizer,
		.nslots = 4096,
	};
	stacks->frames = mem_zalloc(stacks->nslots, sizeof(*stacks->frames));
}

void
stacks_release(struct stacks *stacks)
{
	free(stacks->frames);
	free(stacks->stack);
	free(stacks->last);
	free(stacks->last_nodes);
	*stacks = (struct stacks){0};
}

static bool
same_entry(const struct stack_entry *a, const struct stack_entry *b)
{
	return a->address == b->address && a->space == b->space && a->flags == b->flags;
}

static struct cached_frame *
find_slot(const struct stacks *stacks, const struct stack_entry *entry)
{
	uint64_t owner = (uint64_t)entry->space << 2 | entry->flags;
	size_t mask = stacks->nslots - 1;
	size_t at = hash_u64(entry->address ^ owner << 40 ^ owner >> 24) & mask;

	while (stacks->frames[at].frame != 0 && !same_entry(&stacks->frames[at].key, entry))
		at = (at + 1) & mask;
	return &stacks->frames[at];
}

static void
keep_frame(struct stacks *stacks, const struct stack_entry *entry, frame_id frame)
{
	if (stacks->nframes >= CACHE_MAX) {
		memset(stacks->frames, 0, stacks->nslots * sizeof(*stacks->frames));
		stacks->nframes = 0;
	} else if ((stacks->nframes + 1) * 2 > stacks->nslots) {
		struct cached_frame *old = stacks->frames;
		size_t nold = stacks->nslots;

		stacks->nslots *= 2;
		stacks->frames = mem_zalloc(stacks->nslots, sizeof(*stacks->frames));
		for (size_t i = 0; i < nold; i++)
			if (old[i].frame != 0)
				*find_slot(stacks, &old[i].key) = old[i];
		free(old);
	}
	*find_slot(stacks, entry) = (struct cached_frame){*entry, frame};
	stacks->nframes++;
}

/* The frame of code without a name: its module's name in brackets. */
static frame_id
unnamed_frame(struct profile *profile, const char *module, enum frame_kind kind)
{
	struct buf name;

	if (!module)
		return profile_frame(profile, "[unknown]", strlen("[unknown]"), kind);
	if (module[0] == '[')
		return profile_frame(profile, module, strlen(module), kind);
	buf_init(&name);
	buf_printf(&name, "[%s]", file_basename(module));

	frame_id frame = profile_frame(profile, buf_text(&name), name.len, kind);

	buf_release(&name);
	return frame;
}

static frame_id
resolve(struct stacks *stacks, uint32_t pid, const struct stack_entry *entry)
{
	struct profile *profile = stacks->profile;
	bool kernel = (entry->flags & ENTRY_KERNEL) != 0;
	struct symbol symbol;

	if (entry->flags & ENTRY_EXACT)
		symbolizer_resolve(stacks->symbolizer, pid, entry->address, kernel, &symbol);
	else
		symbolizer_resolve_return(stacks->symbolizer, pid, entry->address, kernel, &symbol);

	enum frame_kind kind = kernel                        ? FRAME_KERNEL
			       : symbol.source == SYMBOL_JIT ? FRAME_JIT
							     : FRAME_USER;
	frame_id id = symbol.name && symbol.name[0]
			      ? profile_frame(profile, symbol.name, strlen(symbol.name), kind)
			      : unnamed_frame(profile, symbol.module, kind);
	struct frame *frame = &profile->frames.frames[id];

	if (frame->module == 0 && symbol.module)
		frame->module = strtab_intern_str(&profile->strings, symbol.module);
	return id;
}

static void
push(struct stacks *stacks, struct stack_entry entry)
{
	if (stacks->depth == stacks->capacity) {
		size_t capacity = stacks->capacity;
		size_t last = capacity;

		stacks->stack = mem_grow(
			stacks->stack, &capacity, stacks->depth + 1, sizeof(*stacks->stack));
		stacks->last = mem_grow(stacks->last, &last, capacity, sizeof(*stacks->last));
		last = stacks->capacity;
		stacks->last_nodes =
			mem_grow(stacks->last_nodes, &last, capacity, sizeof(*stacks->last_nodes));
		stacks->capacity = capacity;
	}
	stacks->stack[stacks->depth++] = entry;
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
 * Puts the sample's addresses on the stack, leaf first. Returns whether the chain is whole.
 *
 * A word such as -1 where a return address should be reads like a marker that does not exist: the
 * program keeps no frame pointers there, and what follows is no chain. What lies before it stays:
 * the leaf is the address that the processor was at, whatever the stack holds. perf script shows
 * no stack at all for such a sample, though perf report counts it for its leaf.
 */
static bool
push_chain(struct stacks *stacks, uint32_t space, const struct record_sample *sample)
{
	enum mode mode = mode_of_sample(sample->misc);
	uint32_t exact = ENTRY_EXACT;

	for (size_t i = 0; i < sample->nchain && mode != MODE_INVALID; i++) {
		uint64_t address = sample->chain[i];

		if (address >= PERF_CONTEXT_MAX) {
			mode = mode_of_marker(address);
			exact = ENTRY_EXACT;
			continue;
		}
		if (mode == MODE_KERNEL)
			push(stacks, (struct stack_entry){address, 0, ENTRY_KERNEL | exact});
		else if (mode == MODE_USER)
			push(stacks, (struct stack_entry){address, space, exact});
		exact = 0;
	}

	bool whole = mode != MODE_INVALID;

	if (stacks->depth > 0)
		return whole;
	mode = mode_of_sample(sample->misc);
	push(stacks, (struct stack_entry){sample->ip, mode == MODE_KERNEL ? 0 : space,
			     ENTRY_EXACT | (mode == MODE_KERNEL ? ENTRY_KERNEL : 0)});
	return whole;
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

/* Walks down the tree; last_nodes[] then holds the nodes of this stack. */
static node_id
walk(struct stacks *stacks, frame_id root, uint32_t pid)
{
	struct ctree *tree = &stacks->profile->tree;
	size_t shared = 0;

	if (root == stacks->last_root)
		while (shared < stacks->depth && shared < stacks->last_depth &&
			same_entry(&stacks->stack[shared], &stacks->last[shared]))
			shared++;

	node_id node =
		shared > 0 ? stacks->last_nodes[shared - 1] : ctree_child(tree, CTREE_ROOT, root);

	for (size_t i = shared; i < stacks->depth; i++) {
		const struct stack_entry *entry = &stacks->stack[i];
		frame_id frame = find_slot(stacks, entry)->frame;

		if (frame == 0) {
			frame = resolve(stacks, pid, entry);
			keep_frame(stacks, entry, frame);
		}
		node = ctree_child(tree, node, frame);
		stacks->last_nodes[i] = node;
	}
	return node;
}

struct stack_result
stacks_node(struct stacks *stacks, frame_id root, uint32_t pid, const struct record_sample *sample)
{
	const struct profile *profile = stacks->profile;

	stacks->depth = 0;

	bool whole = push_chain(stacks, symbolizer_space(stacks->symbolizer, pid), sample);

	reverse(stacks->stack, stacks->depth);

	struct stack_result result = {.node = walk(stacks, root, pid)};
	const struct ctree_node *nodes = profile->tree.nodes;
	const struct stack_entry *outermost = &stacks->stack[0];
	frame_id outer_frame = nodes[stacks->last_nodes[0]].frame;

	result.unknown_leaf =
		frame_name_is_unknown(profile_frame_name(profile, nodes[result.node].frame));
	result.broken = !whole ||
			(!(outermost->flags & ENTRY_KERNEL) && stacks->depth > 1 &&
				strcmp(profile_frame_name(profile, outer_frame), "[unknown]") == 0);

	struct stack_entry *swap = stacks->last;

	stacks->last = stacks->stack;
	stacks->stack = swap;
	stacks->last_depth = stacks->depth;
	stacks->last_root = root;
	return result;
}
