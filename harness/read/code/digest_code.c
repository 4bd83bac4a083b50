/* Machine code: distances and addresses in x86-64 instructions by where they lead. */
#include "code/digest_internal.h"

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * How long an x86-64 instruction is, and where in it a distance or an address is. Nothing else is
 * decoded, so that whole programs can be read in a moment, and without a library.
 *
 * Source: Intel SDM volume 2, chapter 2 (prefixes, ModR/M, VEX, EVEX) and appendix A (opcode maps).
 */

#define X86_LENGTH_MAX 15

/* Positions are offsets in the instruction; 0: there is none. */
struct x86_shape {
	uint8_t len;
	uint8_t displacement_at; /* of 4 bytes */
	bool relative;           /* ... and that is from the end of the instruction */
	bool address_only;       /* the displacement alone is an address: LEA */
	uint8_t branch_at;       /* a distance from the end of the instruction */
	uint8_t branch_bytes;    /* 1 or 4 */
	uint8_t number_at;       /* an immediate operand */
	uint8_t number_bytes;    /* 4 or 8: shorter ones are no addresses */
};

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

/* False where the bytes are no instruction, or one that compilers do not make. */
static bool
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

static int32_t
distance_at(const unsigned char *code)
{
	int32_t distance;

	memcpy(&distance, code, sizeof(distance));
	return distance;
}

static uint64_t
number_at(const unsigned char *code, size_t bytes)
{
	uint64_t wide = 0;

	memcpy(&wide, code, bytes);
	return wide;
}

static bool
is_readable(const struct digest *digest, const struct digest_section *section)
{
	return digest->machine == EM_X86_64 && section->bytes;
}

void
digest_code_targets(struct digest *digest, const struct digest_section *section)
{
	struct x86_shape shape;

	for (uint64_t at = 0; is_readable(digest, section) && at < section->size; at += shape.len) {
		const unsigned char *code = section->bytes + at;

		if (!x86_shape_read(code, section->size - at, &shape)) {
			shape.len = 1;
			continue;
		}
		if (shape.displacement_at && shape.relative)
			digest_add_target(digest, section->address + at + shape.len +
							  (uint64_t)(int64_t)distance_at(
								  code + shape.displacement_at));
		else if (shape.displacement_at && digest->fixed)
			digest_add_target(digest, number_at(code + shape.displacement_at, 4));
		if (shape.number_at && digest->fixed)
			digest_add_target(
				digest, number_at(code + shape.number_at, shape.number_bytes));
	}
}

/* `bytes` at `field` hold `address`: in its place, its meaning; else as they are. */
static void
put_field(struct digest *digest, const unsigned char *field, size_t bytes, char mark,
	uint64_t address)
{
	if (!digest_address(digest, mark, address))
		digest_raw(digest, field, bytes);
}

static void
put_instruction(struct digest *digest, const unsigned char *code, uint64_t address,
	const struct x86_shape *shape)
{
	const uint64_t end = address + shape->len;
	size_t done = 0;

	if (shape->displacement_at && (shape->relative || digest->fixed)) {
		const unsigned char *field = code + shape->displacement_at;

		digest_raw(digest, code, shape->displacement_at);
		if (shape->relative)
			put_field(
				digest, field, 4, 'd', end + (uint64_t)(int64_t)distance_at(field));
		else
			put_field(digest, field, 4, 'a', number_at(field, 4));
		done = shape->displacement_at + 4U;
	} else if (shape->branch_bytes == 4) {
		const unsigned char *field = code + shape->branch_at;

		digest_raw(digest, code, shape->branch_at);
		put_field(digest, field, 4, 'd', end + (uint64_t)(int64_t)distance_at(field));
		done = shape->branch_at + 4U;
	}
	if (shape->number_at && digest->fixed) {
		const unsigned char *field = code + shape->number_at;

		digest_raw(digest, code + done, shape->number_at - done);
		put_field(digest, field, shape->number_bytes, 'a',
			number_at(field, shape->number_bytes));
		done = shape->number_at + (size_t)shape->number_bytes;
	}
	digest_raw(digest, code + done, shape->len - done);
}

void
digest_code(struct digest *digest, const struct digest_section *section)
{
	struct x86_shape shape;

	/* The layout of code decides about its speed. */
	digest_mark(digest, 'x', section->address % 64);
	if (!is_readable(digest, section)) {
		digest_raw(digest, section->bytes, section->bytes ? section->size : 0);
		return;
	}
	for (uint64_t at = 0; at < section->size; at += shape.len) {
		if (x86_shape_read(section->bytes + at, section->size - at, &shape)) {
			put_instruction(digest, section->bytes + at, section->address + at, &shape);
			continue;
		}
		shape.len = 1;
		digest_raw(digest, section->bytes + at, 1);
	}
}
