#include "code/disassembler.h"

#include "base/library.h"
#include "base/mem.h"

#include <elf.h>
#include <stdlib.h>

#define TEXT_OF(macro) #macro
#define LIBRARY(version) "libcapstone.so." TEXT_OF(version)

/* False where the library is not installed. A static program, which is not relocated, has it. */
static bool
find_functions(struct disassembler_functions *found)
{
#ifdef PROFILE_RUN_STATIC
	*found = (struct disassembler_functions){
		cs_open, cs_option, cs_malloc, cs_close, cs_free, cs_disasm_iter};
	return true;
#else
	void *library = library_open(LIBRARY(CS_API_MAJOR));

	return library && library_function(library, "cs_open", (void *)&found->open) &&
	       library_function(library, "cs_option", (void *)&found->option) &&
	       library_function(library, "cs_malloc", (void *)&found->make) &&
	       library_function(library, "cs_close", (void *)&found->close) &&
	       library_function(library, "cs_free", (void *)&found->free) &&
	       library_function(library, "cs_disasm_iter", (void *)&found->next);
#endif
}

static cs_err
open_for(struct disassembler *made, uint16_t machine)
{
	switch (machine) {
	case EM_X86_64:
		return made->functions.open(CS_ARCH_X86, CS_MODE_64, &made->handle);
	case EM_AARCH64:
		return made->functions.open(CS_ARCH_ARM64, CS_MODE_ARM, &made->handle);
	default:
		return CS_ERR_ARCH;
	}
}

struct disassembler *
disassembler_open(uint16_t machine)
{
	struct disassembler *made = mem_zalloc(1, sizeof(*made));

	if (!find_functions(&made->functions) || open_for(made, machine) != CS_ERR_OK) {
		free(made);
		return NULL;
	}
	made->functions.option(made->handle, CS_OPT_DETAIL, CS_OPT_ON);
	made->insn = made->functions.make(made->handle);
	return made;
}

void
disassembler_close(struct disassembler *disassembler)
{
	if (!disassembler)
		return;
	disassembler->functions.free(disassembler->insn, 1);
	disassembler->functions.close(&disassembler->handle);
	free(disassembler);
}

bool
disassembler_next(
	struct disassembler *disassembler, const uint8_t **code, size_t *left, uint64_t *address)
{
	return disassembler->functions.next(
		disassembler->handle, code, left, address, disassembler->insn);
}
