/*
 * Parses the entries of .eh_frame and .debug_frame (cfi_next(), cfi_read()), stores each distinct
 * set of rules once (saves_intern()), and runs a function's instructions into its rows
 * (cfi_rows_run()).
 */
#include "base/hash.h"
#include "base/mem.h"
#include "dwarf/cursor.h"
#include "unwind/unwind_internal.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

/* Addresses have as many bytes; files of 32 bits are refused. */
#define ADDRESS_BYTES 8

/* Each function may refer to another CIE, which is then parsed again: bounds that cost. */
#define LETTERS_MAX 16
#define INITIAL_BYTES_MAX 1024

/* The value itself, without what it is relative to. */
static bool
read_value(struct cursor *cursor, uint8_t encoding, uint64_t *value)
{
	size_t size = eh_encoded_bytes(encoding);

	if (size > 0 && (encoding & DW_EH_PE_signed))
		*value = (uint64_t)cursor_signed(cursor, size);
	else if (size > 0)
		*value = cursor_fixed(cursor, size);
	else if ((encoding & 0x0f) == DW_EH_PE_uleb128)
		*value = cursor_uleb(cursor);
	else if ((encoding & 0x0f) == DW_EH_PE_sleb128)
		*value = (uint64_t)cursor_sleb(cursor);
	else
		return false;
	return !cursor->failed;
}

bool
cfi_address(const struct cfi_section *section, struct cursor *cursor, uint8_t encoding,
	uint64_t *address)
{
	uint64_t here = section->address + (uint64_t)(cursor->at - section->bytes);

	if (encoding == DW_EH_PE_aligned) {
		uint64_t pad = -here & (ADDRESS_BYTES - 1);

		return cursor_take(cursor, pad) && read_value(cursor, DW_EH_PE_absptr, address);
	}
	if (!read_value(cursor, encoding, address) || (encoding & DW_EH_PE_indirect))
		return false;
	if ((encoding & 0x70) == DW_EH_PE_pcrel)
		*address += here;
	else if ((encoding & 0x70) != DW_EH_PE_absptr)
		return false;
	return true;
}

/* An entry's own part: behind its length and the field that distinguishes the two kinds. */
struct entry {
	struct cursor body;
	bool is_cie;
	uint64_t cie_at; /* of a function */
	size_t next;     /* the entry behind it */
};

/* False where the section ends or its lengths make no sense. */
static bool
read_entry(const struct cfi_section *section, size_t at, struct entry *entry)
{
	struct cursor cursor = {section->bytes + at, section->bytes + section->len, false};
	bool wide = false;
	uint64_t len = cursor_fixed(&cursor, 4);

	if (len == UINT32_MAX) {
		wide = true;
		len = cursor_fixed(&cursor, 8);
	}
	if (cursor.failed || len > cursor_left(&cursor))
		return false;
	cursor.end = cursor.at + len;
	entry->next = (size_t)(cursor.end - section->bytes);
	entry->body = cursor;
	entry->is_cie = false;
	entry->cie_at = UINT64_MAX;
	/* An end marker; linkers leave some in the middle, and .debug_frame is padded so. */
	if (len == 0)
		return true;
	uint64_t id_at = (uint64_t)(cursor.at - section->bytes);

	if (section->eh) {
		uint64_t id = cursor_fixed(&cursor, 4);

		entry->is_cie = id == 0;
		entry->cie_at = id_at - id;
	} else {
		uint64_t id = cursor_fixed(&cursor, wide ? 8 : 4);

		entry->is_cie = id == (wide ? UINT64_MAX : UINT32_MAX);
		entry->cie_at = id;
	}
	entry->body = cursor;
	return true;
}

/* The letters of an augmentation and their data; false where one is not known. */
static bool
read_augmentation(const struct cfi_section *section, struct cursor *cursor, const char *letters,
	struct cfi_cie *cie)
{
	uint64_t ignored;
	struct cursor data;

	if (letters[0] == '\0')
		return true;
	if (letters[0] != 'z')
		return false;
	uint64_t len = cursor_uleb(cursor);
	const unsigned char *bytes = cursor_take(cursor, len);

	if (!bytes)
		return false;
	cie->sized = true;
	data = (struct cursor){bytes, bytes + len, false};
	for (const char *letter = letters + 1; *letter; letter++) {
		if (*letter == 'R') {
			cie->encoding = (uint8_t)cursor_fixed(&data, 1);
		} else if (*letter == 'L') {
			(void)cursor_fixed(&data, 1);
		} else if (*letter == 'P') {
			uint8_t encoding = (uint8_t)cursor_fixed(&data, 1);

			/* Where the personality is does not matter, its size does. */
			if (encoding == DW_EH_PE_aligned
					? !cfi_address(section, &data, encoding, &ignored)
					: !read_value(&data, encoding, &ignored))
				return false;
		} else if (*letter == 'S') {
			cie->signal = true;
		} else if (*letter != 'B' && *letter != 'G') {
			/* Its data cannot be separated from that of the letters behind it. */
			return false;
		}
	}
	return !data.failed;
}

static void
read_cie(const struct cfi_section *section, const struct entry *entry, struct cfi_cie *cie)
{
	struct cursor cursor = entry->body;
	uint64_t version = cursor_fixed(&cursor, 1);
	const char *letters = (const char *)cursor.at;

	const unsigned char *end = memchr(letters, '\0',
		cursor_left(&cursor) < LETTERS_MAX ? cursor_left(&cursor) : LETTERS_MAX);

	if (!end)
		return;
	cursor.at = end + 1;
	if (cursor.failed || (version != 1 && version != 3 && version != 4))
		return;
	if (version == 4) {
		uint64_t address_bytes = cursor_fixed(&cursor, 1);
		uint64_t segment_bytes = cursor_fixed(&cursor, 1);

		if (address_bytes != ADDRESS_BYTES || segment_bytes != 0)
			return;
	}
	/* Written by GCC 2: a pointer, and no data elsewhere. */
	if (strcmp(letters, "eh") == 0) {
		(void)cursor_take(&cursor, ADDRESS_BYTES);
		letters = "";
	}
	cie->code_factor = cursor_uleb(&cursor);
	cie->data_factor = cursor_sleb(&cursor);
	uint64_t column = version == 1 ? cursor_fixed(&cursor, 1) : cursor_uleb(&cursor);

	cie->return_column = column < UINT8_MAX ? (uint8_t)column : UINT8_MAX;
	cie->usable = read_augmentation(section, &cursor, letters, cie) && !cursor.failed &&
		      cursor_left(&cursor) <= INITIAL_BYTES_MAX;
	cie->instructions = cursor;
}

/* The entry at `at`, read once while it stays among the last ones. */
static const struct cfi_cie *
find_cie(struct cfi_reader *reader, uint64_t at)
{
	struct entry entry;
	size_t slot = (size_t)(at / 4) % CFI_CIES;
	struct cfi_cie *cie = &reader->cies[slot];

	if (reader->have[slot] && cie->at == at)
		return cie;
	if (at >= reader->section->len || !read_entry(reader->section, (size_t)at, &entry) ||
		!entry.is_cie)
		return NULL;
	*cie = (struct cfi_cie){.at = (uint32_t)at, .encoding = DW_EH_PE_absptr};
	reader->have[slot] = true;
	read_cie(reader->section, &entry, cie);
	return cie;
}

static bool
read_fde(struct cfi_reader *reader, struct entry *entry, struct cfi_fde *fde,
	const struct cfi_cie **cie)
{
	*cie = find_cie(reader, entry->cie_at);
	if (!*cie || !(*cie)->usable)
		return false;
	if (!cfi_address(reader->section, &entry->body, (*cie)->encoding, &fde->start) ||
		!read_value(&entry->body, (*cie)->encoding & 0x0f, &fde->size))
		return false;
	fde->instructions = entry->body;
	return true;
}

bool
cfi_next(struct cfi_reader *reader, struct cfi_fde *fde, const struct cfi_cie **cie)
{
	struct entry entry;

	while (reader->next < reader->section->len) {
		size_t at = reader->next;

		if (!read_entry(reader->section, at, &entry))
			break;
		reader->next = entry.next;
		if (entry.is_cie || entry.body.at == entry.body.end)
			continue;
		if (read_fde(reader, &entry, fde, cie)) {
			fde->at = (uint32_t)at;
			return true;
		}
	}
	reader->next = reader->section->len;
	return false;
}

bool
cfi_read(struct cfi_reader *reader, uint32_t at, struct cfi_fde *fde, const struct cfi_cie **cie)
{
	struct entry entry;

	if (at >= reader->section->len || !read_entry(reader->section, at, &entry) ||
		entry.is_cie || !read_fde(reader, &entry, fde, cie))
		return false;
	fde->at = at;
	if ((*cie)->sized)
		(void)cursor_take(&fde->instructions, cursor_uleb(&fde->instructions));
	return !fde->instructions.failed;
}

void
saves_release(struct saves *saves)
{
	for (size_t i = 0; i < SAVES_CHUNKS; i++)
		free(saves->chunks[i]);
	map_release(&saves->numbers);
	arena_release(&saves->arena);
	*saves = (struct saves){0};
}

static uint64_t
hash_saves(const struct saves_key *key)
{
	uint64_t hash = hash_pair(key->kept, key->undefined);

	for (size_t i = 0; i < key->nrules; i++) {
		const struct unwind_rule *rule = &key->rules[i];

		hash = hash_pair(hash, (uint32_t)rule->value | (uint64_t)rule->reg << 32 |
					       (uint64_t)rule->kind << 40);
	}
	return hash;
}

static bool
is_same_set(const struct saves_key *a, const struct unwind_saves *b)
{
	if (a->kept != b->kept || a->undefined != b->undefined || a->nrules != b->nrules)
		return false;
	for (size_t i = 0; i < a->nrules; i++) {
		const struct unwind_rule *x = &a->rules[i];
		const struct unwind_rule *y = &b->rules[i];

		if (x->reg != y->reg || x->kind != y->kind || x->value != y->value)
			return false;
	}
	return true;
}

static void
add_save(struct saves *saves, const struct saves_key *key)
{
	uint32_t part = saves->count / SAVES_FIRST_CHUNK + 1;
	unsigned chunk = 31 - (unsigned)__builtin_clz(part);
	struct unwind_saves *set =
		arena_alloc(&saves->arena, sizeof(*set) + key->nrules * sizeof(set->rules[0]));

	set->kept = key->kept;
	set->undefined = key->undefined;
	set->nrules = (uint16_t)key->nrules;
	set->plain = true;
	for (size_t i = 0; i < key->nrules; i++) {
		set->rules[i] = key->rules[i];
		set->plain &= key->rules[i].kind == UNWIND_AT_CFA;
		if (i == 0 || key->rules[i].value < set->lowest)
			set->lowest = key->rules[i].value;
		if (i == 0 || key->rules[i].value > set->highest)
			set->highest = key->rules[i].value;
	}
	if (!saves->chunks[chunk])
		saves->chunks[chunk] = mem_zalloc(
			(size_t)SAVES_FIRST_CHUNK << chunk, sizeof(struct unwind_saves *));
	saves->chunks[chunk][saves->count - ((1u << chunk) - 1) * SAVES_FIRST_CHUNK] = set;
	saves->count++;
}

uint32_t
saves_intern(struct saves *saves, const struct saves_key *key)
{
	uint64_t hash = hash_saves(key);

	for (struct map_search search = map_search(&saves->numbers, hash); map_next(&search);)
		if (is_same_set(key, saves_get(saves, search.id)))
			return search.id;
	if (saves->arena.used_bytes >= saves->limit_bytes)
		return SAVES_FULL;
	map_add(&saves->numbers, hash, saves->count);
	add_save(saves, key);
	return saves->count - 1;
}

/* AADWARF64: the same opcode as SPARC's DW_CFA_GNU_window_save, and one of 2023. */
#define CFA_NEGATE_RA_STATE 0x2d
#define CFA_NEGATE_RA_STATE_WITH_PC 0x2c

#define BIT(reg) (UINT64_C(1) << (reg))

/* States that DW_CFA_remember_state can stack; compilers need one or two. */
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
	uint32_t set;          /* of the last row */
};

/* Removes the rule of a register; false for one that is not followed. */
static bool
forget(struct run *run, uint64_t reg)
{
	struct state *now = &run->now;

	if (reg >= UNWIND_REGS)
		return false;
	run->changed = true;
	now->ruled &= ~BIT(reg);
	now->same &= ~BIT(reg);
	now->undefined &= ~BIT(reg);
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
		now->undefined |= BIT(reg);
		return;
	}
	now->ruled |= BIT(reg);
	now->rules[reg] = (struct unwind_rule){
		.reg = (uint8_t)reg, .kind = (uint8_t)kind, .value = (int32_t)value};
}

static void
set_plain(struct run *run, uint64_t reg, uint64_t *mask)
{
	if (forget(run, reg))
		*mask |= BIT(reg);
}

static void
restore(struct run *run, uint64_t reg)
{
	const struct state *initial = &run->initial;
	struct state *now = &run->now;

	if (!forget(run, reg))
		return;
	now->ruled |= initial->ruled & BIT(reg);
	now->same |= initial->same & BIT(reg);
	now->undefined |= initial->undefined & BIT(reg);
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
	uint64_t habit = machine->callee_saved;
	struct saves_key key = {.rules = rules, .undefined = now->undefined};

	/* Until a function saves it, its return address is where the call has put it. */
	if (machine->has_link_register)
		habit |= BIT(run->program->cie->return_column);
	key.kept = (habit & ~all) | now->same;
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
		run->set = intern_saves(run);
	run->changed = false;
	struct unwind_row row = {
		.start = (uint32_t)(run->at - run->program->fde->start),
		.cfa_value = now->cfa_value,
		.saves = run->set,
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
		set_plain(run, reg, &run->now.same);
		return true;
	case DW_CFA_undefined:
		set_plain(run, reg, &run->now.undefined);
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
	run.set = 0;
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
