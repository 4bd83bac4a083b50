#include "code/code_align.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/lcs.h"
#include "base/mem.h"
#include "base/text_map.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Cells of the tables of all functions together: a tenth of a second. */
#define CELLS_OF_ALL ((uint64_t)32 << 20)

/* Where a function begins on the side that others are aligned with. */
struct function {
	size_t begin;
	size_t len;
};

struct functions {
	struct function *all;
	size_t count;
	size_t capacity;
	struct text_map by_name; /* index of `all`, of the first one of a name */
};

/* A side of a pair of functions. */
struct part {
	const struct aligned_instruction *instructions;
	uint64_t *keys;
	size_t count;
};

static size_t
operation_len(const char *text)
{
	return strcspn(text, " ");
}

/* Whether the last operand is a place in the code, of an operation of x86-64 or AArch64. */
static bool
has_target(const char *text, size_t len)
{
	static const char *const others[] = {"cbz", "cbnz", "tbz", "tbnz", "adr", "adrp"};

	if (text[0] == 'j' || (len >= 4 && memcmp(text, "call", 4) == 0) ||
		(text[0] == 'b' && (len == 1 || text[1] == '.' || (len == 2 && text[1] == 'l'))))
		return true;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strlen(others[i]) == len && memcmp(text, others[i], len) == 0)
			return true;
	return false;
}

/* The name of what an instruction leads to, "<name+0x12>" at its end; 0: it has none. */
static size_t
target_name(const char *text, const char **name)
{
	const char *begin = strchr(text, '<');

	if (!begin)
		return 0;
	*name = begin + 1;
	const char *end = strrchr(*name, '>');

	if (!end)
		return 0;
	/* A name of C++ may have a '+' itself. */
	for (const char *at = end; at > *name; at--)
		if (at[-1] == '+' && at[0] == '0' && at[1] == 'x')
			return (size_t)(at - 1 - *name);
	return (size_t)(end - *name);
}

/* Appends the text without numbers behind "rip + " and "rip - ". */
static void
put_without_places(const char *text, size_t len, struct buf *out)
{
	const char *end = text + len;

	while (text < end) {
		const char *rip = memmem(text, (size_t)(end - text), "rip ", 4);
		const char *until = rip ? rip + 3 : end;

		buf_put(out, text, (size_t)(until - text));
		text = rip ? until + strcspn(until, "]") : end;
	}
}

static uint64_t
key_of(const struct aligned_instruction *instruction, struct buf *scratch)
{
	const char *text = instruction->text;
	const size_t operation = operation_len(text);
	const char *name = NULL;
	const size_t name_len = target_name(text, &name);

	buf_clear(scratch);
	if (name_len > 0) {
		buf_put(scratch, text, operation);
		/* Within the function it is only known that it goes elsewhere in it. */
		if (strlen(instruction->function) != name_len ||
			memcmp(instruction->function, name, name_len) != 0)
			buf_put(scratch, name, name_len);
	} else if (has_target(text, operation)) {
		const char *last = strrchr(text, ',');
		const char *operand = last ? last + 1 : text + operation;

		operand += strspn(operand, " #");
		put_without_places(
			text, *operand == '0' ? (size_t)(operand - text) : strlen(text), scratch);
	} else {
		put_without_places(text, strlen(text), scratch);
	}
	return hash_bytes(buf_text(scratch), scratch->len);
}

static bool
same_operation(const struct aligned_instruction *a, const struct aligned_instruction *b)
{
	const size_t len = operation_len(a->text);

	return len == operation_len(b->text) && memcmp(a->text, b->text, len) == 0;
}

/* Instructions of a part, from `begin` on, before `end`. */
struct stretch {
	const struct part *part;
	size_t begin;
	size_t end;
};

/* Pairs what is between two matches, if it is as much on both sides, and of the same operations. */
static void
match_in_gap(struct stretch from, struct stretch into, uint32_t *of)
{
	if (from.end - from.begin != into.end - into.begin)
		return;
	for (size_t i = from.begin, k = into.begin; i < from.end; i++, k++)
		if (same_operation(&from.part->instructions[i], &into.part->instructions[k]))
			of[i] = (uint32_t)k;
}

static void
match_gaps(const struct part *from, const struct part *into, uint32_t *of)
{
	size_t a = 0;
	size_t b = 0;

	for (size_t i = 0; i <= from->count; i++) {
		const bool ends = i == from->count;

		if (!ends && of[i] == LCS_NONE)
			continue;
		const size_t k = ends ? into->count : of[i];

		match_in_gap((struct stretch){from, a, i}, (struct stretch){into, b, k}, of);
		a = i + 1;
		b = k + 1;
	}
}

/* Sets of[i] to the index within `into`. */
static void
align_parts(const struct part *from, const struct part *into, struct allowance *cells, uint32_t *of)
{
	lcs_pair((struct lcs_keys){from->keys, from->count},
		(struct lcs_keys){into->keys, into->count}, cells, of);
	match_gaps(from, into, of);
}

/* The number of instructions of the function that begins here. */
static size_t
function_len(const struct aligned_instruction *at, size_t left)
{
	size_t len = 1;

	while (len < left && strcmp(at[len].function, at->function) == 0)
		len++;
	return len;
}

static void
find_functions(struct functions *functions, const struct aligned_instruction *all, size_t count)
{
	for (size_t i = 0; i < count; i += functions->all[functions->count - 1].len) {
		const char *name = all[i].function;

		if (!text_map_find(&functions->by_name, name, strlen(name)))
			text_map_add(&functions->by_name, name, strlen(name),
				(uint32_t)functions->count);
		functions->all = mem_grow(functions->all, &functions->capacity,
			functions->count + 1, sizeof(*functions->all));
		functions->all[functions->count++] =
			(struct function){i, function_len(&all[i], count - i)};
	}
}

static void
functions_free(struct functions *functions)
{
	free(functions->all);
	text_map_release(&functions->by_name);
}

/* The one of this name; where there is only one on both sides, that. NULL: there is none. */
static const struct function *
partner_of(const struct functions *functions, const char *name, bool alone)
{
	const struct text_entry *entry = text_map_find(&functions->by_name, name, strlen(name));

	if (alone && functions->count == 1)
		return &functions->all[0];
	return entry ? &functions->all[entry->value] : NULL;
}

static uint64_t *
keys_of(const struct aligned_instruction *all, size_t count)
{
	uint64_t *keys = mem_zalloc(count + 1, sizeof(*keys));
	struct buf scratch = {0};

	for (size_t i = 0; i < count; i++)
		keys[i] = key_of(&all[i], &scratch);
	buf_release(&scratch);
	return keys;
}

uint32_t *
code_align(const struct aligned_instruction *from, size_t nfrom,
	const struct aligned_instruction *into, size_t ninto)
{
	uint32_t *of = mem_zalloc(nfrom + 1, sizeof(*of));
	uint64_t *from_keys = keys_of(from, nfrom);
	uint64_t *into_keys = keys_of(into, ninto);
	struct allowance cells = {CELLS_OF_ALL};
	struct functions functions = {0};
	size_t len = 0;

	find_functions(&functions, into, ninto);
	for (size_t i = 0; i < nfrom; i++)
		of[i] = LCS_NONE;
	for (size_t i = 0; i < nfrom; i += len) {
		len = function_len(&from[i], nfrom - i);
		const struct function *partner =
			partner_of(&functions, from[i].function, len == nfrom);

		if (!partner)
			continue;
		align_parts(&(struct part){&from[i], &from_keys[i], len},
			&(struct part){
				&into[partner->begin], &into_keys[partner->begin], partner->len},
			&cells, &of[i]);
		for (size_t k = i; k < i + len; k++)
			of[k] += of[k] != LCS_NONE ? (uint32_t)partner->begin : 0;
	}
	functions_free(&functions);
	free(from_keys);
	free(into_keys);
	return of;
}

bool
code_align_is_same(const struct aligned_instruction *one, const struct aligned_instruction *other)
{
	struct buf scratch = {0};
	const bool same = key_of(one, &scratch) == key_of(other, &scratch);

	buf_release(&scratch);
	return same;
}
