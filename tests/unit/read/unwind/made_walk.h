/*
 * Walks over programs, registers and stacks made by hand.
 */
#ifndef UNIT_UNWIND_MADE_WALK_H
#define UNIT_UNWIND_MADE_WALK_H

#include "unit.h"
#include "unwind/made_elf.h"
#include "unwind/unwind_table.h"
#include "unwind/unwinder.h"

#define TEXT MADE_ELF_TEXT
/* Where the code of the file is mapped. */
#define CODE UINT64_C(0x550000000000)
#define STACK UINT64_C(0x7ffd00001000)
#define BIT(reg) (UINT64_C(1) << (reg))

struct made {
	struct made_elf elf;
	const struct unwind_machine *machine;
	struct unwind_map map;
	struct unwind_space space;
	struct unwinder *unwinder;
	struct unwind_input input;
	struct unwind_stack stack;
	uint64_t words[64];
	const uint64_t *words_of; /* the stack, where it is not `words` */
};

static inline void
begin(struct made *made, const char *machine)
{
	memset(made, 0, sizeof(*made));
	made_elf_init(&made->elf);
	made->machine = unwind_machine_find(machine);
	if (strcmp(machine, "aarch64") == 0) {
		static const unsigned char initial[] = {DW_CFA_def_cfa, 31, 0};

		made->elf.return_column = 30;
		made->elf.initial = initial;
		made->elf.initial_len = sizeof(initial);
	}
	made->input.regs.values[made->machine->sp] = STACK;
	made->input.regs.known = BIT(made->machine->sp);
	made->input.stack_bytes = sizeof(made->words);
	made->input.stack_wanted = sizeof(made->words);
}

/* A function of 16 bytes at CODE + `at`. */
static inline void
function(struct made *made, uint64_t at, const unsigned char *program, size_t len)
{
	made_elf_function(&made->elf, TEXT + at, 16, program, len);
}

/* The functions that follow are frames of signal handlers' callers. */
static inline void
signals(struct made *made)
{
	made->elf.signal = true;
	made->elf.cie_at = SIZE_MAX;
}

static inline void
set(struct made *made, unsigned reg, uint64_t value)
{
	made->input.regs.values[reg] = value;
	made->input.regs.known |= BIT(reg);
}

/* Walks from CODE + `pc`. */
static inline void
walk(struct made *made, uint64_t pc)
{
	struct elf_image image;

	if (!made->unwinder) {
		made_elf_finish(&made->elf, made->machine->elf_machine);
		CU_ASSERT_TRUE_FATAL(
			elf_image_open_memory(&image, made->elf.bytes.data, made->elf.bytes.len));
		made->map = (struct unwind_map){.start = CODE,
			.end = CODE + 0x10000,
			.file_offset = MADE_ELF_TEXT_OFFSET,
			.table = unwind_table_new(made->machine, &image, NULL)};
		made->space = (struct unwind_space){.maps = &made->map, .nmaps = 1};
		made->unwinder = unwinder_new(made->machine);
	}
	made->input.space = &made->space;
	made->input.stack = (const unsigned char *)(made->words_of ? made->words_of : made->words);
	made->input.regs.pc = CODE + pc;
	if (!made->machine->has_link_register)
		set(made, made->machine->return_column, CODE + pc);
	unwinder_walk(made->unwinder, &made->input, &made->stack);
}

static inline void
end(struct made *made)
{
	unwinder_free(made->unwinder);
	unwind_table_free(made->map.table);
	made_elf_release(&made->elf);
}

static inline void
check_frames(const struct made *made, enum unwind_end end, const uint64_t *offsets, size_t count)
{
	CU_ASSERT_EQUAL(made->stack.end, end);
	CU_ASSERT_EQUAL(made->stack.count, count);
	for (size_t i = 0; i < count && i < made->stack.count; i++)
		CU_ASSERT_EQUAL(made->stack.frames[i].address, CODE + offsets[i]);
}

#define CHECK_FRAMES(made, end, ...)                             \
	check_frames(made, end, (const uint64_t[]){__VA_ARGS__}, \
		sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))
#define FUNCTION(made, at, ...)                                  \
	function(made, at, (const unsigned char[]){__VA_ARGS__}, \
		sizeof((const unsigned char[]){__VA_ARGS__}))

#endif
