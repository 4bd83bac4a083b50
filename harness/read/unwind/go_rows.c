/* Rows of Go's functions, by the table that its own unwinder uses. */
#include "unwind/cfi.h"

#include "elf/go_table.h"

#include <dwarf.h>
#include <string.h>

/* The DWARF number of AMD64's program counter. */
#define RIP 16
/* Bytes that a table may become: real ones become some twice their size. */
#define ROWS_LEAST ((uint64_t)1 << 20)
#define ROWS_RATIO 16
/* No frame is larger: they are copied when the stack grows. */
#define FRAME_BYTES_MAX ((int64_t)1 << 30)

/* Whether nothing called it: the first function of a goroutine, or of a thread. */
static bool
is_outermost(const char *name)
{
	static const char *const names[] = {"runtime.goexit", "runtime.mstart", "runtime.rt0_go"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static void
put_advance(struct buf *out, uint64_t bytes)
{
	if (bytes < 64) {
		buf_putc(out, (char)(DW_CFA_advance_loc | (int)bytes));
	} else if (bytes > 0) {
		buf_putc(out, DW_CFA_advance_loc4);
		buf_put_u32(out, (uint32_t)bytes);
	}
}

static void
put_uleb(struct buf *out, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		buf_putc(out, (char)(value | 0x80));
	buf_putc(out, (char)value);
}

/*
 * The entry of a function; false, and nothing, where its part of the table is damaged. Its bytes
 * are taken from `left` in either case.
 */
static bool
put_function(struct buf *out, const struct go_table *table, const struct go_function *function,
	struct allowance *left)
{
	const size_t at = out->len;
	struct go_stack stack = go_stack_of(function);
	uint64_t pc = function->start;
	uint64_t told = function->start;

	buf_put_u32(out, 0);
	buf_put_u32(out, (uint32_t)out->len);
	buf_put_u64(out, function->start);
	buf_put_u64(out, function->end - function->start);
	if (is_outermost(function->name)) {
		buf_putc(out, DW_CFA_undefined);
		put_uleb(out, RIP);
	}
	for (; pc < function->end && go_stack_next(table, &stack); pc = stack.until) {
		if (stack.bytes < 0 || stack.bytes > FRAME_BYTES_MAX ||
			out->len - at > left->left) {
			allowance_take(left, out->len - at);
			out->len = at;
			return false;
		}
		put_advance(out, pc - told);
		told = pc;
		buf_putc(out, DW_CFA_def_cfa_offset);
		put_uleb(out, (uint64_t)stack.bytes + 8);
	}
	cfi_end_entry(out, at);
	allowance_take(left, out->len - at);
	return true;
}

bool
go_rows_add(const struct unwind_machine *machine, const struct elf_image *image,
	struct cfi_section *section)
{
	struct go_table table;
	struct go_function function;
	struct buf out = {0};
	bool any = false;

	if (machine->elf_machine != EM_X86_64 || !go_table_open(&table, image))
		return false;
	struct allowance left = allowance_of(ROWS_LEAST, table.len, ROWS_RATIO);

	cfi_put_cie(&out, machine);
	for (uint64_t i = 0; i < table.nfunctions && !allowance_is_used(&left) &&
			     section->len + out.len < CFI_SECTION_MAX / 2;
		i++)
		if (go_table_function(&table, i, &function) &&
			function.end - function.start <= UINT32_MAX)
			any |= put_function(&out, &table, &function, &left);
	if (any)
		cfi_append(section, &out);
	buf_release(&out);
	return any;
}
