/*
 * Frames of code that has no rows, recognised by what the code or the stack contains: those that
 * the kernel leaves for signal handlers, and those of CPython's trampolines.
 */
#include "elf/elf_symbols.h"
#include "unwind/unwind_internal.h"

#include <string.h>

#define TEMPLATE "_Py_trampoline_func_start"
#define TEMPLATE_BYTES_MAX 16

/*
 * The code that a signal handler returns to is two instructions, either of which may be executing:
 * the first sets the number of the system call, the second is the system call.
 */
static bool
is_signal_return(const struct unwind_machine *machine, const struct unwind_regs *regs)
{
	uint64_t back = regs->values[machine->return_column] & machine->address_mask;

	return (regs->known & REG_BIT(machine->return_column)) &&
	       (regs->pc == back || regs->pc == back + machine->signal_frame->call_at);
}

bool
signal_frame_leave(const struct unwind_machine *machine, struct stack_copy *copy, bool exact,
	struct unwind_regs *regs)
{
	const struct unwind_signal_frame *layout = machine->signal_frame;
	uint64_t sp = regs->values[machine->sp];
	struct unwind_regs before = {.known = REG_BIT(machine->sp)};
	uint64_t mark;

	if (!layout || !(regs->known & REG_BIT(machine->sp)) ||
		(exact && !is_signal_return(machine, regs)))
		return false;
	if (!stack_copy_word(copy, sp + layout->mark_at, &mark) || mark != layout->mark ||
		!stack_copy_word(copy, sp + layout->sp_at, &before.values[machine->sp]) ||
		!stack_copy_word(copy, sp + layout->pc_at, &before.pc))
		return false;
	for (unsigned reg = 0; reg < layout->nregs; reg++)
		if (stack_copy_word(copy, sp + layout->regs_at + reg * sizeof(uint64_t),
			    &before.values[reg]))
			before.known |= REG_BIT(reg);
	*regs = before;
	return true;
}

uint32_t
trampoline_frame_bytes(const unsigned char *code, size_t len)
{
	static const unsigned char mark[] = {0xf3, 0x0f, 0x1e, 0xfa}; /* endbr64 */
	static const unsigned char sub[] = {0x48, 0x83, 0xec};        /* sub $N, %rsp */
	size_t at = len > sizeof(mark) && memcmp(code, mark, sizeof(mark)) == 0 ? sizeof(mark) : 0;

	/* Behind it a call by register: 0xff with 2 in the middle bits of the next byte. */
	if (len - at < sizeof(sub) + 3 || memcmp(code + at, sub, sizeof(sub)) != 0)
		return 0;
	const unsigned char *rest = code + at + sizeof(sub);

	return rest[0] <= INT8_MAX && rest[0] % 16 == 8 && rest[1] == 0xff && rest[2] >> 3 == 032
		       ? rest[0]
		       : 0;
}

uint32_t
trampoline_find(const struct unwind_machine *machine, const struct elf_image *image)
{
	struct elf_symbols symbols;
	GElf_Sym sym;
	uint64_t offset;
	unsigned char code[TEMPLATE_BYTES_MAX];

	/* With a link register the template stores it in a frame record. */
	if (machine->has_link_register)
		return 0;
	elf_symbols_begin(&symbols, image, SHT_DYNSYM);
	while (elf_symbols_next(&symbols, &sym)) {
		const char *name =
			sym.st_shndx != SHN_UNDEF ? elf_symbols_name(&symbols, &sym) : NULL;

		if (name && strcmp(name, TEMPLATE) == 0)
			return elf_image_offset(image, sym.st_value, &offset)
				       ? trampoline_frame_bytes(
						 code, elf_image_code(image, offset + sizeof(code),
							       code, sizeof(code)))
				       : 0;
	}
	return 0;
}
