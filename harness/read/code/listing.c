#include "code/listing.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/lcs.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/text_map.h"
#include "code/disassembler.h"
#include "code/image.h"

#include <elf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void
code_listing_release(struct code_listing *listing)
{
	free(listing->instructions);
	buf_release(&listing->texts);
	*listing = (struct code_listing){0};
}

/* The name of what a call or jump leads to: its operand is the address. */
static void
put_target(const struct code_image *image, const cs_insn *insn, struct buf *out)
{
	const char *number = insn->op_str[0] == '#' ? insn->op_str + 1 : insn->op_str;
	struct code_symbol symbol;
	char *end;
	const uint64_t address = strtoull(number, &end, 0);
	const struct code_section *section = code_image_section(image, address);

	if (end == number || *end || !section || !section->code ||
		!code_image_symbol(image, address, &symbol) || !symbol.name)
		return;
	buf_printf(out, " <%s", symbol.name);
	if (symbol.offset > 0)
		buf_printf(out, "+0x%" PRIx64, symbol.offset);
	buf_putc(out, '>');
}

/* Appends one whose text begins at the end of the texts. */
static void
put_instruction(struct code_listing *listing, uint64_t offset, uint64_t address, size_t bytes)
{
	listing->instructions = mem_grow(listing->instructions, &listing->capacity,
		listing->count + 1, sizeof(*listing->instructions));
	listing->instructions[listing->count++] = (struct code_instruction){
		.offset = offset,
		.address = address,
		.bytes = (uint32_t)bytes,
		.text = listing->texts.len,
	};
}

static void
add_instruction(struct code_listing *listing, const struct code_image *image, const cs_insn *insn,
	uint64_t offset)
{
	put_instruction(listing, offset, insn->address, insn->size);
	buf_printf(
		&listing->texts, insn->op_str[0] ? "%-7s %s" : "%s", insn->mnemonic, insn->op_str);
	put_target(image, insn, &listing->texts);
	buf_putc(&listing->texts, '\0');
}

/* The prefixes VEX and EVEX, by their first byte, and their length; 0: it is none. */
static size_t
vector_prefix(uint8_t first)
{
	return first == 0xc5 ? 2 : first == 0xc4 ? 3 : first == 0x62 ? 4 : 0;
}

/* The operations of their first map, 0F, that have a byte of an immediate. */
static bool
has_immediate(uint8_t operation)
{
	return (operation >= 0x70 && operation <= 0x73) || operation == 0xc2 ||
	       (operation >= 0xc4 && operation <= 0xc6);
}

/*
 * The bytes of an instruction that capstone does not know; 0: these are not known, either. Versions
 * of it lack many of AVX-512 on x86-64, whose length follows from their prefix (Intel's manual,
 * volume 2, 2.3 and 2.7): behind it are the operation, ModR/M, perhaps SIB, displacement and
 * immediate.
 */
static size_t
unknown_length(uint16_t machine, const uint8_t *code, size_t left)
{
	const size_t prefix = left > 0 && machine == EM_X86_64 ? vector_prefix(code[0]) : 0;
	size_t len = prefix + 2;

	if (machine == EM_AARCH64)
		return left >= 4 ? 4 : 0;
	if (prefix == 0 || left < len)
		return 0;
	const unsigned map = prefix == 2 ? 1 : code[1] & (prefix == 3 ? 31 : 7);
	const unsigned mode = code[len - 1] >> 6;
	unsigned base = code[len - 1] & 7;

	if (mode != 3 && base == 4) {
		if (left == len)
			return 0;
		base = code[len++] & 7;
	}
	if (mode == 1)
		len++;
	else if (mode == 2 || (mode == 0 && base == 5))
		len += 4;
	if (map == 3 || (map == 1 && has_immediate(code[prefix])))
		len++;
	return len <= left ? len : 0;
}

/* Lists the bytes as assemblers take them. */
static void
add_bytes(struct code_listing *listing, const uint8_t *code, size_t len, uint64_t address,
	uint64_t offset)
{
	put_instruction(listing, offset, address, len);
	buf_printf(&listing->texts, "%-7s ", ".byte");
	for (size_t i = 0; i < len; i++)
		buf_printf(&listing->texts, i > 0 ? ", 0x%02x" : "0x%02x", code[i]);
	buf_putc(&listing->texts, '\0');
}

static int
compare_offsets(const void *a, const void *b)
{
	const struct code_instruction *one = a;
	const struct code_instruction *other = b;

	return (one->offset > other->offset) - (one->offset < other->offset);
}

/* The number of instructions that begin up to this offset. */
static size_t
count_until(const struct code_listing *listing, uint64_t offset)
{
	return search_until(listing->instructions, listing->count,
		SEARCH_BY(struct code_instruction, offset), offset);
}

/* Narrows a range around `offset`, which is not listed, to what no listed instruction is in. */
static void
leave_out_listed(
	const struct code_listing *listing, uint64_t offset, uint64_t *begin, uint64_t *end)
{
	const size_t until = count_until(listing, offset);

	if (until > 0) {
		const struct code_instruction *before = &listing->instructions[until - 1];

		if (before->offset + before->bytes > *begin)
			*begin = before->offset + before->bytes;
	}
	if (until < listing->count && listing->instructions[until].offset < *end)
		*end = listing->instructions[until].offset;
}

/* Puts those from `first` on, which are in order among themselves, into order with the others. */
static void
sort_from(struct code_listing *listing, size_t first)
{
	const struct code_instruction *instructions = listing->instructions;

	if (first > 0 && first < listing->count &&
		instructions[first].offset < instructions[first - 1].offset)
		qsort(listing->instructions, listing->count, sizeof(*listing->instructions),
			compare_offsets);
}

bool
code_listing_add(struct code_listing *listing, const struct code_image *image,
	struct disassembler *disassembler, uint64_t offset)
{
	const size_t first = listing->count;
	struct code_symbol symbol;
	uint64_t address;

	if (code_listing_find(listing, offset))
		return true;
	if (!elf_image_address(&image->file, offset, &address) ||
		!code_image_symbol(image, address, &symbol))
		return false;
	uint64_t begin = offset - symbol.offset;
	uint64_t end = begin + symbol.size;
	const bool begun = code_listing_find(listing, begin) != NULL;

	leave_out_listed(listing, offset, &begin, &end);
	size_t left = end - begin;
	uint64_t at = address - (offset - begin);
	const struct code_section *section = code_image_section(image, at);
	const uint8_t *code = section ? code_section_bytes(section, at, left) : NULL;

	/* Listed already, but not up to this offset. */
	if (!code || !section->code || begun)
		return false;
	const size_t function = listing->texts.len;

	buf_puts(&listing->texts, symbol.name ? symbol.name : "");
	buf_putc(&listing->texts, '\0');
	while (left > 0) {
		const uint64_t begins = end - left;

		if (disassembler_next(disassembler, &code, &left, &at)) {
			add_instruction(listing, image, disassembler->insn, begins);
			continue;
		}
		const size_t len = unknown_length(image->machine, code, left);

		if (len == 0)
			break;
		add_bytes(listing, code, len, at, begins);
		code += len;
		left -= len;
		at += len;
	}
	for (size_t i = first; i < listing->count; i++)
		listing->instructions[i].function = function;
	sort_from(listing, first);
	return code_listing_find(listing, offset) != NULL;
}

const struct code_instruction *
code_listing_find(const struct code_listing *listing, uint64_t offset)
{
	const size_t until = count_until(listing, offset);
	const struct code_instruction *found = until > 0 ? &listing->instructions[until - 1] : NULL;

	return found && offset - found->offset < found->bytes ? found : NULL;
}

const char *
code_listing_text(const struct code_listing *listing, const struct code_instruction *instruction)
{
	return buf_text(&listing->texts) + instruction->text;
}

const char *
code_listing_function(
	const struct code_listing *listing, const struct code_instruction *instruction)
{
	return buf_text(&listing->texts) + instruction->function;
}

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
