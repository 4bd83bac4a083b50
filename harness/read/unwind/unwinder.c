#include "unwind/unwinder.h"

#include "base/mem.h"
#include "base/sort.h"
#include "unwind/unwind_internal.h"

#include <stdlib.h>
#include <string.h>

#define BIT(reg) (UINT64_C(1) << (reg))

/*
 * The trampoline is two instructions, either of which may be executing: the one that the handler
 * returns to, which sets the number of the system call, and the system call.
 */
static bool
is_trampoline(const struct unwind_machine *machine, const struct unwind_regs *regs)
{
	uint64_t back = regs->values[machine->return_column] & machine->address_mask;

	return (regs->known & BIT(machine->return_column)) &&
	       (regs->pc == back || regs->pc == back + machine->signal_frame->call_at);
}

bool
signal_frame_leave(const struct unwind_machine *machine, struct stack_copy *copy, bool exact,
	struct unwind_regs *regs)
{
	const struct unwind_signal_frame *layout = machine->signal_frame;
	uint64_t sp = regs->values[machine->sp];
	struct unwind_regs before = {.known = BIT(machine->sp)};
	uint64_t mark;

	if (!layout || !(regs->known & BIT(machine->sp)) ||
		(exact && !is_trampoline(machine, regs)))
		return false;
	if (!stack_copy_word(copy, sp + layout->mark_at, &mark) || mark != layout->mark ||
		!stack_copy_word(copy, sp + layout->sp_at, &before.values[machine->sp]) ||
		!stack_copy_word(copy, sp + layout->pc_at, &before.pc))
		return false;
	for (unsigned reg = 0; reg < layout->nregs; reg++)
		if (stack_copy_word(copy, sp + layout->regs_at + reg * sizeof(uint64_t),
			    &before.values[reg]))
			before.known |= BIT(reg);
	*regs = before;
	return true;
}

void
frame_cache_init(struct frame_cache *cache)
{
	cache->frames = mem_zalloc((size_t)1 << FRAME_CACHE_BITS, sizeof(*cache->frames));
	cache->leaves = mem_zalloc((size_t)1 << FRAME_CACHE_LEAF_BITS, sizeof(*cache->leaves));
}

void
frame_cache_release(struct frame_cache *cache)
{
	free(cache->frames);
	free(cache->leaves);
	*cache = (struct frame_cache){0};
}

static struct cached_frame
frame_of(struct unwind_table *table, uint64_t file_offset, const struct unwind_found *found)
{
	return (struct cached_frame){
		.file_offset = file_offset,
		.table = table,
		.saves = found->saves,
		.cfa_value = found->row->cfa_value,
		.cfa_kind = found->row->cfa_kind,
		.cfa_reg = found->row->cfa_reg,
		.return_column = found->row->return_column,
		.signal = found->row->signal,
	};
}

void
frame_cache_fill(struct cached_frame *frame, struct unwind_table *table, uint64_t file_offset)
{
	struct unwind_found found;

	if (unwind_table_find(table, file_offset, &found))
		*frame = frame_of(table, file_offset, &found);
	else
		*frame = (struct cached_frame){.file_offset = file_offset, .table = table};
}

void
frame_cache_fill_leaf(struct cached_leaf *leaf, struct unwind_table *table, uint64_t file_offset)
{
	struct unwind_found found;

	if (unwind_table_find(table, file_offset, &found)) {
		leaf->frame = frame_of(table, found.first, &found);
		leaf->end = found.end;
	} else {
		leaf->frame = (struct cached_frame){.file_offset = file_offset, .table = table};
		leaf->end = file_offset + 1;
	}
}

void
step_counts_release(struct step_counts *counts)
{
	key_map_release(&counts->by_table);
	free(counts->counts);
	*counts = (struct step_counts){0};
}

struct step_count *
step_counts_of(struct step_counts *counts, const struct unwind_table *table)
{
	uint32_t number = key_map_add(&counts->by_table, (uintptr_t)table);

	counts->counts = mem_grow(
		counts->counts, &counts->capacity, counts->by_table.count, sizeof(*counts->counts));
	return &counts->counts[number];
}

struct step_count
step_counts_get(const struct step_counts *counts, const struct unwind_table *table)
{
	uint32_t number = key_map_find(&counts->by_table, (uintptr_t)table);

	return number != KEY_MAP_NONE ? counts->counts[number] : (struct step_count){0};
}

/* Stands for an unknown frame pointer: no pair is at this address. */
#define STEP_NO_FRAME_POINTER UINT64_MAX

/*
 * Whether a step by rows to the caller's registers `to`, out of a frame with the frame pointer `fp`
 * and the CFA `cfa`, is the same by the frame pointer. `copy` is a value: its `reached` and
 * `missing` are not kept.
 */
static bool
step_is_alike(const struct unwind_machine *machine, struct stack_copy copy,
	const struct unwind_regs *to, uint64_t fp, uint64_t cfa)
{
	uint64_t known_fp = UINT64_C(1) << machine->fp & to->known;
	uint64_t next_fp;
	uint64_t pc;

	if (fp % sizeof(fp) != 0 || !stack_copy_word(&copy, fp, &next_fp) ||
		!stack_copy_word(&copy, fp + sizeof(fp), &pc))
		return false;
	if ((pc & machine->address_mask) != to->pc ||
		(known_fp && to->values[machine->fp] != next_fp))
		return false;
	/* Where there is a link register the pair lies at the frame's lower end. */
	return machine->has_link_register || fp + 2 * sizeof(fp) == cfa;
}

/* A caller further up than this is not believed: the address is something else. */
#define STACK_BYTES_MAX (UINT64_C(256) << 20)

struct unwinder {
	const struct unwind_machine *machine;
	struct frame_cache cache;
	struct step_counts counts;
	bool check;
};

struct walk {
	struct unwinder *unwinder;
	const struct unwind_machine *machine;
	const struct unwind_input *input;
	struct unwind_regs regs;      /* of the frame that the walk is at */
	const struct unwind_map *map; /* where its code is; NULL: not known */
	struct stack_copy copy;
	uint64_t floor;  /* the caller's frame ends above */
	bool exact;      /* it was executing at regs.pc */
	size_t nreturns; /* of the input's, so far */
	enum unwind_end end;
};

struct unwinder *
unwinder_new(const struct unwind_machine *machine)
{
	struct unwinder *unwinder = mem_zalloc(1, sizeof(*unwinder));

	unwinder->machine = machine;
	frame_cache_init(&unwinder->cache);
	return unwinder;
}

void
unwinder_free(struct unwinder *unwinder)
{
	if (!unwinder)
		return;
	frame_cache_release(&unwinder->cache);
	step_counts_release(&unwinder->counts);
	free(unwinder);
}

void
unwinder_check_frame_pointers(struct unwinder *unwinder, bool on)
{
	unwinder->check = on;
}

void
unwinder_frame_pointers(const struct unwinder *unwinder, const struct unwind_table *table,
	uint64_t *steps, uint64_t *alike)
{
	struct step_count count = step_counts_get(&unwinder->counts, table);

	*steps = count.steps;
	*alike = count.alike;
}

/* Each way to end returns false, so that a step can say `return end_at(...)`. */
static bool
end_at(struct walk *walk, enum unwind_end end)
{
	walk->end = end;
	return false;
}

/* Memory at copy.missing is needed, and is not in the copy. */
static bool
end_missing(struct walk *walk)
{
	const struct stack_copy *copy = &walk->copy;
	uint64_t at = copy->missing - copy->base;
	bool beyond = at < STACK_BYTES_MAX && at + sizeof(uint64_t) > copy->len;

	/*
	 * A copy that is shorter than there was room for ends where the stack does, or at a page
	 * of a large buffer that the program has not touched yet: no longer one would do better.
	 */
	if (beyond && walk->input->stack_bytes >= walk->input->stack_wanted)
		return end_at(walk, UNWIND_TRUNCATED);
	return end_at(walk, UNWIND_BROKEN);
}

const struct unwind_map *
unwind_space_map(const struct unwind_space *space, uint64_t address)
{
	if (space->find)
		return space->find(space->context, address);
	size_t until = search_until(
		space->maps, space->nmaps, SEARCH_BY(struct unwind_map, start), address);

	return until > 0 && address < space->maps[until - 1].end ? &space->maps[until - 1] : NULL;
}

/* The frame of the code at `pc`, and its map: mostly its callee's. */
static const struct cached_frame *
find_frame(struct walk *walk, uint64_t pc, bool exact)
{
	static const struct cached_frame no_row;
	/* A return address is behind its call, possibly in the next function. */
	uint64_t address = exact ? pc : pc - 1;
	const struct unwind_map *map = walk->map;

	if (!map || address - map->start >= map->end - map->start)
		walk->map = map = unwind_space_map(walk->input->space, address);
	if (!map || !map->table)
		return &no_row;
	uint64_t file_offset = address - map->start + map->file_offset;

	return exact ? frame_cache_find_leaf(&walk->unwinder->cache, map->table, file_offset)
		     : frame_cache_find(&walk->unwinder->cache, map->table, file_offset);
}

static bool
run_expression(struct walk *walk, const struct cached_frame *frame, int32_t where,
	const uint64_t *cfa, uint64_t *result)
{
	struct expression expression = unwind_table_expression(frame->table, (uint32_t)where);

	return expression_run(&expression, &walk->regs, &walk->copy, cfa, result);
}

static bool
find_cfa(struct walk *walk, const struct cached_frame *frame, uint64_t *cfa)
{
	if (frame->cfa_kind == UNWIND_CFA_EXPRESSION)
		return run_expression(walk, frame, frame->cfa_value, NULL, cfa);
	if (!(walk->regs.known & BIT(frame->cfa_reg)))
		return false;
	*cfa = walk->regs.values[frame->cfa_reg] + (uint64_t)(int64_t)frame->cfa_value;
	return true;
}

static bool
find_saved(struct walk *walk, const struct cached_frame *frame, const struct unwind_rule *rule,
	uint64_t cfa, uint64_t *value)
{
	uint64_t address = cfa + (uint64_t)(int64_t)rule->value;

	switch ((enum unwind_rule_kind)rule->kind) {
	case UNWIND_AT_CFA:
		return stack_copy_word(&walk->copy, address, value);
	case UNWIND_CFA_PLUS:
		*value = address;
		return true;
	case UNWIND_IN_REGISTER:
		*value = walk->regs.values[rule->value];
		return walk->regs.known & BIT(rule->value);
	case UNWIND_AT_EXPRESSION:
		return run_expression(walk, frame, rule->value, &cfa, &address) &&
		       stack_copy_word(&walk->copy, address, value);
	case UNWIND_EXPRESSION:
		return run_expression(walk, frame, rule->value, &cfa, value);
	}
	return false;
}

/*
 * A register saved below the leaf's stack pointer was popped: it has its value again. Compilers do
 * not say so in the rows of a function's last instructions. Without a link register, popping the
 * return address is the return itself.
 */
static bool
was_popped(const struct walk *walk, const struct unwind_rule *rule)
{
	const struct unwind_machine *machine = walk->machine;

	return rule->kind == UNWIND_AT_CFA && walk->copy.missing < walk->copy.base &&
	       walk->copy.base - walk->copy.missing < STACK_BYTES_MAX &&
	       (machine->has_link_register || rule->reg != machine->return_column);
}

/*
 * All words from `lowest` to `highest` bytes off `address`, where all are in the copy: the word at
 * offset 0 would be at the pointer returned. NULL where some are not; `missing` is not set then.
 */
static const unsigned char *
words_of_copy(struct stack_copy *stack, uint64_t address, int32_t lowest, int32_t highest)
{
	uint64_t at = address - stack->base;
	int64_t end = (int64_t)at + highest + (int64_t)sizeof(uint64_t);

	/* The copy, and anything just behind it, is within 64 KiB of its start. */
	if (at > INT32_MAX || (int64_t)at + lowest < 0 || end > (int64_t)stack->len)
		return NULL;
	if ((uint64_t)end > stack->reached)
		stack->reached = (uint64_t)end;
	return stack->bytes + at;
}

/* The same for the rules of nearly all rows: words of the copy, all of them there. */
static bool
take_plain_rules(struct walk *walk, const struct unwind_saves *saves, uint64_t cfa)
{
	const unsigned char *at = words_of_copy(&walk->copy, cfa, saves->lowest, saves->highest);
	struct unwind_regs *regs = &walk->regs;
	unsigned sp = walk->machine->sp;
	uint64_t known = (regs->known & saves->kept) | BIT(sp);

	if (!at)
		return false;
	regs->values[sp] = cfa;
	for (size_t i = 0; i < saves->nrules; i++) {
		const struct unwind_rule *rule = &saves->rules[i];

		memcpy(&regs->values[rule->reg], at + rule->value, sizeof(regs->values[0]));
		known |= BIT(rule->reg);
	}
	regs->known = known;
	return true;
}

/* Makes `to`, a copy of walk->regs or these themselves, those of the caller. */
static void
apply_rules(
	struct walk *walk, const struct cached_frame *frame, uint64_t cfa, struct unwind_regs *to)
{
	const struct unwind_saves *saves = frame->saves;
	uint64_t before = walk->regs.known;
	uint64_t value;

	to->known = (before & saves->kept) | BIT(walk->machine->sp);
	to->values[walk->machine->sp] = cfa;
	for (size_t i = 0; i < saves->nrules; i++) {
		const struct unwind_rule *rule = &saves->rules[i];

		if (find_saved(walk, frame, rule, cfa, &value)) {
			to->values[rule->reg] = value;
			to->known |= BIT(rule->reg);
		} else {
			to->known &= ~BIT(rule->reg);
			if (was_popped(walk, rule))
				to->known |= before & BIT(rule->reg);
		}
	}
}

/* Makes walk->regs those of the caller, but for the program counter. */
static void
take_rules(struct walk *walk, const struct cached_frame *frame, uint64_t cfa)
{
	if (frame->saves->plain) {
		apply_rules(walk, frame, cfa, &walk->regs);
		return;
	}
	/* Rules about other registers mean their values before the step. */
	struct unwind_regs after = walk->regs;

	apply_rules(walk, frame, cfa, &after);
	walk->regs = after;
}

/* By the frame pointer, where there are no rows: a pair of the caller's and a return address. */
static bool
step_by_frame_pointer(struct walk *walk)
{
	const struct unwind_machine *machine = walk->machine;
	struct unwind_regs *regs = &walk->regs;
	uint64_t fp = regs->values[machine->fp];
	uint64_t next_fp;
	uint64_t pc;

	if (!(regs->known & BIT(machine->fp)))
		return end_at(walk, UNWIND_BROKEN);
	/* So start-up code marks the outermost frame: AMD64 supplement, section 3.4.1. */
	if (fp == 0 && !walk->exact)
		return end_at(walk, UNWIND_ROOT);
	if (fp % sizeof(fp) != 0 || fp < walk->floor)
		return end_at(walk, UNWIND_BROKEN);
	if (!stack_copy_word(&walk->copy, fp, &next_fp) ||
		!stack_copy_word(&walk->copy, fp + sizeof(fp), &pc))
		return end_missing(walk);
	pc &= machine->address_mask;
	if (pc == 0)
		return end_at(walk, UNWIND_ROOT);
	const struct cached_frame *caller = find_frame(walk, pc, false);

	/* A caller with rows may have put anything into the register. */
	if (!walk->map || (!caller->saves && next_fp <= fp && next_fp != 0))
		return end_at(walk, UNWIND_BROKEN);
	regs->values[machine->fp] = next_fp;
	regs->known = BIT(machine->fp);
	walk->floor = fp + 2 * sizeof(fp);
	if (!machine->has_link_register) {
		regs->values[machine->sp] = walk->floor;
		regs->values[machine->return_column] = pc;
		regs->known |= BIT(machine->sp) | BIT(machine->return_column);
	}
	regs->pc = pc;
	walk->exact = false;
	return true;
}

static bool
step_by_row(struct walk *walk, const struct cached_frame *found)
{
	const struct unwind_machine *machine = walk->machine;
	struct unwind_regs *regs = &walk->regs;
	struct cached_frame frame = *found;
	uint64_t fp =
		regs->known & BIT(machine->fp) ? regs->values[machine->fp] : STEP_NO_FRAME_POINTER;
	uint64_t cfa;

	if (frame.saves->undefined & BIT(frame.return_column))
		return end_at(walk, UNWIND_ROOT);
	walk->copy.missing = 0;
	if (!find_cfa(walk, &frame, &cfa))
		return walk->copy.missing ? end_missing(walk) : step_by_frame_pointer(walk);
	/*
	 * Only a leaf can have no frame at all (in glibc's vfork() the return address is in a
	 * register), and only a handler can have its own stack.
	 */
	if (!frame.signal && (cfa < walk->floor || (cfa == walk->floor && !walk->exact)))
		return end_at(walk, UNWIND_BROKEN);
	walk->copy.missing = 0;
	if (!frame.saves->plain || !take_plain_rules(walk, frame.saves, cfa))
		take_rules(walk, &frame, cfa);
	if (!(regs->known & BIT(frame.return_column)))
		return walk->copy.missing ? end_missing(walk) : end_at(walk, UNWIND_BROKEN);
	regs->pc = regs->values[frame.return_column] & machine->address_mask;
	/* An interrupted frame has all its registers; a call has overwritten the link register. */
	if (machine->has_link_register && !frame.signal)
		regs->known &= ~BIT(frame.return_column);
	if (regs->pc == 0)
		return end_at(walk, UNWIND_ROOT);
	if (walk->unwinder->check && !frame.signal) {
		struct step_count *count = step_counts_of(&walk->unwinder->counts, frame.table);

		count->steps++;
		count->alike += step_is_alike(machine, walk->copy, regs, fp, cfa);
	}
	/*
	 * Rows that place the return address above the CFA do not count two words that the stub
	 * pushed before: those of glibc's _dl_runtime_resolve.
	 */
	if (machine->has_link_register && frame.saves->plain && frame.saves->highest > 0)
		regs->values[machine->sp] += 2 * sizeof(uint64_t);
	walk->floor = regs->values[machine->sp];
	walk->exact = frame.signal;
	return true;
}

/*
 * A leaf in code without rows returns by the link register, if that leads into other code: had it
 * called anyone before, its own address would be there. The vDSO's functions on AArch64 are such
 * code.
 */
static bool
step_by_link_register(struct walk *walk)
{
	const struct unwind_machine *machine = walk->machine;
	const struct unwind_map *map = walk->map;
	struct unwind_regs *regs = &walk->regs;
	uint64_t pc = regs->values[machine->return_column] & machine->address_mask;

	if (!machine->has_link_register || !walk->exact || pc == 0 ||
		!(regs->known & BIT(machine->return_column)))
		return false;
	const struct cached_frame *caller = find_frame(walk, pc, false);

	if (walk->map == map || !caller->saves) {
		walk->map = map;
		return false;
	}
	regs->pc = pc;
	regs->known &= machine->callee_saved | BIT(machine->sp);
	walk->exact = false;
	return true;
}

/* Steps to the interrupted code, where the machine recognises the signal frame by its layout. */
static bool
step_by_signal_frame(struct walk *walk)
{
	if (!signal_frame_leave(walk->machine, &walk->copy, walk->exact, &walk->regs))
		return false;
	walk->floor = walk->regs.values[walk->machine->sp];
	walk->exact = true;
	return true;
}

/*
 * Where a trampoline that the walk is in keeps its return address; 0 where it is in none. One is in
 * memory without rows, and was called by the file that it was copied from. The ABI has the stack
 * pointer 8 off a multiple of 16 where a function begins and ends, and at a multiple where it
 * calls: AMD64 supplement, section 3.2.2.
 */
static uint64_t
find_trampoline(struct walk *walk)
{
	const struct unwind_space *space = walk->input->space;
	const struct unwind_map *map = walk->map;
	uint64_t at = walk->regs.values[walk->machine->sp];
	uint64_t pc;

	if (!space->trampolines || map->table || !(walk->regs.known & BIT(walk->machine->sp)))
		return 0;
	if (at % 16 == 0)
		at += space->trampoline_bytes;
	if (!stack_copy_word(&walk->copy, at, &pc))
		return at;
	find_frame(walk, pc, false);
	const struct unwind_map *caller = walk->map;

	walk->map = map;
	return caller && caller->table == space->trampolines ? at : 0;
}

/* Out of the trampoline whose return address is at `at`. */
static bool
step_by_trampoline(struct walk *walk, uint64_t at)
{
	const struct unwind_machine *machine = walk->machine;
	struct unwind_regs *regs = &walk->regs;

	if (!stack_copy_word(&walk->copy, at, &regs->pc))
		return end_missing(walk);
	walk->floor = at + sizeof(regs->pc);
	walk->exact = false;
	regs->values[machine->sp] = walk->floor;
	regs->known &= machine->callee_saved | BIT(machine->sp);
	return true;
}

/* From a frame to its caller; false at the end. */
static bool
step(struct walk *walk, const struct cached_frame *frame)
{
	if (!walk->map)
		return end_at(walk, UNWIND_BROKEN);
	/* Rows of old kernels lead by the frame record: past the function that was interrupted. */
	if ((frame->signal || !frame->saves) && step_by_signal_frame(walk))
		return true;
	if (frame->saves)
		return step_by_row(walk, frame);
	uint64_t trampoline = find_trampoline(walk);

	if (trampoline)
		return step_by_trampoline(walk, trampoline);
	return step_by_link_register(walk) || step_by_frame_pointer(walk);
}

/* Whether the walk is where the kernel made a function return to, which no call lies before. */
static bool
is_replaced(const struct walk *walk)
{
	const uint64_t pc = walk->regs.pc;

	if (walk->exact || walk->nreturns == walk->input->nreturns)
		return false;
	const struct unwind_map *map = unwind_space_map(walk->input->space, pc);

	return map && !map->table && pc == map->start;
}

static void
walk_space(struct walk *walk, struct unwind_stack *stack)
{
	const struct cached_frame *frame;

	stack->count = 0;
	do {
		if (is_replaced(walk))
			walk->regs.pc = walk->input->returns[walk->nreturns++];
		frame = find_frame(walk, walk->regs.pc, walk->exact);
		stack->frames[stack->count++] = (struct unwind_frame){
			.address = walk->regs.pc,
			.map = walk->map,
			.exact = walk->exact,
		};
	} while (stack->count < UNWIND_DEPTH_MAX && step(walk, frame));
}

void
unwinder_walk(
	struct unwinder *unwinder, const struct unwind_input *input, struct unwind_stack *stack)
{
	const struct unwind_machine *machine = unwinder->machine;
	struct walk walk = {
		.unwinder = unwinder,
		.machine = machine,
		.input = input,
		.regs = input->regs,
		.floor = input->regs.values[machine->sp],
		.exact = true,
		.end = UNWIND_TOO_DEEP,
	};

	walk.copy.bytes = input->stack;
	walk.copy.len = input->stack ? input->stack_bytes : 0;
	walk.copy.base = walk.floor;
	if (input->space) {
		walk_space(&walk, stack);
	} else {
		stack->frames[0] = (struct unwind_frame){input->regs.pc, NULL, true};
		stack->count = 1;
		walk.end = UNWIND_BROKEN;
	}
	stack->end = walk.end;
	stack->reached_bytes = walk.copy.reached;
}

/* Whether a row says that the return address is still in its register; false without a row. */
static bool
is_unsaved(const struct unwind_machine *machine, const struct unwind_map *map, uint64_t pc)
{
	struct unwind_found found;

	return map->table &&
	       unwind_table_find(map->table, pc - map->start + map->file_offset, &found) &&
	       !found.row->signal && found.row->return_column == machine->return_column &&
	       (found.saves->kept & BIT(machine->return_column));
}

bool
unwind_leaf_caller(const struct unwind_machine *machine, const struct unwind_space *space,
	const struct unwind_regs *regs, uint64_t pc, uint64_t *caller)
{
	const struct unwind_map *map = space ? unwind_space_map(space, pc) : NULL;

	if (!map || !machine->has_link_register || !(regs->known & BIT(machine->return_column)))
		return false;
	*caller = regs->values[machine->return_column] & machine->address_mask;
	const struct unwind_map *other = *caller ? unwind_space_map(space, *caller - 1) : NULL;

	/* Code without rows has made no call yet, if the address is in another map. */
	return other && (is_unsaved(machine, map, pc) || (!map->table && other != map));
}

/* Batches of samples. */

/* At most this much of a stack is prefetched. */
#define AHEAD_BYTES ((size_t)2048)
#define LINE_BYTES ((size_t)64)

void
unwind_batch_release(struct unwind_batch *batch)
{
	free(batch->samples);
	free(batch->frames);
	*batch = (struct unwind_batch){.count = 0};
}

void
unwind_batch_clear(struct unwind_batch *batch)
{
	batch->count = 0;
	batch->nframes = 0;
}

struct unwind_sample *
unwind_batch_add(struct unwind_batch *batch)
{
	batch->samples = mem_grow(
		batch->samples, &batch->capacity, batch->count + 1, sizeof(*batch->samples));
	struct unwind_sample *sample = &batch->samples[batch->count++];

	*sample = (struct unwind_sample){.end = UNWIND_BROKEN};
	return sample;
}

static void
add_stack(
	struct unwind_batch *batch, struct unwind_sample *sample, const struct unwind_stack *stack)
{
	batch->frames = mem_grow(batch->frames, &batch->frames_capacity,
		batch->nframes + stack->count, sizeof(*batch->frames));
	memcpy(batch->frames + batch->nframes, stack->frames,
		stack->count * sizeof(*stack->frames));
	sample->nframes = stack->count;
	sample->end = stack->end;
	sample->reached_bytes = stack->reached_bytes;
	batch->nframes += stack->count;
}

/*
 * Samples are no longer in the caches, and a walk goes from word to word: each would be another
 * cache miss. As much is prefetched as the previous walk read.
 */
static void
fetch_ahead(const struct unwind_sample *sample, uint64_t reached_bytes)
{
	size_t bytes = reached_bytes < AHEAD_BYTES ? reached_bytes : AHEAD_BYTES;
	const char *regs = (const char *)sample->regs;

	if (bytes > sample->stack_bytes)
		bytes = sample->stack_bytes;
	for (size_t at = 0; at < sample->nregs * sizeof(*sample->regs); at += LINE_BYTES)
		__builtin_prefetch(regs + at);
	for (size_t at = 0; at < bytes; at += LINE_BYTES)
		__builtin_prefetch(sample->stack + at);
}

/* Only after all are unwound: the frames move when they grow. */
static void
find_frames(struct unwind_batch *batch)
{
	const struct unwind_frame *frames = batch->frames;

	for (size_t i = 0; i < batch->count; i++) {
		batch->samples[i].frames = frames;
		frames += batch->samples[i].nframes;
	}
}

void
unwind_batch_run(struct unwind_batch *batch, struct unwinder *unwinder)
{
	const struct unwind_machine *machine = unwinder->machine;
	struct unwind_stack *stack = mem_zalloc(1, sizeof(*stack));

	for (size_t i = 0; i < batch->count; i++) {
		struct unwind_sample *sample = &batch->samples[i];
		struct unwind_input input = {
			.space = sample->space,
			.stack = sample->stack,
			.stack_bytes = sample->stack_bytes,
			.stack_wanted = sample->stack_wanted,
			.returns = sample->returns,
			.nreturns = sample->nreturns,
		};

		if (i + 1 < batch->count)
			fetch_ahead(sample + 1, stack->reached_bytes);
		if (!unwind_regs_from_sample(
			    machine, sample->regs_mask, sample->regs, sample->nregs, &input.regs))
			continue;
		input.regs.pc -= sample->pc_back;
		unwinder_walk(unwinder, &input, stack);
		add_stack(batch, sample, stack);
	}
	find_frames(batch);
	free(stack);
}
