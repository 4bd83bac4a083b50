#include "code/x86_shape.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define X86_LENGTH_MAX 15

/*
 * What follows each opcode, a letter for 16 in a row:
 * m a ModR/M byte; M the same and a byte; Z the same and a number of operand size, at most 4 bytes;
 * b a byte; w two; e three (ENTER); z a number of operand size, at most 4 bytes; v of up to 8;
 * o an address of 8 bytes; j and J distances of 1 and 4 bytes; g groups F6 and F7; . nothing;
 * x none in 64-bit mode, or handled elsewhere.
 */
static const char one_byte[] = "mmmmbzxxmmmmbzxx"
			       "mmmmbzxxmmmmbzxx"
			       "mmmmbzxxmmmmbzxx"
			       "mmmmbzxxmmmmbzxx"
			       "xxxxxxxxxxxxxxxx"
			       "................"
			       "xxxmxxxxzZbM...."
			       "jjjjjjjjjjjjjjjj"
			       "MZxMmmmmmmmmmmmm"
			       "..........x....."
			       "oooo....bz......"
			       "bbbbbbbbvvvvvvvv"
			       "MMw.xxMZe.w..bx."
			       "mmmmxxx.mmmmmmmm"
			       "jjjjbbbbJJxj...."
			       "x.xx..gg......mm";

static const char two_bytes[] = "mmmmx.....x.xm.M"
				"mmmmmmmmmmmmmmmm"
				"mmmmxxxxmmmmmmmm"
				"......x.xxxxxxxx"
				"mmmmmmmmmmmmmmmm"
				"mmmmmmmmmmmmmmmm"
				"mmmmmmmmmmmmmmmm"
				"MMMMmmm.mmxxmmmm"
				"JJJJJJJJJJJJJJJJ"
				"mmmmmmmmmmmmmmmm"
				"...mMmxx...mMmmm"
				"mmmmmmmmmmMmmmmm"
				"mmMmMMMm........"
				"mmmmmmmmmmmmmmmm"
				"mmmmmmmmmmmmmmmm"
				"mmmmmmmmmmmmmmmm";

#define MODRM_MOD(modrm) ((modrm) >> 6)
#define MODRM_REG(modrm) ((modrm) >> 3 & 7)
#define MODRM_RM(modrm) ((modrm)&7)
#define RM_SIB 4
#define RM_DISP32 5

struct reader {
	const unsigned char *code;
	size_t left;
	size_t at;
	bool operand_16; /* prefix 66 */
	bool address_32; /* prefix 67 */
	bool wide;       /* REX.W */
};

static bool
has(const struct reader *reader, size_t bytes)
{
	return reader->left - reader->at >= bytes;
}

/* The prefixes; REX counts only where it is the last one. */
static void
read_prefixes(struct reader *reader)
{
	for (; has(reader, 1); reader->at++) {
		unsigned char byte = reader->code[reader->at];

		switch (byte) {
		case 0x66:
			reader->operand_16 = true;
			break;
		case 0x67:
			reader->address_32 = true;
			break;
		case 0x26:
		case 0x2e:
		case 0x36:
		case 0x3e:
		case 0x64:
		case 0x65:
		case 0xf0:
		case 0xf2:
		case 0xf3:
			break;
		default:
			if ((byte & 0xf0) != 0x40)
				return;
			reader->wide = (byte & 8) != 0;
			continue;
		}
		reader->wide = false;
	}
}

/* ModR/M, SIB and displacement. */
static bool
read_operand(struct reader *reader, struct x86_shape *shape)
{
	unsigned modrm;
	unsigned base;

	if (!has(reader, 1))
		return false;
	modrm = reader->code[reader->at++];
	base = MODRM_RM(modrm);
	if (MODRM_MOD(modrm) == 3)
		return true;
	if (base == RM_SIB) {
		if (!has(reader, 1))
			return false;
		base = MODRM_RM(reader->code[reader->at++]);
	}
	if (MODRM_MOD(modrm) == 1) {
		reader->at++;
	} else if (MODRM_MOD(modrm) == 2 || base == RM_DISP32) {
		shape->displacement_at = (uint8_t)reader->at;
		shape->relative = MODRM_MOD(modrm) == 0 && MODRM_RM(modrm) == RM_DISP32;
		reader->at += 4;
	}
	return reader->at <= reader->left;
}

static bool
read_immediate(struct reader *reader, size_t bytes, struct x86_shape *shape)
{
	if (bytes >= 4) {
		shape->number_at = (uint8_t)reader->at;
		shape->number_bytes = (uint8_t)bytes;
	}
	reader->at += bytes;
	return reader->at <= reader->left;
}

static bool
read_branch(struct reader *reader, size_t bytes, struct x86_shape *shape)
{
	shape->branch_at = (uint8_t)reader->at;
	shape->branch_bytes = (uint8_t)bytes;
	reader->at += bytes;
	return reader->at <= reader->left;
}

/* F6 and F7: only TEST has a number. */
static bool
read_group(struct reader *reader, unsigned char opcode, struct x86_shape *shape)
{
	bool is_test = has(reader, 1) && MODRM_REG(reader->code[reader->at]) <= 1;

	if (!read_operand(reader, shape))
		return false;
	if (!is_test)
		return true;
	return read_immediate(reader, opcode == 0xf6 ? 1 : reader->operand_16 ? 2 : 4, shape);
}

static bool
read_rest(struct reader *reader, unsigned char opcode, char kind, struct x86_shape *shape)
{
	const size_t number = reader->operand_16 && !reader->wide ? 2 : 4;

	switch (kind) {
	case '.':
		return true;
	case 'm':
		return read_operand(reader, shape);
	case 'M':
		return read_operand(reader, shape) && read_immediate(reader, 1, shape);
	case 'Z':
		return read_operand(reader, shape) && read_immediate(reader, number, shape);
	case 'b':
		return read_immediate(reader, 1, shape);
	case 'w':
		return read_immediate(reader, 2, shape);
	case 'e':
		return read_immediate(reader, 3, shape);
	case 'z':
		return read_immediate(reader, number, shape);
	case 'v':
		return read_immediate(reader, reader->wide ? 8 : number, shape);
	case 'o':
		return read_immediate(reader, reader->address_32 ? 4 : 8, shape);
	case 'j':
		return read_branch(reader, 1, shape);
	case 'J':
		return read_branch(reader, 4, shape);
	case 'g':
		return read_group(reader, opcode, shape);
	default:
		return false;
	}
}

/* Opcodes behind VEX and EVEX, by their map: all have ModR/M but VZEROUPPER. */
static bool
read_vector(struct reader *reader, unsigned map, struct x86_shape *shape)
{
	unsigned char opcode;
	bool number;

	if (!has(reader, 1) || map == 0 || map == 4 || map > 6)
		return false;
	opcode = reader->code[reader->at++];
	if (map == 1 && opcode == 0x77)
		return true;
	number = map == 3 || (map == 1 && ((opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 ||
						  (opcode >= 0xc4 && opcode <= 0xc6)));
	return read_operand(reader, shape) && (!number || read_immediate(reader, 1, shape));
}

/* 0F, 0F 38 and 0F 3A. */
static bool
read_two_bytes(struct reader *reader, struct x86_shape *shape)
{
	unsigned char opcode;

	if (!has(reader, 1))
		return false;
	opcode = reader->code[reader->at++];
	if (opcode == 0x38 || opcode == 0x3a) {
		if (!has(reader, 1))
			return false;
		reader->at++;
		return read_operand(reader, shape) &&
		       (opcode == 0x38 || read_immediate(reader, 1, shape));
	}
	return read_rest(reader, opcode, two_bytes[opcode], shape);
}

static bool
read_opcode(struct reader *reader, struct x86_shape *shape)
{
	const unsigned char *code = reader->code + reader->at;
	unsigned char opcode;

	if (!has(reader, 1))
		return false;
	opcode = code[0];
	reader->at++;
	switch (opcode) {
	case 0x0f:
		return read_two_bytes(reader, shape);
	case 0xc5:
		reader->at += 1;
		return has(reader, 1) && read_vector(reader, 1, shape);
	case 0xc4:
		reader->at += 2;
		return reader->at < reader->left && read_vector(reader, code[1] & 0x1f, shape);
	case 0x62:
		reader->at += 3;
		return reader->at < reader->left && read_vector(reader, code[1] & 7, shape);
	case 0x8f: /* XOP, of processors that are no longer made, is another instruction. */
		if (has(reader, 1) && MODRM_REG(code[1]) != 0)
			return false;
		return read_operand(reader, shape);
	case 0x8d:
		shape->address_only = true;
		return read_operand(reader, shape);
	default:
		return read_rest(reader, opcode, one_byte[opcode], shape);
	}
}

bool
x86_shape_read(const unsigned char *code, size_t left, struct x86_shape *shape)
{
	struct reader reader = {
		.code = code, .left = left < X86_LENGTH_MAX ? left : X86_LENGTH_MAX};

	memset(shape, 0, sizeof(*shape));
	read_prefixes(&reader);
	if (!read_opcode(&reader, shape) || reader.at > reader.left)
		return false;
	shape->len = (uint8_t)reader.at;
	return true;
}
