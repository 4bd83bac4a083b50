/*
 * The interpreter of DWARF expressions in unwind rows.
 */
#include "unwind/unwind_internal.h"

#include "dwarf/cursor.h"

#include <dwarf.h>

#define STACK_MAX 64
/* Loops are possible; no compiler makes one. */
#define STEPS_MAX 1000

struct machine_state {
	struct cursor cursor;
	const unsigned char *start;
	const struct unwind_regs *regs;
	struct stack_copy *stack;
	uint64_t values[STACK_MAX];
	unsigned count;
};

static bool
push_value(struct machine_state *state, uint64_t value)
{
	if (state->count == STACK_MAX)
		return false;
	state->values[state->count++] = value;
	return true;
}

/* The value `depth` below the top; NULL if there are not so many. */
static uint64_t *
peek(struct machine_state *state, uint64_t depth)
{
	return depth < state->count ? &state->values[state->count - 1 - depth] : NULL;
}

static bool
push_copy(struct machine_state *state, uint64_t depth)
{
	const uint64_t *value = peek(state, depth);

	return value && push_value(state, *value);
}

static bool
push_register(struct machine_state *state, uint64_t reg, int64_t offset)
{
	if (reg >= UNWIND_REGS || !(state->regs->known & (UINT64_C(1) << reg)))
		return false;
	return push_value(state, state->regs->values[reg] + (uint64_t)offset);
}

static bool
deref(struct machine_state *state, uint64_t size)
{
	uint64_t *top = peek(state, 0);

	if (!top || (size != 1 && size != 2 && size != 4 && size != 8))
		return false;
	return stack_copy_read(state->stack, *top, size, top);
}

/* Literals and constants. */
static bool
run_constant(struct machine_state *state, unsigned op)
{
	struct cursor *cursor = &state->cursor;

	/* For 1, 2, 4 and 8 bytes, each unsigned and signed. */
	if (op >= DW_OP_const1u && op <= DW_OP_const8s) {
		size_t size = (size_t)1 << (op - DW_OP_const1u) / 2;
		bool is_signed = (op - DW_OP_const1u) % 2 != 0;

		return push_value(state, is_signed ? (uint64_t)cursor_signed(cursor, size)
						   : cursor_fixed(cursor, size));
	}
	if (op == DW_OP_constu)
		return push_value(state, cursor_uleb(cursor));
	/* DW_OP_addr cannot be evaluated: the load address is not known here. */
	return op == DW_OP_consts && push_value(state, (uint64_t)cursor_sleb(cursor));
}

static bool
run_stack(struct machine_state *state, unsigned op)
{
	uint64_t *top = peek(state, 0);
	const uint64_t *second = peek(state, 1);
	const uint64_t *third = peek(state, 2);

	switch (op) {
	case DW_OP_dup:
		return push_copy(state, 0);
	case DW_OP_over:
		return push_copy(state, 1);
	case DW_OP_pick:
		return push_copy(state, cursor_fixed(&state->cursor, 1));
	case DW_OP_drop:
		if (!top)
			return false;
		state->count--;
		return true;
	case DW_OP_swap:
	case DW_OP_rot:
		break;
	default:
		return false;
	}
	/* The top goes below one or two others. */
	unsigned moved = op == DW_OP_swap ? 1 : 2;

	if (!top || !second || (moved == 2 && !third))
		return false;
	uint64_t value = *top;

	memmove(top - moved + 1, top - moved, moved * sizeof(value));
	*(top - moved) = value;
	return true;
}

/* Operations on the top value only. */
static bool
run_unary(struct machine_state *state, unsigned op)
{
	uint64_t *top = peek(state, 0);

	if (!top)
		return false;
	switch (op) {
	case DW_OP_abs:
		*top = (int64_t)*top < 0 ? -*top : *top;
		return true;
	case DW_OP_neg:
		*top = -*top;
		return true;
	case DW_OP_not:
		*top = ~*top;
		return true;
	case DW_OP_plus_uconst:
		*top += cursor_uleb(&state->cursor);
		return true;
	case DW_OP_deref:
		return deref(state, 8);
	case DW_OP_deref_size:
		return deref(state, cursor_fixed(&state->cursor, 1));
	default:
		return false;
	}
}

static bool
divide(unsigned op, uint64_t left, uint64_t right, uint64_t *result)
{
	if (right == 0)
		return false;
	if (op == DW_OP_mod)
		*result = left % right;
	else if (right == UINT64_MAX)
		*result = -left; /* the one quotient that may not fit */
	else
		*result = (uint64_t)((int64_t)left / (int64_t)right);
	return true;
}

static uint64_t
shift(unsigned op, uint64_t value, uint64_t by)
{
	bool negative = op == DW_OP_shra && (int64_t)value < 0;

	if (by >= 64)
		return negative ? UINT64_MAX : 0;
	if (op == DW_OP_shl)
		return value << by;
	return value >> by | (negative && by > 0 ? UINT64_MAX << (64 - by) : 0);
}

/* Operations that replace two values by one. */
static bool
run_binary(struct machine_state *state, unsigned op)
{
	if (state->count < 2)
		return false;
	uint64_t right = state->values[--state->count];
	uint64_t *left = peek(state, 0);
	int64_t a = (int64_t)*left;
	int64_t b = (int64_t)right;

	switch (op) {
	case DW_OP_and:
		*left &= right;
		return true;
	case DW_OP_or:
		*left |= right;
		return true;
	case DW_OP_xor:
		*left ^= right;
		return true;
	case DW_OP_plus:
		*left += right;
		return true;
	case DW_OP_minus:
		*left -= right;
		return true;
	case DW_OP_mul:
		*left *= right;
		return true;
	case DW_OP_div:
	case DW_OP_mod:
		return divide(op, *left, right, left);
	case DW_OP_shl:
	case DW_OP_shr:
	case DW_OP_shra:
		*left = shift(op, *left, right);
		return true;
	case DW_OP_eq:
		*left = a == b;
		return true;
	case DW_OP_ne:
		*left = a != b;
		return true;
	case DW_OP_lt:
		*left = a < b;
		return true;
	case DW_OP_le:
		*left = a <= b;
		return true;
	case DW_OP_gt:
		*left = a > b;
		return true;
	case DW_OP_ge:
		*left = a >= b;
		return true;
	default:
		return false;
	}
}

static bool
run_branch(struct machine_state *state, unsigned op)
{
	int64_t distance = cursor_signed(&state->cursor, 2);

	if (op == DW_OP_bra) {
		if (state->count == 0)
			return false;
		if (state->values[--state->count] == 0)
			return true;
	}
	if (distance < state->start - state->cursor.at ||
		distance > state->cursor.end - state->cursor.at)
		return false;
	state->cursor.at += distance;
	return true;
}

static bool
run_operation(struct machine_state *state)
{
	struct cursor *cursor = &state->cursor;
	unsigned op = (unsigned)cursor_fixed(cursor, 1);

	if (op >= DW_OP_lit0 && op <= DW_OP_lit31)
		return push_value(state, op - DW_OP_lit0);
	if (op >= DW_OP_breg0 && op <= DW_OP_breg31)
		return push_register(state, op - DW_OP_breg0, cursor_sleb(cursor));
	if (op == DW_OP_bregx) {
		uint64_t reg = cursor_uleb(cursor);

		return push_register(state, reg, cursor_sleb(cursor));
	}
	if (op == DW_OP_nop)
		return true;
	if (op == DW_OP_skip || op == DW_OP_bra)
		return run_branch(state, op);
	if (op >= DW_OP_addr && op <= DW_OP_consts && op != DW_OP_deref)
		return run_constant(state, op);
	if (op >= DW_OP_dup && op <= DW_OP_rot)
		return run_stack(state, op);
	if (op == DW_OP_abs || op == DW_OP_neg || op == DW_OP_not || op == DW_OP_plus_uconst ||
		op == DW_OP_deref || op == DW_OP_deref_size)
		return run_unary(state, op);
	return run_binary(state, op);
}

bool
expression_run(const struct expression *expression, const struct unwind_regs *regs,
	struct stack_copy *stack, const uint64_t *cfa, uint64_t *result)
{
	struct machine_state state;

	/* The values are set as they are pushed. */
	state.start = expression->bytes;
	state.cursor =
		(struct cursor){expression->bytes, expression->bytes + expression->len, false};
	state.regs = regs;
	state.stack = stack;
	state.count = 0;
	if (cfa)
		push_value(&state, *cfa);
	for (unsigned steps = 0; state.cursor.at < state.cursor.end; steps++) {
		if (steps == STEPS_MAX || !run_operation(&state) || state.cursor.failed)
			return false;
	}
	if (state.count == 0)
		return false;
	*result = state.values[state.count - 1];
	return true;
}
