#include "unwind/unwinder.h"

#include "base/mem.h"
#include "base/search.h"
#include "unwind/unwind_internal.h"

#include <stdlib.h>
#include <string.h>

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

const struct unwind_machine *
unwinder_machine(const struct unwinder *unwinder)
{
	return unwinder->machine;
}

void
unwinder_check_frame_pointers(struct unwinder *unwinder, bool on)
{
	step_counts_release(&unwinder->counts);
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
	if (!(walk->regs.known & REG_BIT(frame->cfa_reg)))
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
		return walk->regs.known & REG_BIT(rule->value);
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
 * The place of `address` in the copy of the stack, where all words from `lowest` to `highest` bytes
 * from `address` are in the copy; NULL where some are not, and `missing` is not set then.
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

/*
 * Makes walk->regs those of the caller where all registers are saved at the CFA, as in nearly all
 * rows. False, and nothing is changed, where some are beyond the copy of the stack.
 */
static bool
apply_rules_at_cfa(struct walk *walk, const struct unwind_saves *saves, uint64_t cfa)
{
	const unsigned char *at = words_of_copy(&walk->copy, cfa, saves->lowest, saves->highest);
	struct unwind_regs *regs = &walk->regs;
	unsigned sp = walk->machine->sp;
	uint64_t known = (regs->known & saves->kept) | REG_BIT(sp);

	if (!at)
		return false;
	regs->values[sp] = cfa;
	for (size_t i = 0; i < saves->nrules; i++) {
		const struct unwind_rule *rule = &saves->rules[i];

		memcpy(&regs->values[rule->reg], at + rule->value, sizeof(regs->values[0]));
		known |= REG_BIT(rule->reg);
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

	to->known = (before & saves->kept) | REG_BIT(walk->machine->sp);
	to->values[walk->machine->sp] = cfa;
	for (size_t i = 0; i < saves->nrules; i++) {
		const struct unwind_rule *rule = &saves->rules[i];

		if (find_saved(walk, frame, rule, cfa, &value)) {
			to->values[rule->reg] = value;
			to->known |= REG_BIT(rule->reg);
		} else {
			to->known &= ~REG_BIT(rule->reg);
			if (was_popped(walk, rule))
				to->known |= before & REG_BIT(rule->reg);
		}
	}
}

/* Makes walk->regs those of the caller, but for the program counter. */
static void
take_rules(struct walk *walk, const struct cached_frame *frame, uint64_t cfa)
{
	if (frame->saves->all_at_cfa) {
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

	if (!(regs->known & REG_BIT(machine->fp)))
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
	regs->known = REG_BIT(machine->fp);
	walk->floor = fp + 2 * sizeof(fp);
	if (!machine->has_link_register) {
		regs->values[machine->sp] = walk->floor;
		regs->values[machine->return_column] = pc;
		regs->known |= REG_BIT(machine->sp) | REG_BIT(machine->return_column);
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
	uint64_t fp = regs->known & REG_BIT(machine->fp) ? regs->values[machine->fp]
							 : STEP_NO_FRAME_POINTER;
	uint64_t cfa;

	if (frame.saves->undefined & REG_BIT(frame.return_column))
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
	if (!frame.saves->all_at_cfa || !apply_rules_at_cfa(walk, frame.saves, cfa))
		take_rules(walk, &frame, cfa);
	if (!(regs->known & REG_BIT(frame.return_column)))
		return walk->copy.missing ? end_missing(walk) : end_at(walk, UNWIND_BROKEN);
	regs->pc = regs->values[frame.return_column] & machine->address_mask;
	/* An interrupted frame has all its registers; a call has overwritten the link register. */
	if (machine->has_link_register && !frame.signal)
		regs->known &= ~REG_BIT(frame.return_column);
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
	if (machine->has_link_register && frame.saves->all_at_cfa && frame.saves->highest > 0)
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
		!(regs->known & REG_BIT(machine->return_column)))
		return false;
	const struct cached_frame *caller = find_frame(walk, pc, false);

	if (walk->map == map || !caller->saves) {
		walk->map = map;
		return false;
	}
	regs->pc = pc;
	regs->known &= machine->callee_saved | REG_BIT(machine->sp);
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

	if (!space->trampolines || map->table || !(walk->regs.known & REG_BIT(walk->machine->sp)))
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
	regs->known &= machine->callee_saved | REG_BIT(machine->sp);
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
	       (found.saves->kept & REG_BIT(machine->return_column));
}

bool
unwind_leaf_caller(const struct unwind_machine *machine, const struct unwind_space *space,
	const struct unwind_regs *regs, uint64_t pc, uint64_t *caller)
{
	const struct unwind_map *map = space ? unwind_space_map(space, pc) : NULL;

	if (!map || !machine->has_link_register || !(regs->known & REG_BIT(machine->return_column)))
		return false;
	*caller = regs->values[machine->return_column] & machine->address_mask;
	const struct unwind_map *other = *caller ? unwind_space_map(space, *caller - 1) : NULL;

	/* Code without rows has made no call yet, if the address is in another map. */
	return other && (is_unsaved(machine, map, pc) || (!map->table && other != map));
}
