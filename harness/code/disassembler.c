#include "code/disassembler.h"

#include "base/library.h"
#include "base/mem.h"

#include <dlfcn.h>
#include <stdlib.h>

#define TEXT_OF(macro) #macro
#define LIBRARY(version) "libcapstone.so." TEXT_OF(version)

struct disassembler {
	csh handle;
	cs_insn *insn;
	cs_err (*close)(csh *handle);
	void (*free)(cs_insn *insn, size_t count);
	bool (*next)(
		csh handle, const uint8_t **code, size_t *left, uint64_t *address, cs_insn *insn);
};

struct disassembler *
disassembler_open(void)
{
	cs_err (*open)(cs_arch arch, cs_mode mode, csh * handle);
	cs_err (*option)(csh handle, cs_opt_type type, size_t value);
	cs_insn *(*make)(csh handle);
	/* Never closed: there is nothing to gain by loading it again. */
	void *library = dlopen(LIBRARY(CS_API_MAJOR), RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return NULL;
	struct disassembler *made = mem_zalloc(1, sizeof(*made));

	if (!library_function(library, "cs_open", (void *)&open) ||
		!library_function(library, "cs_option", (void *)&option) ||
		!library_function(library, "cs_malloc", (void *)&make) ||
		!library_function(library, "cs_close", (void *)&made->close) ||
		!library_function(library, "cs_free", (void *)&made->free) ||
		!library_function(library, "cs_disasm_iter", (void *)&made->next) ||
		open(CS_ARCH_X86, CS_MODE_64, &made->handle) != CS_ERR_OK) {
		free(made);
		return NULL;
	}
	option(made->handle, CS_OPT_DETAIL, CS_OPT_ON);
	made->insn = make(made->handle);
	return made;
}

void
disassembler_close(struct disassembler *disassembler)
{
	if (!disassembler)
		return;
	disassembler->free(disassembler->insn, 1);
	disassembler->close(&disassembler->handle);
	free(disassembler);
}

const cs_insn *
disassembler_next(
	struct disassembler *disassembler, const uint8_t **code, size_t *left, uint64_t *address)
{
	bool found =
		disassembler->next(disassembler->handle, code, left, address, disassembler->insn);

	return found ? disassembler->insn : NULL;
}
