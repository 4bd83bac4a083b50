/*
 * Decodes AArch64 code for code_body. All instructions are of one length, and few refer to
 * anything: no library is needed to find references. Source: Arm Architecture Reference Manual,
 * section C4.1, "A64 instruction set encoding".
 *
 * An address is made of its page (ADRP) and, in one or more later instructions, of the offset in
 * that page. The pages that registers hold are followed from instruction to instruction, and to
 * the targets of jumps ahead.
 */
#include "code/body.h"
#include "code/image.h"

#include "base/mem.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#define NOP UINT32_C(0xd503201f)
#define WORD_BYTES 4
#define PAGE_MASK UINT64_C(0xfff)
#define NREGISTERS 32
#define NO_PAGE UINT64_C(1) /* pages are even */
/* X0 to X18 are not kept by a call. Source: AAPCS64, section 6.1.1. */
#define NSCRATCH 19

/* The page whose address each register holds; NO_PAGE where it is none or not known. */
struct pages {
	uint64_t page[NREGISTERS];
};

/* A page whose address was put into a register somewhere in the function. */
struct page_use {
	uint64_t page;
	unsigned to; /* the register */
	bool used;   /* another instruction added an offset to it */
};

/* The target of a jump ahead, and the pages that registers hold where code jumps to it. */
struct jump_target {
	uint32_t offset;
	struct pages pages;
};

struct reader {
	struct code_body *body;
	struct pages now;
	bool reached;                /* the instruction before goes on to this one */
	struct jump_target *targets; /* in the order in which they were met */
	size_t ntargets;
	size_t targets_capacity;
	uint32_t *target_at;   /* [words] index of the target there, plus 1; 0: none */
	struct page_use *uses; /* each page and register once */
	size_t nuses;
	size_t uses_capacity;
};

static int64_t
field(uint32_t word, unsigned low, unsigned bits)
{
	uint32_t value = word >> low & ((UINT32_C(1) << bits) - 1);
	uint32_t sign = UINT32_C(1) << (bits - 1);

	return (int64_t)(value ^ sign) - (int64_t)sign;
}

static void
forget_all(struct pages *pages)
{
	for (size_t i = 0; i < NREGISTERS; i++)
		pages->page[i] = NO_PAGE;
}

/* Keeps the pages that registers hold on both ways to an instruction. */
static void
intersect(struct pages *pages, const struct pages *other)
{
	for (size_t i = 0; i < NREGISTERS; i++)
		if (pages->page[i] != other->page[i])
			pages->page[i] = NO_PAGE;
}

static void
remember_target(struct reader *reader, uint32_t from, uint64_t target)
{
	uint64_t offset = target - reader->body->address;

	if (offset >= reader->body->len || offset <= from || offset % WORD_BYTES != 0)
		return;
	uint32_t *at = &reader->target_at[offset / WORD_BYTES];

	if (*at > 0) {
		intersect(&reader->targets[*at - 1].pages, &reader->now);
		return;
	}
	reader->targets = mem_grow(reader->targets, &reader->targets_capacity, reader->ntargets + 1,
		sizeof(*reader->targets));
	reader->targets[reader->ntargets++] =
		(struct jump_target){.offset = (uint32_t)offset, .pages = reader->now};
	*at = (uint32_t)reader->ntargets;
}

/*
 * Code reached only by an unknown jump, as through a table, is taken to have the pages of the code
 * before it: pages are made ahead of such a jump.
 */
static void
take_targets(struct reader *reader, uint32_t offset)
{
	uint32_t at = reader->target_at[offset / WORD_BYTES];

	if (at > 0 && reader->reached)
		intersect(&reader->now, &reader->targets[at - 1].pages);
	else if (at > 0)
		reader->now = reader->targets[at - 1].pages;
	reader->reached = true;
}

static void
put(struct reader *reader, char kind, uint32_t word)
{
	buf_putc(&reader->body->text, kind);
	buf_put_u32(&reader->body->text, word);
}

static void
refer(struct reader *reader, uint64_t address, uint32_t bytes, enum code_reference_kind kind)
{
	code_body_refer(reader->body,
		(struct code_reference){.address = address, .bytes = bytes, .kind = kind});
}

/* B, BL, B.cond, BC.cond, CBZ, CBNZ, TBZ, TBNZ: the mask of the offset, 0 where it is none. */
static uint32_t
branch_mask(uint32_t word, int64_t *words)
{
	if ((word & 0x7c000000) == 0x14000000) {
		*words = field(word, 0, 26);
		return 0x03ffffff;
	}
	if ((word & 0xff000000) == 0x54000000 || (word & 0x7e000000) == 0x34000000) {
		*words = field(word, 5, 19);
		return 0x00ffffe0;
	}
	if ((word & 0x7e000000) == 0x36000000) {
		*words = field(word, 5, 14);
		return 0x0007ffe0;
	}
	return 0;
}

static bool
take_branch(struct reader *reader, uint32_t offset, uint32_t word)
{
	bool is_call = (word & 0xfc000000) == 0x94000000;
	bool is_jump = (word & 0xfc000000) == 0x14000000;
	int64_t words;
	uint32_t mask = branch_mask(word, &words);
	uint64_t target;

	if (mask == 0)
		return false;
	target = reader->body->address + offset + (uint64_t)(words * WORD_BYTES);
	put(reader, 'b', word & ~mask);
	refer(reader, target, 0, CODE_BRANCH);
	if (is_call)
		for (size_t i = 0; i < NSCRATCH; i++)
			reader->now.page[i] = NO_PAGE;
	else
		remember_target(reader, offset, target);
	reader->reached = !is_jump;
	return true;
}

/* The use of a page in a register, added if it is new. */
static struct page_use *
page_use_of(struct reader *reader, unsigned to, uint64_t page)
{
	for (size_t i = reader->nuses; i-- > 0;)
		if (reader->uses[i].page == page && reader->uses[i].to == to)
			return &reader->uses[i];
	reader->uses = mem_grow(
		reader->uses, &reader->uses_capacity, reader->nuses + 1, sizeof(*reader->uses));
	reader->uses[reader->nuses] = (struct page_use){.page = page, .to = to};
	return &reader->uses[reader->nuses++];
}

/* The number in ADR and ADRP. */
static uint64_t
distance(uint32_t word)
{
	return (uint64_t)(field(word, 5, 19) * 4) + (word >> 29 & 3);
}

/*
 * ADRP, and what linkers make of it: ADR of the start of a page, where ADRP itself would not work
 * on a Cortex-A53 (erratum 843419).
 */
static bool
take_page(struct reader *reader, uint32_t offset, uint32_t word)
{
	unsigned to = word & 31;
	uint64_t page = reader->body->address + offset;

	if ((word & 0x9f000000) == 0x90000000)
		page = (page & ~PAGE_MASK) + (distance(word) << 12);
	else if ((word & 0x9f000000) == 0x10000000)
		page += distance(word);
	else
		return false;
	if (page & PAGE_MASK)
		return false;
	put(reader, 'p', to);
	reader->now.page[to] = page;
	page_use_of(reader, to, page);
	return true;
}

/* ADR, and loads and prefetches of a literal. */
static bool
take_near(struct reader *reader, uint32_t offset, uint32_t word)
{
	uint64_t here = reader->body->address + offset;

	if ((word & 0x9f000000) == 0x10000000) {
		put(reader, 'r', word & ~UINT32_C(0x60ffffe0));
		refer(reader, here + distance(word), 0, CODE_ADDRESS);
		reader->now.page[word & 31] = NO_PAGE;
		return true;
	}
	if ((word & 0x3b000000) == 0x18000000) {
		unsigned size = word >> 30;
		uint32_t bytes = word & 0x04000000 ? UINT32_C(4) << size : size == 1 ? 8 : 4;

		put(reader, 'r', word & ~UINT32_C(0x00ffffe0));
		refer(reader, here + (uint64_t)(field(word, 5, 19) * 4), bytes, CODE_ACCESS);
		reader->now.page[word & 31] = NO_PAGE;
		return true;
	}
	return false;
}

/* An offset in a page that a register holds: ADD, or a load or a store without a change of it. */
static bool
take_offset(struct reader *reader, uint32_t word)
{
	unsigned base = word >> 5 & 31;
	uint64_t page = reader->now.page[base];
	uint32_t number = word >> 10 & 0xfff;

	if (base == 31 || page == NO_PAGE)
		return false;
	if ((word & 0xffc00000) == 0x91000000) {
		put(reader, 'r', word & ~UINT32_C(0x003ffc00));
		refer(reader, page + number, 0, CODE_ADDRESS);
	} else if ((word & 0x3b000000) == 0x39000000) {
		unsigned scale = word >> 30;

		if ((word & 0x04800000) == 0x04800000)
			scale = 4;
		put(reader, 'r', word & ~UINT32_C(0x003ffc00));
		refer(reader, page + ((uint64_t)number << scale), UINT32_C(1) << scale,
			CODE_ACCESS);
	} else {
		return false;
	}
	page_use_of(reader, base, page)->used = true;
	return true;
}

/* Whether it writes a register of numbers or addresses: not those of vectors, nor flags. */
static bool
writes_general(uint32_t word)
{
	bool is_memory = (word & 0x0a000000) == 0x08000000;

	if (is_memory)
		return (word & 0x04000000) == 0;
	/* CCMN, CCMP */
	if ((word & 0x3fe00000) == 0x3a400000)
		return false;
	/* Vector operations that convert, or move to the other registers. */
	if ((word & 0x0e000000) == 0x0e000000)
		return (word & 0x5f20fc00) == 0x1e200000 || (word & 0x5f200000) == 0x1e000000 ||
		       (word & 0xbfe0ec00) == 0x0e002c00;
	return true;
}

/*
 * Registers that the instruction may write hold no page any more. Stores are taken for loads: what
 * they store is no page.
 */
static void
forget_written(struct pages *pages, uint32_t word)
{
	if (writes_general(word))
		pages->page[word & 31] = NO_PAGE;
	if ((word & 0x0a000000) != 0x08000000 || (word & 0x3b000000) == 0x39000000)
		return;
	/* Unscaled offsets and those in registers leave the base as it is. */
	if ((word & 0x3b200c00) == 0x38000000 || (word & 0x3b200c00) == 0x38200800)
		return;
	pages->page[word >> 5 & 31] = NO_PAGE;
	if ((word & 0x3b000000) == 0x38000000)
		return;
	/* The second of a pair; of exclusive and atomic ones the state or what is compared, too. */
	if (writes_general(word))
		pages->page[word >> 10 & 31] = NO_PAGE;
	if ((word & 0x3a000000) != 0x28000000)
		pages->page[word >> 16 & 31] = NO_PAGE;
}

static void
take_word(struct reader *reader, uint32_t offset, uint32_t word)
{
	if (take_branch(reader, offset, word) || take_page(reader, offset, word) ||
		take_near(reader, offset, word))
		return;
	if (!take_offset(reader, word))
		put(reader, 'i', word);
	/* BR, BLR, RET and their like: what a call does not keep is lost, the rest holds. */
	if ((word & 0xfe000000) == 0xd6000000) {
		bool is_call = (word & 0x00600000) == 0x00200000;

		for (size_t i = 0; is_call && i < NSCRATCH; i++)
			reader->now.page[i] = NO_PAGE;
		reader->reached = is_call;
		return;
	}
	forget_written(&reader->now, word);
}

static bool
read_body(void *decoder, const struct code_image *image, struct code_body *body)
{
	size_t words = body->len / WORD_BYTES;
	struct reader reader = {.body = body, .reached = true};
	bool understood = body->len % WORD_BYTES == 0;

	(void)decoder;
	(void)image;
	forget_all(&reader.now);
	reader.target_at = mem_zalloc(words + 1, sizeof(*reader.target_at));
	for (uint32_t i = 0; i < words; i++) {
		uint32_t word;

		memcpy(&word, body->bytes + (size_t)i * WORD_BYTES, sizeof(word));
		take_targets(&reader, i * WORD_BYTES);
		if (word == NOP || word == 0) {
			code_body_nothing(body, i * WORD_BYTES, false);
			continue;
		}
		code_body_instruction(body, i * WORD_BYTES);
		take_word(&reader, i * WORD_BYTES, word);
	}
	/* A page that is never used with an offset may refer to anything in it. */
	for (size_t i = 0; i < reader.nuses; i++)
		understood &= reader.uses[i].used;
	free(reader.targets);
	free(reader.target_at);
	free(reader.uses);
	return understood;
}

/* [bti c] adrp x16, page; ldr x17, [x16, offset] */
static uint64_t
stub_slot(const unsigned char *code, size_t len, uint64_t address)
{
	uint32_t words[3] = {0};
	size_t at = 0;

	memcpy(words, code, len < sizeof(words) ? len : sizeof(words));
	if (words[0] == UINT32_C(0xd503245f))
		at = 1;
	if ((words[at] & 0x9f00001f) != 0x90000010 || (words[at + 1] & 0xffc003ff) != 0xf9400211)
		return 0;
	return ((address + at * WORD_BYTES) & ~PAGE_MASK) + (distance(words[at]) << 12) +
	       (uint64_t)(words[at + 1] >> 10 & 0xfff) * 8;
}

const struct code_arch code_arch_aarch64 = {
	.machine = EM_AARCH64,
	.read = read_body,
	.stub_slot = stub_slot,
};
