#include "shim/frame_expression.h"

#include "shim/frame_registers.h"

#include <dwarf.h>

#define EXPRESSION_VALUES 16

/* Registers in an expression: numbers that tell whose multiple a result is. */
static bool
value_of(uintptr_t pc, uint64_t reg, int64_t offset, int64_t *value)
{
	if (reg == FRAME_SP)
		*value = (INT64_C(1) << 40) + offset;
	else if (reg == FRAME_FP)
		*value = (INT64_C(2) << 40) + offset;
	else if (reg == FRAME_RA && FRAME_RA != FRAME_FP)
		*value = (int64_t)pc + offset;
	else
		return false;
	return true;
}

static bool
run_binary(unsigned op, int64_t left, int64_t right, int64_t *result)
{
	switch (op) {
	case DW_OP_and:
		*result = left & right;
		return true;
	case DW_OP_plus:
		*result = left + right;
		return true;
	case DW_OP_minus:
		*result = left - right;
		return true;
	case DW_OP_ge:
		*result = left >= right;
		return true;
	case DW_OP_shl:
		*result = right >= 0 && right < 32 ? (int64_t)((uint64_t)left << right) : 0;
		return true;
	default:
		return false;
	}
}

static bool
evaluate(struct cursor cursor, uintptr_t pc, int64_t *value, bool *load)
{
	int64_t values[EXPRESSION_VALUES];
	unsigned n = 0;

	*load = false;
	while (cursor.at < cursor.end && !*load) {
		unsigned op = *cursor.at++;
		bool good = n < EXPRESSION_VALUES;

		if (!good)
			return false;
		if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
			good = value_of(pc, op - DW_OP_breg0, cursor_sleb(&cursor), &values[n]);
			n++;
		} else if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
			values[n++] = op - DW_OP_lit0;
		} else if (op == DW_OP_plus_uconst && n > 0) {
			values[n - 1] += (int64_t)cursor_uleb(&cursor);
		} else if (op == DW_OP_deref && n == 1) {
			*load = true;
		} else {
			good = n >= 2 &&
			       run_binary(op, values[n - 2], values[n - 1], &values[n - 2]);
			n--;
		}
		if (!good || cursor.failed)
			return false;
	}
	*value = n == 1 ? values[0] : 0;
	return n == 1 && cursor.at == cursor.end;
}

bool
frame_expression(struct cursor expression, uintptr_t pc, struct frame_place *place)
{
	int64_t value;

	if (!evaluate(expression, pc, &value, &place->load))
		return false;
	uint64_t number = (uint64_t)((value + (INT64_C(1) << 39)) >> 40);

	if (number != 1 && number != 2)
		return false;
	place->reg = number == 1 ? FRAME_SP : FRAME_FP;
	place->offset = value - (int64_t)(number << 40);
	return true;
}
