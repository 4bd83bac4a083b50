/*
 * Runs the instructions of a function's call frame information, which make its unwind rows.
 */
#include "base/mem.h"
#include "dwarf/cursor.h"
#include "unwind/unwind_internal.h"

#include <dwarf.h>

/* AADWARF64: the same opcode as SPARC's DW_CFA_GNU_window_save, and one of 2023. */
#define CFA_NEGATE_RA_STATE 0x2d
#define CFA_NEGATE_RA_STATE_WITH_PC 0x2c

/* States that DW_CFA_remember_state can push; compilers need one or two. */
#define REMEMBERED_MAX 16

struct state {
	uint8_t cfa_kind;
	uint8_t cfa_reg;
	int32_t cfa_value;
	/*
	 * Each register is in at most one of these; those in none follow the machine's conventions.
	 */
	uint64_t ruled;
	uint64_t same;
	uint64_t undefined;
	struct unwind_rule rules[UNWIND_REGS];
};

struct run {
	const struct cfi_program *program;
	struct cursor cursor;
	struct state now;
	struct state initial;
	struct state remembered[REMEMBERED_MAX];
	unsigned nremembered;
	uint64_t at; /* address that the next row is for */
	struct saves *saves;
	struct cfi_rows *rows; /* NULL while the CIE's instructions run */
	bool changed;          /* `now` has other rules than the last row */
	uint32_t saves_number; /* of the last row */
};

/* Removes the rule of a register; false for one that is not followed. */
static bool
forget(struct run *run, uint64_t reg)
{
	struct state *now = &run->now;

	if (reg >= UNWIND_REGS)
		return false;
	run->changed = true;
	now->ruled &= ~REG_BIT(reg);
	now->same &= ~REG_BIT(reg);
	now->undefined &= ~REG_BIT(reg);
	return true;
}

static void
set_rule(struct run *run, uint64_t reg, enum unwind_rule_kind kind, int64_t value)
{
	struct state *now = &run->now;

	if (!forget(run, reg))
		return;
	/* No stack is that large: the register is treated as lost. */
	if (value < INT32_MIN || value > INT32_MAX) {
		now->undefined |= REG_BIT(reg);
		return;
	}
	now->ruled |= REG_BIT(reg);
	now->rules[reg] = (struct unwind_rule){
		.reg = (uint8_t)reg, .kind = (uint8_t)kind, .value = (int32_t)value};
}

/* A register that has no rule: `mask` is the set of the unchanged or of the undefined ones. */
static void
mark_without_rule(struct run *run, uint64_t reg, uint64_t *mask)
{
	if (forget(run, reg))
		*mask |= REG_BIT(reg);
}

static void
restore(struct run *run, uint64_t reg)
{
	const struct state *initial = &run->initial;
	struct state *now = &run->now;

	if (!forget(run, reg))
		return;
	now->ruled |= initial->ruled & REG_BIT(reg);
	now->same |= initial->same & REG_BIT(reg);
	now->undefined |= initial->undefined & REG_BIT(reg);
	now->rules[reg] = initial->rules[reg];
}

static int64_t
factored(const struct run *run, uint64_t value)
{
	return (int64_t)(value * (uint64_t)run->program->cie->data_factor);
}

static bool
define_cfa(struct run *run, uint64_t reg, int64_t offset)
{
	if (reg >= UNWIND_REGS || offset < INT32_MIN || offset > INT32_MAX)
		return false;
	run->now.cfa_kind = UNWIND_CFA_REGISTER;
	run->now.cfa_reg = (uint8_t)reg;
	run->now.cfa_value = (int32_t)offset;
	return true;
}

/* Steps over an expression and returns its position, as rows have it. */
static int32_t
take_expression(struct run *run)
{
	const struct cfi_section *section = run->program->section;
	uint32_t where = (uint32_t)(run->cursor.at - section->bytes);

	if (!section->eh)
		where |= CFI_EXPRESSION_DEBUG;
	(void)cursor_take(&run->cursor, cursor_uleb(&run->cursor));
	return (int32_t)where;
}

static uint32_t
intern_saves(struct run *run)
{
	struct unwind_rule rules[UNWIND_REGS];
	const struct unwind_machine *machine = run->program->machine;
	const struct state *now = &run->now;
	uint64_t all = now->ruled | now->same | now->undefined;
	uint64_t kept_by_convention = machine->callee_saved;
	struct saves_key key = {.rules = rules, .undefined = now->undefined};

	/* Until a function saves it, its return address is where the call has put it. */
	if (machine->has_link_register)
		kept_by_convention |= REG_BIT(run->program->cie->return_column);
	key.kept = (kept_by_convention & ~all) | now->same;
	for (uint64_t left = now->ruled; left; left &= left - 1)
		rules[key.nrules++] = now->rules[__builtin_ctzll(left)];
	return saves_intern(run->saves, &key);
}

/* Ends the current row: the state holds from `at` to `next`. */
static void
end_row(struct run *run, uint64_t next)
{
	struct cfi_rows *rows = run->rows;
	const struct state *now = &run->now;

	if (!rows || next <= run->at)
		return;
	if (run->changed)
		run->saves_number = intern_saves(run);
	run->changed = false;
	struct unwind_row row = {
		.start = (uint32_t)(run->at - run->program->fde->start),
		.cfa_value = now->cfa_value,
		.saves = run->saves_number,
		.cfa_kind = now->cfa_kind,
		.cfa_reg = now->cfa_reg,
		.return_column = run->program->cie->return_column,
		.signal = run->program->cie->signal,
	};

	if (row.saves == SAVES_FULL) {
		row.saves = 0;
		row.cfa_kind = UNWIND_CFA_NONE;
	}
	const struct unwind_row *last = rows->count > 0 ? &rows->rows[rows->count - 1] : NULL;

	run->at = next;
	if (last && last->saves == row.saves && last->cfa_value == row.cfa_value &&
		last->cfa_kind == row.cfa_kind && last->cfa_reg == row.cfa_reg)
		return;
	rows->rows = mem_grow(rows->rows, &rows->capacity, rows->count + 1, sizeof(*rows->rows));
	rows->rows[rows->count++] = row;
}

static bool
advance(struct run *run, uint64_t delta)
{
	uint64_t next = run->at + delta * run->program->cie->code_factor;

	if (!run->rows)
		return false;
	end_row(run, next);
	return next >= run->at;
}

static bool
run_address(struct run *run)
{
	const struct cfi_program *program = run->program;
	uint64_t address;

	if (!run->rows ||
		!cfi_address(program->section, &run->cursor, program->cie->encoding, &address))
		return false;
	if (address < run->at)
		return false;
	end_row(run, address);
	return true;
}

static bool
run_state(struct run *run, unsigned opcode)
{
	if (opcode == DW_CFA_remember_state) {
		if (run->nremembered == REMEMBERED_MAX)
			return false;
		run->remembered[run->nremembered++] = run->now;
		return true;
	}
	if (run->nremembered == 0)
		return false;
	run->now = run->remembered[--run->nremembered];
	run->changed = true;
	return true;
}

static bool
run_cfa(struct run *run, unsigned opcode)
{
	struct cursor *cursor = &run->cursor;
	uint64_t reg = 0;

	switch (opcode) {
	case DW_CFA_def_cfa:
		reg = cursor_uleb(cursor);
		return define_cfa(run, reg, (int64_t)cursor_uleb(cursor));
	case DW_CFA_def_cfa_sf:
		reg = cursor_uleb(cursor);
		return define_cfa(run, reg, factored(run, (uint64_t)cursor_sleb(cursor)));
	case DW_CFA_def_cfa_expression:
		run->now.cfa_kind = UNWIND_CFA_EXPRESSION;
		run->now.cfa_value = take_expression(run);
		return true;
	default:
		break;
	}
	/* The others change one half of a register and an offset. */
	if (run->now.cfa_kind != UNWIND_CFA_REGISTER)
		return false;
	if (opcode == DW_CFA_def_cfa_register)
		return define_cfa(run, cursor_uleb(cursor), run->now.cfa_value);
	if (opcode == DW_CFA_def_cfa_offset)
		return define_cfa(run, run->now.cfa_reg, (int64_t)cursor_uleb(cursor));
	return define_cfa(run, run->now.cfa_reg, factored(run, (uint64_t)cursor_sleb(cursor)));
}

static bool
run_rule(struct run *run, unsigned opcode)
{
	struct cursor *cursor = &run->cursor;
	uint64_t reg = cursor_uleb(cursor);
	int64_t value;

	switch (opcode) {
	case DW_CFA_offset_extended:
		set_rule(run, reg, UNWIND_AT_CFA, factored(run, cursor_uleb(cursor)));
		return true;
	case DW_CFA_offset_extended_sf:
		set_rule(run, reg, UNWIND_AT_CFA, factored(run, (uint64_t)cursor_sleb(cursor)));
		return true;
	case DW_CFA_GNU_negative_offset_extended:
		value = factored(run, cursor_uleb(cursor));
		set_rule(run, reg, UNWIND_AT_CFA, (int64_t) - (uint64_t)value);
		return true;
	case DW_CFA_val_offset:
		set_rule(run, reg, UNWIND_CFA_PLUS, factored(run, cursor_uleb(cursor)));
		return true;
	case DW_CFA_val_offset_sf:
		set_rule(run, reg, UNWIND_CFA_PLUS, factored(run, (uint64_t)cursor_sleb(cursor)));
		return true;
	case DW_CFA_expression:
		set_rule(run, reg, UNWIND_AT_EXPRESSION, take_expression(run));
		return true;
	case DW_CFA_val_expression:
		set_rule(run, reg, UNWIND_EXPRESSION, take_expression(run));
		return true;
	case DW_CFA_register:
		value = (int64_t)cursor_uleb(cursor);
		/* From a register that is not followed: lost. */
		if (value < 0 || value >= UNWIND_REGS)
			value = INT64_MAX;
		set_rule(run, reg, UNWIND_IN_REGISTER, value);
		return true;
	case DW_CFA_same_value:
		mark_without_rule(run, reg, &run->now.same);
		return true;
	case DW_CFA_undefined:
		mark_without_rule(run, reg, &run->now.undefined);
		return true;
	case DW_CFA_restore_extended:
		restore(run, reg);
		return true;
	default:
		return false;
	}
}

/* The instructions that their whole byte identifies; false where one cannot be followed. */
static bool
run_extended(struct run *run, unsigned opcode)
{
	struct cursor *cursor = &run->cursor;

	switch (opcode) {
	case DW_CFA_nop:
	case CFA_NEGATE_RA_STATE:
	case CFA_NEGATE_RA_STATE_WITH_PC:
		/* Signatures are masked out of return addresses wherever they are. */
		return true;
	case DW_CFA_GNU_args_size:
		/* Needed for throwing exceptions, not for unwinding. */
		(void)cursor_uleb(cursor);
		return true;
	case DW_CFA_set_loc:
		return run_address(run);
	case DW_CFA_advance_loc1:
		return advance(run, cursor_fixed(cursor, 1));
	case DW_CFA_advance_loc2:
		return advance(run, cursor_fixed(cursor, 2));
	case DW_CFA_advance_loc4:
		return advance(run, cursor_fixed(cursor, 4));
	case DW_CFA_MIPS_advance_loc8:
		return advance(run, cursor_fixed(cursor, 8));
	case DW_CFA_remember_state:
	case DW_CFA_restore_state:
		return run_state(run, opcode);
	case DW_CFA_def_cfa:
	case DW_CFA_def_cfa_register:
	case DW_CFA_def_cfa_offset:
	case DW_CFA_def_cfa_expression:
	case DW_CFA_def_cfa_sf:
	case DW_CFA_def_cfa_offset_sf:
		return run_cfa(run, opcode);
	default:
		return run_rule(run, opcode);
	}
}

static bool
run_instruction(struct run *run)
{
	unsigned opcode = *run->cursor.at++;
	unsigned low = opcode & 0x3f;

	switch (opcode & 0xc0) {
	case DW_CFA_advance_loc:
		return advance(run, low);
	case DW_CFA_offset:
		set_rule(run, low, UNWIND_AT_CFA, factored(run, cursor_uleb(&run->cursor)));
		return true;
	case DW_CFA_restore:
		restore(run, low);
		return true;
	default:
		return run_extended(run, opcode);
	}
}

/* False where an instruction could not be followed. Stops behind the function's end, too. */
static bool
run_instructions(struct run *run, struct cursor instructions, uint64_t end)
{
	run->cursor = instructions;
	while (run->cursor.at < run->cursor.end && run->at < end) {
		if (!run_instruction(run) || run->cursor.failed)
			return false;
	}
	return true;
}

void
cfi_rows_run(const struct cfi_program *program, struct saves *saves, struct cfi_rows *rows)
{
	const struct cfi_fde *fde = program->fde;
	uint64_t end = fde->start + fde->size;
	struct run run;

	/* The remembered states are not cleared: they are large, and seldom used. */
	run.program = program;
	run.now = (struct state){.cfa_kind = UNWIND_CFA_NONE};
	run.initial = run.now;
	run.nremembered = 0;
	run.saves_number = 0;
	run.at = fde->start;
	run.saves = saves;
	run.rows = NULL;
	run.changed = true;
	rows->count = 0;

	bool good = run_instructions(&run, program->cie->instructions, end);

	run.initial = run.now;
	run.rows = rows;
	good = good && run_instructions(&run, fde->instructions, end);
	if (!good)
		run.now.cfa_kind = UNWIND_CFA_NONE;
	if (run.at < end)
		end_row(&run, end);
}
