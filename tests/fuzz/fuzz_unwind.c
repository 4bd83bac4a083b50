/*
 * Any bytes as .eh_frame or .debug_frame of x86-64 and AArch64, with registers and a stack out of
 * the same bytes: rows are made and walked over, and what comes out must be within its bounds.
 *
 * The first byte says what the others are: bit 0 AArch64, bit 1 .debug_frame, bit 2 a whole ELF
 * file, bit 3 a signal's frame, bit 4 one function's instructions only. The second is how much of
 * the rest, in 1/256, is the section; what follows is the stack, which starts with the registers.
 */
#include "unwind/made_elf.h"
#include "unwind/unwind_internal.h"
#include "unwind/unwind_table.h"
#include "unwind/unwinder.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CODE UINT64_C(0x550000000000)
#define STACK UINT64_C(0x7ffd00000000)
#define WALKS 64
/* Where what the file has to be copied is, in memory without rows. */
#define COPIES (CODE + MADE_ELF_TEXT_BYTES)

struct rest {
	const uint8_t *bytes;
	size_t len;
};

static struct unwind_table *
open_table(const struct unwind_machine *machine, unsigned char *bytes, size_t len)
{
	struct elf_image image;

	return elf_image_open_memory(&image, bytes, len) ? unwind_table_new(machine, &image, NULL)
							 : NULL;
}

/* Small numbers of the input become addresses of the stack or of code, so that walks get on. */
static uint64_t
interesting(uint64_t value)
{
	switch (value >> 60) {
	case 0:
	case 1:
	case 2:
		return STACK + (value & 0xfff);
	case 3:
	case 4:
		return CODE + (value & 0xffff);
	case 5:
		return COPIES + (value & 0xfff);
	default:
		return value;
	}
}

static void
set_registers(struct unwind_regs *regs, const struct unwind_machine *machine, struct rest rest)
{
	memset(regs, 0, sizeof(*regs));
	for (unsigned reg = 0; reg < UNWIND_REGS && rest.len >= 8; reg++) {
		memcpy(&regs->values[reg], rest.bytes, 8);
		regs->values[reg] = interesting(regs->values[reg]);
		regs->known |= UINT64_C(1) << reg;
		rest.bytes += 8;
		rest.len -= 8;
	}
	regs->values[machine->sp] = STACK;
	regs->known |= UINT64_C(1) << machine->sp;
}

static void
check(const struct unwind_input *input, const struct unwind_stack *stack)
{
	if (stack->count == 0 || stack->count > UNWIND_DEPTH_MAX ||
		stack->reached_bytes > input->stack_bytes || stack->end > UNWIND_TOO_DEEP ||
		(stack->end == UNWIND_TOO_DEEP) != (stack->count == UNWIND_DEPTH_MAX))
		abort();
}

/* Walks from the start and the middle of the first functions. */
static void
walk(const struct unwind_machine *machine, struct unwind_table *table, struct rest rest)
{
	static struct unwind_stack stack;
	struct unwinder *unwinder = unwinder_new(machine);
	struct unwind_map maps[] = {{.start = CODE, .end = COPIES, .table = table},
		{.start = COPIES, .end = COPIES + 0x1000}};
	struct unwind_map *map = &maps[0];
	struct unwind_space space = {.maps = maps,
		.nmaps = 2,
		.trampolines = machine->has_link_register ? NULL : table,
		.trampoline_bytes = 8};
	struct unwind_input input = {.space = &space,
		.stack = rest.bytes,
		.stack_bytes = rest.len,
		.stack_wanted = rest.len};

	unwinder_check_frame_pointers(unwinder, true);
	map->file_offset = MADE_ELF_TEXT_OFFSET;
	for (size_t i = 0; i < unwind_table_nfunctions(table) && i < WALKS; i++) {
		uint64_t start;
		uint64_t function_size;
		uint64_t offset;

		unwind_table_function(table, i, &start, &function_size);
		if (!unwind_table_offset(table, start + function_size / 2 * (i % 2), &offset))
			abort();
		if (i == 0 && offset < MADE_ELF_TEXT_OFFSET)
			map->file_offset = offset & ~UINT64_C(0xfff);
		set_registers(&input.regs, machine, rest);
		input.regs.pc = offset - map->file_offset + CODE;
		unwinder_walk(unwinder, &input, &stack);
		check(&input, &stack);
	}
	unwinder_free(unwinder);
}

static struct unwind_table *
make_table(const struct unwind_machine *machine, uint8_t flags, const uint8_t *data, size_t size)
{
	struct made_elf made;

	made_elf_init(&made);
	if (flags & 4) {
		buf_put(&made.bytes, data, size);
	} else {
		made.debug_frame = flags & 2;
		made.signal = flags & 8;
		made.return_column = machine->return_column;
		if (flags & 16)
			made_elf_function(&made, MADE_ELF_TEXT, 0x1000, data, size);
		else
			buf_put(&made.section, data, size);
		made_elf_finish(&made, machine->elf_machine);
	}
	/* A copy of its very size, so that reads beyond are seen. */
	unsigned char *bytes = malloc(made.bytes.len + 1);

	if (!bytes)
		abort();
	if (made.bytes.len > 0)
		memcpy(bytes, made.bytes.data, made.bytes.len);
	struct unwind_table *table = open_table(machine, bytes, made.bytes.len);

	free(bytes);
	made_elf_release(&made);
	return table;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	const struct unwind_machine *machine =
		unwind_machine_find(data[0] & 1 ? "aarch64" : "x86_64");
	size_t section_len = (size - 2) * (data[1] + 1) / 256;
	struct rest rest = {data + 2 + section_len, size - 2 - section_len};
	struct unwind_table *table = make_table(machine, data[0], data + 2, section_len);

	if (!table)
		return 0;
	walk(machine, table, rest);
	unwind_table_make_all(table);
	/* Each row takes an instruction at least. */
	if (unwind_table_nrows(table) > section_len + unwind_table_nfunctions(table))
		abort();
	unwind_table_free(table);
	return 0;
}
