/* Each answer of the cache is held against the table that it was made of. */
#include "symbols/kernel_cache.h"

#include "base/buf.h"
#include "symbols/kernel_names.h"
#include "unit.h"

#include <stdlib.h>

void suite_symbols_kernel_cache(void);

#define KEY "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER_KEY "f123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

#define CORE UINT64_C(0xffffffff81000000)
#define MODULES UINT64_C(0xffffffffc0000000)

static uint64_t
put_run(struct buf *text, uint64_t at, const char *module, unsigned count)
{
	/* Lengths from 16 bytes to some pages, so that some cross one page boundary, some several.
	 */
	for (unsigned i = 0; i < count; i++) {
		buf_printf(text, "%016llx %c %s_%u%s%s\n", (unsigned long long)at, "tTW"[i % 3],
			module ? module + 1 : "core", i, module ? "\t" : "", module ? module : "");
		at += 16u << (i * 7 % 11);
	}
	return at;
}

/* A kernel with everything that has its own rule: aliases, data, modules, and what passes. */
static void
put_kallsyms(struct buf *text)
{
	buf_puts(text, "0000000000001000 A per_cpu\n");
	buf_printf(text, "%016llx T _stext\n", (unsigned long long)CORE);
	buf_printf(text, "%016llx T _text\n", (unsigned long long)CORE);
	put_run(text, CORE + 0x10, NULL, 300);
	/* Init code, far behind the rest. */
	put_run(text, CORE + 0x2000000, NULL, 30);
	buf_printf(text, "%016llx D some_data\n", (unsigned long long)CORE + 0x3000000);
	put_run(text, MODULES, "[ext4]", 60);
	buf_printf(text, "%016llx d ext4_data\t[ext4]\n", (unsigned long long)MODULES + 0x100000);
	put_run(text, MODULES + 0x200000, "[xfs]", 40);
	put_run(text, MODULES + 0x80000, "[__builtin__ftrace]", 2);
	put_run(text, MODULES + 0x90000, "[bpf]", 9);
	put_run(text, MODULES + 0x400000, "[bpf]", 3);
}

struct made {
	struct kernel_names kernel;
	struct buf bytes;
	struct kernel_cache cache;
};

static void
make(struct made *made)
{
	struct buf text;

	buf_init(&text);
	buf_init(&made->bytes);
	put_kallsyms(&text);
	kernel_names_init(&made->kernel);
	kernel_names_parse(&made->kernel, text.data, text.len);
	CU_ASSERT_TRUE_FATAL(
		kernel_cache_build(&made->kernel.tab, made->kernel.text, KEY, &made->bytes));
	CU_ASSERT_TRUE_FATAL(
		kernel_cache_use(&made->cache, made->bytes.data, made->bytes.len, KEY));
	buf_release(&text);
}

static void
unmake(struct made *made)
{
	kernel_names_release(&made->kernel);
	buf_release(&made->bytes);
}

/* 1 if the cache answers as the table does, 0 if it leaves the answer to the table. */
static int
agrees(const struct kernel_cache *cache, const struct symtab *tab, uint64_t address)
{
	struct symtab_entry found;
	const struct symtab_entry *expected = symtab_find(tab, address);

	if (!kernel_cache_find(cache, address, &found))
		return 0;
	CU_ASSERT_PTR_NOT_NULL_FATAL(expected);
	UNIT_STR_EQ(found.name, expected->name);
	UNIT_STR_EQ(found.module ? found.module : "", expected->module ? expected->module : "");
	CU_ASSERT_EQUAL(found.start, expected->start);
	return 1;
}

static void
test_same_answers(void)
{
	struct made made;
	unsigned tried = 0;
	unsigned answered = 0;

	make(&made);
	for (uint64_t at = CORE - 0x2000; at < CORE + 0x300000; at += 61, tried++)
		answered += (unsigned)agrees(&made.cache, &made.kernel.tab, at);
	for (uint64_t at = MODULES - 0x2000; at < MODULES + 0x500000; at += 67, tried++)
		answered += (unsigned)agrees(&made.cache, &made.kernel.tab, at);
	CU_ASSERT(tried > 50000);
	CU_ASSERT(answered > 10000);
	CU_ASSERT_EQUAL(made.cache.text, CORE);
	unmake(&made);
}

static void
test_edges(void)
{
	struct made made;
	const struct symtab *tab = &made.kernel.tab;
	unsigned left_open = 0;

	make(&made);
	for (size_t i = 0; i < tab->count; i++) {
		uint64_t start = tab->entries[i].start;

		agrees(&made.cache, tab, start - 1);
		if (!agrees(&made.cache, tab, start)) {
			const char *module = tab->entries[i].module;

			CU_ASSERT(tab->entries[i].data ||
				  (module && strcmp(module, "[bpf]") == 0) ||
				  (module && strcmp(module, "[__builtin__ftrace]") == 0));
			left_open++;
		}
	}
	CU_ASSERT_EQUAL(left_open, 2 + 2 + 9 + 3);
	unmake(&made);
}

/* The BPF programs of the kernel that was cached are gone; others lie elsewhere. */
static void
test_room_for_others(void)
{
	struct made made;
	struct symtab_entry found;

	make(&made);
	/* Behind ext4's code; between its code and its data; behind all. */
	CU_ASSERT_FALSE(kernel_cache_find(&made.cache, MODULES + 0x70000, &found));
	CU_ASSERT_FALSE(kernel_cache_find(&made.cache, MODULES + 0x91000, &found));
	CU_ASSERT_FALSE(kernel_cache_find(&made.cache, MODULES + 0x380000, &found));
	/* Between code and init code. */
	CU_ASSERT_FALSE(kernel_cache_find(&made.cache, CORE + 0x1000000, &found));
	CU_ASSERT_FALSE(kernel_cache_find(&made.cache, 0, &found));
	CU_ASSERT_FALSE(kernel_cache_find(&made.cache, UINT64_MAX, &found));
	unmake(&made);
}

static void
test_other_key(void)
{
	struct made made;
	struct symtab_entry found;

	make(&made);
	CU_ASSERT_FALSE(kernel_cache_use(&made.cache, made.bytes.data, made.bytes.len, OTHER_KEY));
	CU_ASSERT_FALSE(kernel_cache_find(&made.cache, CORE + 0x20, &found));
	unmake(&made);
}

/* Copied to where no byte follows, for the sanitizers. */
static bool
is_used(const struct buf *bytes, size_t len)
{
	struct kernel_cache cache;
	char *copy = malloc(len ? len : 1);

	if (!copy || !bytes->data)
		abort();
	memcpy(copy, bytes->data, len);
	bool used = kernel_cache_use(&cache, copy, len, KEY);

	free(copy);
	return used;
}

static void
test_truncated(void)
{
	struct made made;

	make(&made);
	CU_ASSERT_TRUE(is_used(&made.bytes, made.bytes.len));
	for (size_t len = 0; len < made.bytes.len; len += len < 300 ? 1 : 97)
		CU_ASSERT_FALSE(is_used(&made.bytes, len));
	CU_ASSERT_FALSE(is_used(&made.bytes, made.bytes.len - 1));
	buf_putc(&made.bytes, '\0');
	CU_ASSERT_FALSE(is_used(&made.bytes, made.bytes.len));
	unmake(&made);
}

static void
test_changed(void)
{
	struct made made;

	make(&made);
	for (size_t at = 0; at < made.bytes.len; at += at < 300 ? 1 : 13) {
		made.bytes.data[at] ^= 0x20;
		CU_ASSERT_FALSE(is_used(&made.bytes, made.bytes.len));
		made.bytes.data[at] ^= 0x20;
	}
	CU_ASSERT_TRUE(is_used(&made.bytes, made.bytes.len));
	unmake(&made);
}

/* Wrong contents under a right checksum: nothing outside of the bytes is read. */
static void
test_wild_offsets(void)
{
	struct made made;

	make(&made);
	size_t names_at = made.bytes.len - made.cache.names_bytes;
	size_t entries_at = names_at - made.cache.count * 16;

	memset(made.bytes.data + entries_at, 0xff, names_at - entries_at);
	kernel_cache_seal(made.bytes.data, made.bytes.len, KEY);
	if (kernel_cache_use(&made.cache, made.bytes.data, made.bytes.len, KEY))
		for (uint64_t at = made.cache.base; at < made.cache.base + 0x200000000;
			at += 4095) {
			struct symtab_entry found;

			CU_ASSERT_FALSE_FATAL(kernel_cache_find(&made.cache, at, &found));
		}
	unmake(&made);
}

static void
test_nothing_kept(void)
{
	static const char wide[] = "0000000081000000 T _text\nffffffffc0000000 t far\t[ext4]\n";
	static const char passing[] = "ffffffffc0000000 t prog\t[bpf]\n";
	const char *const texts[] = {wide, passing, "\n"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct kernel_names kernel;
		struct buf bytes;

		buf_init(&bytes);
		kernel_names_init(&kernel);
		kernel_names_parse(&kernel, texts[i], strlen(texts[i]));
		CU_ASSERT_FALSE(kernel_cache_build(&kernel.tab, kernel.text, KEY, &bytes));
		CU_ASSERT_EQUAL(bytes.len, 0);
		kernel_names_release(&kernel);
		buf_release(&bytes);
	}
}

void
suite_symbols_kernel_cache(void)
{
	static const struct unit_case cases[] = {
		{"answers_are_those_of_the_whole_table", test_same_answers},
		{"only_data_and_passing_symbols_are_left_out", test_edges},
		{"room_where_code_may_appear_is_left_open", test_room_for_others},
		{"another_key_is_not_used", test_other_key},
		{"a_shorter_or_longer_file_is_not_used", test_truncated},
		{"a_changed_byte_is_seen", test_changed},
		{"offsets_outside_of_the_file_are_not_followed", test_wild_offsets},
		{"what_does_not_fit_is_not_kept", test_nothing_kept},
		{NULL, NULL},
	};

	unit_suite("symbols/kernel_cache", cases);
}
