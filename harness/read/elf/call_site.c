#include "elf/call_site.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>

#define OPCODE_CALL_NEAR 0xe8
#define OPCODE_GROUP_5 0xff
#define GROUP_5_CALL_NEAR 2

/* Bytes of `FF /2` as its ModRM and SIB bytes say; 0 where it is another instruction. */
static size_t
indirect_call_bytes(const unsigned char *code, size_t len)
{
	unsigned mode = code[1] >> 6;
	unsigned operation = code[1] >> 3 & 7;
	unsigned base = code[1] & 7;
	size_t bytes = 2;

	if (code[0] != OPCODE_GROUP_5 || operation != GROUP_5_CALL_NEAR)
		return 0;
	if (mode == 3)
		return bytes;
	if (base == 4) { /* a SIB byte follows */
		bytes++;
		if (len < bytes)
			return 0;
		base = code[2] & 7;
	}
	if (mode == 1)
		return bytes + 1;
	/* Without a displacement, base 5 stands for one of 32 bits. */
	return mode == 2 || base == 5 ? bytes + 4 : bytes;
}

/*
 * Prefixes (REX, 66, notrack, bnd) are not decoded: the bytes after them are a call by themselves.
 * Source: Intel SDM volume 2, "CALL" and table 2-2 (ModRM).
 */
static bool
call_site_ends_x86(const unsigned char *code, size_t len)
{
	if (len >= 5 && code[len - 5] == OPCODE_CALL_NEAR)
		return true;
	for (size_t bytes = 2; bytes <= len && bytes <= CALL_SITE_BYTES; bytes++)
		if (indirect_call_bytes(code + len - bytes, bytes) == bytes)
			return true;
	return false;
}

/*
 * BL, BLR and the forms of BLR that check a signature. Source: Arm Architecture Reference Manual,
 * section C4.1, "Branches, Exception Generating and System instructions".
 */
static bool
call_site_ends_aarch64(const unsigned char *code, size_t len)
{
	uint32_t word;

	if (len < sizeof(word))
		return false;
	memcpy(&word, code + len - sizeof(word), sizeof(word));
	return (word & UINT32_C(0xfc000000)) == UINT32_C(0x94000000) || /* BL */
	       (word & UINT32_C(0xfffffc1f)) == UINT32_C(0xd63f0000) || /* BLR */
	       (word & UINT32_C(0xfefff800)) == UINT32_C(0xd63f0800);   /* BLRAA to BLRABZ */
}

bool
call_site_ends(uint16_t machine, const unsigned char *code, size_t len)
{
	return (machine == EM_X86_64 && call_site_ends_x86(code, len)) ||
	       (machine == EM_AARCH64 && call_site_ends_aarch64(code, len));
}
