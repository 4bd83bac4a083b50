/*
 * Machine code, instruction by instruction, by capstone.
 *
 * The library is loaded when the first instruction is wanted: its tables are as many relocations as
 * would double the time that the program takes to start, and few commands ever decode one.
 */
#ifndef CODE_DISASSEMBLER_H
#define CODE_DISASSEMBLER_H

#include <capstone/capstone.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct disassembler_functions {
	cs_err (*open)(cs_arch arch, cs_mode mode, csh *handle);
	cs_err (*option)(csh handle, cs_opt_type type, size_t value);
	cs_insn *(*make)(csh handle);
	cs_err (*close)(csh *handle);
	void (*free)(cs_insn *insn, size_t count);
	bool (*next)(
		csh handle, const uint8_t **code, size_t *left, uint64_t *address, cs_insn *insn);
};

struct disassembler {
	struct disassembler_functions functions;
	csh handle;
	cs_insn *insn; /* the one decoded last */
};

/*
 * For code of this machine (EM_X86_64, EM_AARCH64). NULL for others, and where the library is not
 * installed or fails.
 */
struct disassembler *disassembler_open(uint16_t machine);
void disassembler_close(struct disassembler *disassembler);

/*
 * Decodes the instruction at *code, of *left bytes, and moves all three behind it. False, and they
 * stay, where it is not known.
 */
bool disassembler_next(
	struct disassembler *disassembler, const uint8_t **code, size_t *left, uint64_t *address);

#endif
