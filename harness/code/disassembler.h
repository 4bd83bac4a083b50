/*
 * x86-64 instructions, one after another, by capstone. The library is loaded when the first one is
 * wanted: its tables are as many relocations as would double the time that the program takes to
 * start, and few commands ever decode an instruction.
 */
#ifndef CODE_DISASSEMBLER_H
#define CODE_DISASSEMBLER_H

#include <capstone/capstone.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct disassembler;

/* NULL where the library is not installed or does not do it. */
struct disassembler *disassembler_open(void);
/* NULL is allowed. */
void disassembler_close(struct disassembler *disassembler);

/*
 * Decodes the instruction at *code, which lies at `address`, and moves all three behind it. The
 * result is valid until the next call; NULL, and nothing is moved, where it knows none.
 */
const cs_insn *disassembler_next(
	struct disassembler *disassembler, const uint8_t **code, size_t *left, uint64_t *address);

#endif
