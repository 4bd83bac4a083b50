/* Reading the rule of a frame out of .eh_frame, as shim_internal.h describes rules. */
#include "shim/shim_internal.h"

#include "dwarf/cursor.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The DWARF numbers of the registers that are followed.
 */

#if defined(__x86_64__)
#define FRAME_SP 7
#define FRAME_FP 6
#define FRAME_RA 16
#elif defined(__aarch64__)
#define FRAME_SP 31
#define FRAME_FP 29
#define FRAME_RA 30
#else
#define FRAME_SP 0
#define FRAME_FP 1
#define FRAME_RA 2
#endif

/*
 * Expressions for the CFA, of the kinds that there are.
 */

/* A register plus an offset: the CFA itself, or with `load` where it is in memory. */
struct frame_cfa {
	uint64_t reg; /* FRAME_SP or FRAME_FP */
	int64_t offset;
	bool load;
};

#define EXPRESSION_VALUES 16

/* Registers in an expression: numbers that tell whose multiple a result is. */
static bool
register_value(uintptr_t pc, uint64_t reg, int64_t offset, int64_t *value)
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
			good = register_value(
				pc, op - DW_OP_breg0, cursor_sleb(&cursor), &values[n]);
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

/*
 * The place that an expression gives at `pc`; false for one that gives none: that of the stubs
 * which call other modules (the stack pointer, and 8 more behind the stub's push), and those of
 * functions that realign their stack, which end with a load, are known.
 */
static bool
frame_expression(struct cursor expression, uintptr_t pc, struct frame_cfa *place)
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

/*
 * Runs the instructions of an entry of .eh_frame up to one address.
 *
 * Source: DWARF 5, sections 6.4.1 to 6.4.3; LSB Core 5.0, section 10.6.1.
 */

/* AADWARF64: return addresses are signed from here on; the walk removes signatures. */
#define CFA_NEGATE_RA_STATE 0x2d
#define REMEMBERED_MAX 8

/* The registers that are followed. */
enum slot { SLOT_FP, SLOT_RA, SLOTS };

enum where {
	AS_BEFORE, /* the same in the caller */
	AT_CFA,    /* in memory, at the CFA plus a value */
	GONE,      /* undefined */
	ELSEWHERE, /* what cannot be followed */
};

struct saved {
	uint8_t where;
	int32_t value;
};

struct state {
	int64_t cfa;
	uint64_t cfa_reg;
	struct cursor expression; /* of the CFA; at NULL: register and offset */
	struct saved saved[SLOTS];
};

struct program {
	struct cursor cursor;
	struct state now;
	struct state initial;
	struct state remembered[REMEMBERED_MAX];
	unsigned nremembered;
	uint64_t code_factor;
	int64_t data_factor;
	uint64_t ra_column;
	uint8_t encoding;
	bool signal;
	uintptr_t at;
	uintptr_t target;
};

static struct cursor
block(struct cursor *cursor)
{
	uint64_t len = cursor_uleb(cursor);
	const unsigned char *start = cursor_take(cursor, len);

	return (struct cursor){start, start ? start + len : start, start == NULL};
}

static void
save(struct program *program, uint64_t reg, enum where where, int64_t value)
{
	enum slot slot = reg == FRAME_FP ? SLOT_FP : SLOT_RA;

	if (reg != FRAME_FP && reg != program->ra_column)
		return;
	if (value < INT32_MIN || value > INT32_MAX)
		where = ELSEWHERE;
	program->now.saved[slot] = (struct saved){(uint8_t)where, (int32_t)value};
}

static void
restore(struct program *program, uint64_t reg)
{
	if (reg == FRAME_FP)
		program->now.saved[SLOT_FP] = program->initial.saved[SLOT_FP];
	else if (reg == program->ra_column)
		program->now.saved[SLOT_RA] = program->initial.saved[SLOT_RA];
}

static void
advance(struct program *program, uint64_t delta)
{
	program->at += delta * program->code_factor;
}

static int64_t
scaled(const struct program *program, uint64_t value)
{
	return (int64_t)(value * (uint64_t)program->data_factor);
}

static bool
run_cfa(struct program *program, unsigned op)
{
	struct cursor *cursor = &program->cursor;
	struct state *now = &program->now;

	switch (op) {
	case DW_CFA_def_cfa:
		now->cfa_reg = cursor_uleb(cursor);
		now->cfa = (int64_t)cursor_uleb(cursor);
		break;
	case DW_CFA_def_cfa_sf:
		now->cfa_reg = cursor_uleb(cursor);
		now->cfa = scaled(program, (uint64_t)cursor_sleb(cursor));
		break;
	case DW_CFA_def_cfa_register:
		now->cfa_reg = cursor_uleb(cursor);
		break;
	case DW_CFA_def_cfa_offset:
		now->cfa = (int64_t)cursor_uleb(cursor);
		break;
	case DW_CFA_def_cfa_offset_sf:
		now->cfa = scaled(program, (uint64_t)cursor_sleb(cursor));
		break;
	case DW_CFA_def_cfa_expression:
		now->expression = block(cursor);
		return true;
	default:
		return false;
	}
	now->expression.at = NULL;
	return true;
}

static bool
run_save(struct program *program, unsigned op)
{
	struct cursor *cursor = &program->cursor;
	uint64_t reg = cursor_uleb(cursor);

	switch (op) {
	case DW_CFA_offset_extended:
		save(program, reg, AT_CFA, scaled(program, cursor_uleb(cursor)));
		return true;
	case DW_CFA_offset_extended_sf:
		save(program, reg, AT_CFA, scaled(program, (uint64_t)cursor_sleb(cursor)));
		return true;
	case DW_CFA_restore_extended:
		restore(program, reg);
		return true;
	case DW_CFA_undefined:
		save(program, reg, GONE, 0);
		return true;
	case DW_CFA_same_value:
		save(program, reg, AS_BEFORE, 0);
		return true;
	case DW_CFA_register:
	case DW_CFA_val_offset:
		(void)cursor_uleb(cursor);
		save(program, reg, ELSEWHERE, 0);
		return true;
	case DW_CFA_val_offset_sf:
		(void)cursor_sleb(cursor);
		save(program, reg, ELSEWHERE, 0);
		return true;
	case DW_CFA_expression:
	case DW_CFA_val_expression:
		(void)block(cursor);
		save(program, reg, ELSEWHERE, 0);
		return true;
	default:
		return false;
	}
}

static bool
run_whole_byte(struct program *program, unsigned op)
{
	struct cursor *cursor = &program->cursor;

	switch (op) {
	case DW_CFA_nop:
	case CFA_NEGATE_RA_STATE:
		return true;
	case DW_CFA_GNU_args_size:
		(void)cursor_uleb(cursor);
		return true;
	case DW_CFA_advance_loc1:
		advance(program, cursor_fixed(cursor, 1));
		return true;
	case DW_CFA_advance_loc2:
		advance(program, cursor_fixed(cursor, 2));
		return true;
	case DW_CFA_advance_loc4:
		advance(program, cursor_fixed(cursor, 4));
		return true;
	case DW_CFA_remember_state:
		if (program->nremembered == REMEMBERED_MAX)
			return false;
		program->remembered[program->nremembered++] = program->now;
		return true;
	case DW_CFA_restore_state:
		if (program->nremembered == 0)
			return false;
		program->now = program->remembered[--program->nremembered];
		return true;
	default:
		return run_cfa(program, op) || run_save(program, op);
	}
}

static bool
run_program(struct program *program, struct cursor instructions)
{
	program->cursor = instructions;
	while (program->cursor.at < program->cursor.end && program->at <= program->target) {
		unsigned op = *program->cursor.at++;
		unsigned low = op & 0x3f;
		bool good = true;

		if ((op & 0xc0) == DW_CFA_advance_loc)
			advance(program, low);
		else if ((op & 0xc0) == DW_CFA_offset)
			save(program, low, AT_CFA, scaled(program, cursor_uleb(&program->cursor)));
		else if ((op & 0xc0) == DW_CFA_restore)
			restore(program, low);
		else
			good = run_whole_byte(program, op);
		if (!good || program->cursor.failed)
			return false;
	}
	return true;
}

/* The place of the CFA. */
static bool
locate_cfa(const struct program *program, struct frame_rule *rule)
{
	const struct state *now = &program->now;
	int64_t value = now->cfa;
	uint64_t reg = now->cfa_reg;
	bool load = false;

	if (now->expression.at) {
		struct frame_cfa place;

		if (!frame_expression(now->expression, program->target, &place))
			return false;
		reg = place.reg;
		value = place.offset;
		load = place.load;
	}
	if ((reg != FRAME_SP && reg != FRAME_FP) || value < INT32_MIN || value > INT32_MAX)
		return false;
	rule->cfa = (int32_t)value;
	if (load)
		rule->kind = reg == FRAME_SP ? FRAME_AT_SP : FRAME_AT_FP;
	else
		rule->kind = reg == FRAME_SP ? FRAME_FROM_SP : FRAME_FROM_FP;
	return true;
}

static struct frame_rule
rule_of(const struct program *program)
{
	const struct saved *fp = &program->now.saved[SLOT_FP];
	const struct saved *ra = &program->now.saved[SLOT_RA];
	struct frame_rule rule = {.kind = FRAME_LOST};

	if (program->signal)
		return (struct frame_rule){.kind = FRAME_OF_SIGNAL};
	if (ra->where == GONE)
		return (struct frame_rule){.kind = FRAME_OUTMOST};
	if (ra->where != AT_CFA || ra->value % 8 != 0 || ra->value / 8 < INT8_MIN ||
		ra->value / 8 > INT8_MAX || !locate_cfa(program, &rule))
		return (struct frame_rule){.kind = FRAME_LOST};
	rule.ra_words = (int8_t)(ra->value / 8);
	if (fp->where == AT_CFA && fp->value % 8 == 0 && fp->value != 0 &&
		fp->value / 8 >= INT16_MIN && fp->value / 8 <= INT16_MAX)
		rule.fp_words = (int16_t)(fp->value / 8);
	return rule;
}

/* An entry of the section: what follows its length. Its end is NULL where it cannot be read. */
static struct cursor
open_entry(const unsigned char *entry)
{
	uint32_t len;

	memcpy(&len, entry, sizeof(len));
	if (len == 0 || len == UINT32_MAX)
		return (struct cursor){NULL, NULL, true};
	return (struct cursor){entry + sizeof(len), entry + sizeof(len) + len, false};
}

static bool
read_augmentation(struct program *program, struct cursor *cursor, const char *letters)
{
	struct cursor data = block(cursor);

	for (const char *c = letters + 1; *c; c++) {
		if (*c == 'R')
			program->encoding = (uint8_t)cursor_fixed(&data, 1);
		else if (*c == 'L')
			(void)cursor_fixed(&data, 1);
		else if (*c == 'P')
			cursor_skip(&data, eh_encoded_bytes((uint8_t)cursor_fixed(&data, 1)));
		else if (*c == 'S')
			program->signal = true;
		else if (*c != 'B')
			return false;
	}
	return !data.failed;
}

static bool
run_common(struct program *program, const unsigned char *entry)
{
	struct cursor cursor = open_entry(entry);

	if (cursor.failed || cursor_fixed(&cursor, 4) != 0)
		return false;
	unsigned version = (unsigned)cursor_fixed(&cursor, 1);
	const char *letters = (const char *)cursor.at;

	while (cursor.at < cursor.end && *cursor.at != 0)
		cursor.at++;
	cursor_skip(&cursor, 1);
	program->code_factor = cursor_uleb(&cursor);
	program->data_factor = cursor_sleb(&cursor);
	program->ra_column = version == 1 ? cursor_fixed(&cursor, 1) : cursor_uleb(&cursor);
	if (cursor.failed || (version != 1 && version != 3) || letters[0] != 'z' ||
		!read_augmentation(program, &cursor, letters))
		return false;
	return run_program(program, cursor);
}

/* Steps over the addresses of an entry; false where they do not hold the target. */
static bool
read_range(struct program *program, struct cursor *cursor)
{
	size_t bytes = eh_encoded_bytes(program->encoding);
	uintptr_t here = (uintptr_t)cursor->at;
	bool relative = (program->encoding & 0x70) == DW_EH_PE_pcrel;

	if (bytes == 0 || (!relative && (program->encoding & 0x70) != 0))
		return false;
	program->at = (uintptr_t)cursor_signed(cursor, bytes) + (relative ? here : 0);
	uint64_t size = cursor_fixed(cursor, bytes);

	return !cursor->failed && program->target >= program->at &&
	       program->target - program->at < size;
}

struct frame_rule
frame_rule_make(const unsigned char *entry, uintptr_t pc)
{
	struct cursor cursor = open_entry(entry);
	struct program program;

	/* The remembered states are not cleared: they are large, and seldom used. */
	program.now = program.initial = (struct state){.cfa_reg = UINT64_MAX};
	program.nremembered = 0;
	program.encoding = DW_EH_PE_absptr;
	program.signal = false;
	program.at = 0;
	program.target = pc;
	const unsigned char *here = cursor.at;
	uint32_t back = cursor.failed ? 0 : (uint32_t)cursor_fixed(&cursor, 4);

	if (back == 0 || !run_common(&program, here - back))
		return (struct frame_rule){.kind = FRAME_LOST};
	program.initial = program.now;
	if (!read_range(&program, &cursor))
		return (struct frame_rule){.kind = FRAME_UNKNOWN};
	(void)block(&cursor); /* augmentation data: 'z' was there */
	if (cursor.failed || !run_program(&program, cursor))
		return (struct frame_rule){.kind = FRAME_LOST};
	return rule_of(&program);
}
