#include "code/body.h"

#include "base/mem.h"
#include "base/search.h"
#include "base/siphash.h"

#include <stdlib.h>

/* Neither compilers nor processors ask for larger blocks. */
#define ALIGNMENT_MAX 64
#define ALIGNMENT_MIN 8

/* Nothing relies on its being secret. */
static const uint64_t hash_key_of_code[2] = {
	UINT64_C(0x70726f66696c655f), UINT64_C(0x72756e20636f6465)};

uint64_t
code_hash(const void *bytes, size_t len)
{
	return siphash(hash_key_of_code, bytes, len, 2, 4);
}

static const struct code_arch *const archs[] = {&code_arch_x86, &code_arch_aarch64, NULL};

const struct code_arch *
code_arch_find(uint16_t machine)
{
	for (size_t i = 0; archs[i]; i++)
		if (archs[i]->machine == machine)
			return archs[i];
	return NULL;
}

void
code_body_release(struct code_body *body)
{
	buf_release(&body->text);
	free(body->references);
	free(body->places);
	*body = (struct code_body){0};
}

void
code_body_begin(struct code_body *body, const unsigned char *bytes, uint64_t address, uint32_t len)
{
	body->bytes = bytes;
	body->address = address;
	body->len = len;
	buf_clear(&body->text);
	body->nreferences = 0;
	body->nplaces = 0;
	body->ninstructions = 0;
	body->run_place = SIZE_MAX;
}

static void
add_place(struct code_body *body, uint32_t offset, uint32_t index)
{
	body->places = mem_grow(
		body->places, &body->places_capacity, body->nplaces + 1, sizeof(*body->places));
	body->places[body->nplaces++] = (struct code_place){.offset = offset, .index = index};
}

/*
 * Padding ends at a multiple of what it aligns to, and is shorter than that. Other instructions
 * without effect may have a purpose, and count.
 */
static bool
is_padding(const struct code_body *body, uint32_t end)
{
	uint64_t address = body->address + end;
	uint64_t alignment = address & (~address + 1);

	if (alignment > ALIGNMENT_MAX)
		alignment = ALIGNMENT_MAX;
	return alignment >= ALIGNMENT_MIN && end - body->run_start < alignment &&
	       body->run_single <= 1;
}

static void
end_run(struct code_body *body, uint32_t end)
{
	size_t first = body->run_place;

	if (first == SIZE_MAX)
		return;
	body->run_place = SIZE_MAX;
	if (is_padding(body, end))
		return;
	for (size_t i = first; i < body->nplaces; i++)
		body->places[i].index = body->ninstructions++;
	buf_putc(&body->text, 'n');
	buf_put_u32(&body->text, end - body->run_start);
	buf_put(&body->text, body->bytes + body->run_start, end - body->run_start);
}

void
code_body_instruction(struct code_body *body, uint32_t offset)
{
	end_run(body, offset);
	add_place(body, offset, body->ninstructions++);
}

void
code_body_nothing(struct code_body *body, uint32_t offset, bool odd)
{
	if (body->run_place == SIZE_MAX) {
		body->run_place = body->nplaces;
		body->run_start = offset;
		body->run_single = 0;
	}
	body->run_single += odd;
	add_place(body, offset, body->ninstructions);
}

void
code_body_refer(struct code_body *body, struct code_reference reference)
{
	body->references = mem_grow(body->references, &body->references_capacity,
		body->nreferences + 1, sizeof(*body->references));
	body->references[body->nreferences++] = reference;
}

uint32_t
code_body_index(const struct code_body *body, uint64_t offset)
{
	size_t at = search_before(
		body->places, body->nplaces, SEARCH_BY(struct code_place, offset), offset);

	if (at == body->nplaces || body->places[at].offset != offset)
		return UINT32_MAX;
	return body->places[at].index;
}
