/*
 * How .eh_frame writes addresses: LSB Core 5.0, section 10.5 (DW_EH_PE_*).
 */
#ifndef DWARF_EH_ENCODING_H
#define DWARF_EH_ENCODING_H

#include <dwarf.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a value of this encoding in a 64-bit file; 0 for LEB128 and unknown ones. */
static inline size_t
eh_encoded_bytes(uint8_t encoding)
{
	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return 8;
	case DW_EH_PE_udata4:
	case DW_EH_PE_sdata4:
		return 4;
	case DW_EH_PE_udata2:
	case DW_EH_PE_sdata2:
		return 2;
	default:
		return 0;
	}
}

#endif
