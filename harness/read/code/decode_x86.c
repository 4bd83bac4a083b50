/*
 * Decodes x86-64 code for code_body, by capstone. Source for the encodings: Intel SDM volume 2,
 * chapter 2 and appendix B.
 */
#include "code/body.h"
#include "code/disassembler.h"
#include "code/image.h"

#include <elf.h>
#include <string.h>

#define MODRM_MOD(modrm) ((modrm) >> 6)
#define MODRM_RM(modrm) ((modrm)&7)
#define RM_SIB 4
#define RM_DISP32 5 /* relative to the instruction's end, where mod is 0 */

static void *
open_decoder(void)
{
	return disassembler_open(EM_X86_64);
}

static void
close_decoder(void *decoder)
{
	disassembler_close(decoder);
}

static uint32_t
load32(const unsigned char *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

/* Where in the instruction its displacement of 32 bits is; 0: it has none. */
static size_t
displacement_at(const cs_insn *insn)
{
	const cs_x86 *x86 = &insn->detail->x86;
	size_t at = x86->encoding.modrm_offset;
	size_t sib;

	if (at == 0 || at >= insn->size || insn->bytes[at] != x86->modrm ||
		MODRM_MOD(x86->modrm) == 3)
		return 0;
	sib = MODRM_RM(x86->modrm) == RM_SIB;
	if (at + sib >= insn->size)
		return 0;
	/* Capstone's own size of it is wrong beside some prefixes. */
	if (MODRM_MOD(x86->modrm) != 2 &&
		!(MODRM_MOD(x86->modrm) == 0 && MODRM_RM(insn->bytes[at + sib]) == RM_DISP32))
		return 0;
	return at + sib + 1 + 4 <= insn->size ? at + sib + 1 : 0;
}

static const cs_x86_op *
memory_operand(const cs_insn *insn)
{
	const cs_x86 *x86 = &insn->detail->x86;

	for (size_t i = 0; i < x86->op_count; i++)
		if (x86->operands[i].type == X86_OP_MEM)
			return &x86->operands[i];
	return NULL;
}

/* How much memory the instruction reads or writes there; capstone 4 is wrong on some. */
static uint32_t
memory_bytes(const cs_insn *insn, const cs_x86_op *operand)
{
	uint32_t vector_bytes;

	switch (insn->id) {
	case X86_INS_COMISD:
	case X86_INS_VCOMISD:
		return 8;
	case X86_INS_COMISS:
	case X86_INS_VCOMISS:
		return 4;
	default:
		break;
	}
	/* EVEX: a whole vector, unless one number is spread over it. */
	if (insn->bytes[0] != 0x62 || (insn->bytes[3] & 0x10))
		return operand->size;
	vector_bytes = UINT32_C(16) << (insn->bytes[3] >> 5 & 3);
	return operand->size > vector_bytes ? operand->size : vector_bytes;
}

static void
put_prefixes(struct code_body *body, const cs_insn *insn)
{
	buf_put(&body->text, insn->detail->x86.prefix, sizeof(insn->detail->x86.prefix));
}

/* A call or a jump to an address in the instruction. */
static bool
is_branch(const cs_insn *insn)
{
	const cs_x86 *x86 = &insn->detail->x86;

	/* The target of a failed transaction. */
	if (insn->id == X86_INS_XBEGIN)
		return true;
	switch (x86->opcode[0]) {
	case 0xe8:
	case 0xe9:
	case 0xeb:
		break;
	case 0x0f:
		if ((x86->opcode[1] & 0xf0) != 0x80)
			return false;
		break;
	default:
		if ((x86->opcode[0] & 0xf0) != 0x70 && (x86->opcode[0] & 0xfc) != 0xe0)
			return false;
	}
	return x86->op_count == 1 && x86->operands[0].type == X86_OP_IMM;
}

/* Takes a branch without its distance: a short jump and a long one are the same. */
static void
take_branch(struct code_body *body, const cs_insn *insn)
{
	buf_putc(&body->text, 'b');
	buf_put_u32(&body->text, insn->id);
	put_prefixes(body, insn);
	code_body_refer(body,
		(struct code_reference){.address = (uint64_t)insn->detail->x86.operands[0].imm,
			.kind = CODE_BRANCH});
}

/* Takes an instruction without the 4 bytes at `masked`, which hold the address in some way. */
static void
take_reference(
	struct code_body *body, const cs_insn *insn, size_t masked, struct code_reference reference)
{
	buf_putc(&body->text, 'r');
	buf_putc(&body->text, (char)insn->size);
	buf_putc(&body->text, (char)masked);
	buf_put(&body->text, insn->bytes, masked);
	buf_put(&body->text, insn->bytes + masked + 4, insn->size - masked - 4);
	code_body_refer(body, reference);
}

static bool
take_relative(struct code_body *body, const cs_insn *insn, size_t at)
{
	const cs_x86_op *operand = memory_operand(insn);
	struct code_reference reference = {.kind = CODE_ACCESS};

	if (!operand || operand->mem.base != X86_REG_RIP)
		return false;
	reference.address = insn->address + insn->size + (uint64_t)operand->mem.disp;
	reference.bytes = memory_bytes(insn, operand);
	if (insn->id == X86_INS_LEA || operand->size == 0)
		reference.kind = CODE_ADDRESS;
	if (load32(insn->bytes + at) != (uint32_t)operand->mem.disp)
		return false;
	take_reference(body, insn, at, reference);
	return true;
}

/* Code that is linked for one address has addresses as numbers. */
static bool
take_absolute(const struct code_image *image, struct code_body *body, const cs_insn *insn)
{
	const cs_x86_op *operand = memory_operand(insn);
	size_t at = displacement_at(insn);
	uint64_t address = at ? load32(insn->bytes + at) : 0;
	struct code_reference reference = {.address = address, .kind = CODE_ADDRESS};

	if (!at || !operand || operand->mem.segment != X86_REG_INVALID ||
		(uint32_t)operand->mem.disp != (uint32_t)address ||
		!code_image_section(image, address))
		return false;
	if (operand->mem.base == X86_REG_INVALID && operand->mem.index == X86_REG_INVALID &&
		operand->size > 0) {
		reference.kind = CODE_ACCESS;
		reference.bytes = memory_bytes(insn, operand);
	}
	take_reference(body, insn, at, reference);
	return true;
}

/* A number may be an address where addresses are moved, pushed, added or compared. */
static bool
take_immediate(const struct code_image *image, struct code_body *body, const cs_insn *insn)
{
	const cs_x86 *x86 = &insn->detail->x86;
	size_t at = x86->encoding.imm_offset;
	const struct code_section *section;
	struct code_symbol symbol;
	uint64_t address;

	if (insn->id != X86_INS_MOV && insn->id != X86_INS_PUSH && insn->id != X86_INS_ADD &&
		insn->id != X86_INS_SUB && insn->id != X86_INS_CMP)
		return false;
	if (at == 0 || x86->encoding.imm_size != 4 || at + 4 > insn->size)
		return false;
	address = load32(insn->bytes + at);
	section = code_image_section(image, address);
	if (!section)
		return false;
	/* An address in code counts only if it is the start of a function. */
	if (section->code && (!code_image_symbol(image, address, &symbol) || symbol.offset != 0))
		return false;
	take_reference(
		body, insn, at, (struct code_reference){.address = address, .kind = CODE_ADDRESS});
	return true;
}

static bool
take_instruction(const struct code_image *image, struct code_body *body, const cs_insn *insn)
{
	size_t at = displacement_at(insn);

	if (is_branch(insn)) {
		take_branch(body, insn);
		return true;
	}
	if (at && MODRM_MOD(insn->detail->x86.modrm) == 0 &&
		MODRM_RM(insn->detail->x86.modrm) == RM_DISP32)
		return take_relative(body, insn, at);
	if (image->fixed && (take_absolute(image, body, insn) || take_immediate(image, body, insn)))
		return true;
	buf_putc(&body->text, 'i');
	buf_putc(&body->text, (char)insn->size);
	buf_put(&body->text, insn->bytes, insn->size);
	return true;
}

static bool
is_nop(const cs_insn *insn)
{
	const uint8_t *opcode = insn->detail->x86.opcode;

	return insn->id == X86_INS_NOP &&
	       (opcode[0] == 0x90 || (opcode[0] == 0x0f && opcode[1] == 0x1f));
}

/* The map of opcodes and the position of the opcode, which all of them have. */
static size_t
vector_opcode_at(const unsigned char *code, size_t len, unsigned *map)
{
	if (len < 2)
		return 0;
	switch (code[0]) {
	case 0xc5:
		*map = 1;
		return 2;
	case 0xc4:
		*map = code[1] & 0x1f;
		return 3;
	case 0x62:
		*map = code[1] & 7;
		return 4;
	default:
		return 0;
	}
}

/*
 * Decodes instructions that begin with VEX or EVEX and that capstone 4 does not know: their length
 * follows from their shape. 0 where it is none of them, or may refer to something. Source: Intel
 * SDM volume 2, sections 2.3.5, "The VEX Prefix", and 2.7, "Intel AVX-512 Encoding".
 */
static size_t
vector_bytes(const unsigned char *code, size_t len)
{
	unsigned map = 0;
	unsigned modrm;
	unsigned opcode;
	size_t at = vector_opcode_at(code, len, &map);
	size_t bytes = at + 2;

	if (at == 0 || len < bytes || map == 0 || map == 4 || map > 6)
		return 0;
	opcode = code[at];
	modrm = code[at + 1];
	/* VZEROUPPER and VZEROALL are of another shape. */
	if ((map == 1 && opcode == 0x77) || (MODRM_MOD(modrm) == 0 && MODRM_RM(modrm) == RM_DISP32))
		return 0;
	if (MODRM_MOD(modrm) != 3 && MODRM_RM(modrm) == RM_SIB) {
		/* Without a base the displacement may be an address. */
		if (len < ++bytes || (MODRM_MOD(modrm) == 0 && MODRM_RM(code[at + 2]) == RM_DISP32))
			return 0;
	}
	bytes += MODRM_MOD(modrm) == 1 ? 1 : MODRM_MOD(modrm) == 2 ? 4 : 0;
	bytes += map == 3 || (map == 1 && ((opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 ||
						  (opcode >= 0xc4 && opcode <= 0xc6)));
	return bytes <= len ? bytes : 0;
}

static bool
read_body(void *decoder, const struct code_image *image, struct code_body *body)
{
	struct disassembler *disassembler = decoder;
	const cs_insn *insn = disassembler->insn;
	const uint8_t *code = body->bytes;
	size_t left = body->len;
	uint64_t address = body->address;

	while (left > 0) {
		uint32_t offset = (uint32_t)(code - body->bytes);

		/* At an instruction that it does not know, capstone does not advance. */
		if (!disassembler_next(disassembler, &code, &left, &address)) {
			size_t bytes = vector_bytes(code, left);

			if (bytes == 0)
				return false;
			code_body_instruction(body, offset);
			buf_putc(&body->text, 'i');
			buf_putc(&body->text, (char)bytes);
			buf_put(&body->text, code, bytes);
			code += bytes;
			left -= bytes;
			address += bytes;
			continue;
		}
		if (is_nop(insn) || insn->id == X86_INS_INT3) {
			code_body_nothing(body, offset, insn->size == 1);
			continue;
		}
		code_body_instruction(body, offset);
		if (!take_instruction(image, body, insn))
			return false;
	}
	return true;
}

/* endbr64, bnd and the rest may stand before it: [f3 0f 1e fa] [f2] ff 25 disp32. */
static uint64_t
stub_slot(const unsigned char *code, size_t len, uint64_t address)
{
	static const unsigned char endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	size_t at = 0;

	if (len >= sizeof(endbr64) && memcmp(code, endbr64, sizeof(endbr64)) == 0)
		at += sizeof(endbr64);
	if (at < len && code[at] == 0xf2)
		at++;
	if (len - at < 6 || code[at] != 0xff || code[at + 1] != 0x25)
		return 0;
	return address + at + 6 + (uint64_t)(int64_t)(int32_t)load32(code + at + 2);
}

const struct code_arch code_arch_x86 = {
	.machine = EM_X86_64,
	.open = open_decoder,
	.close = close_decoder,
	.read = read_body,
	.stub_slot = stub_slot,
};
