/*
 * The digest of machine code: distances and addresses in x86-64 instructions by where they lead.
 */
#include "code/digest_internal.h"
#include "code/x86_shape.h"

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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
