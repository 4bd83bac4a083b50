#include "ingest/call_chain.h"

#include "unit.h"

#include <string.h>

void suite_ingest_call_chain(void);

#define OTHER UINT64_C(0x660000000000)
#define LR_BIT (UINT64_C(1) << 30)

/* Two ranges of code without rows: what is in one and returns into the other is a leaf. */
static struct unwind_map maps[] = {
	{.start = 0x400000, .end = 0x500000},
	{.start = OTHER, .end = OTHER + 0x1000},
};
static const struct unwind_space space = {.maps = maps, .nmaps = 2};

static bool
complete(struct call_chain *chain, const uint64_t *words, size_t count, const uint64_t *lr)
{
	struct record_sample sample = {
		.chain = words,
		.nchain = count,
		.user_regs = lr,
		.nuser_regs = lr ? 1 : 0,
		.user_regs_abi = PERF_SAMPLE_REGS_ABI_64,
	};

	return call_chain_complete(chain, unwind_machine_find("aarch64"), &space, LR_BIT, &sample);
}

static void
test_user(void)
{
	const uint64_t words[] = {PERF_CONTEXT_USER, OTHER + 0x10, 0x400020};
	const uint64_t wanted[] = {PERF_CONTEXT_USER, OTHER + 0x10, 0x400100, 0x400020};
	const uint64_t lr = 0x400100;
	struct call_chain chain = {.words = NULL};

	CU_ASSERT_TRUE_FATAL(complete(&chain, words, 3, &lr));
	CU_ASSERT_EQUAL_FATAL(chain.count, 4);
	CU_ASSERT_EQUAL(memcmp(chain.words, wanted, sizeof(wanted)), 0);
	/* The outermost function may be the leaf. */
	CU_ASSERT_TRUE_FATAL(complete(&chain, words, 2, &lr));
	CU_ASSERT_EQUAL_FATAL(chain.count, 3);
	CU_ASSERT_EQUAL(memcmp(chain.words, wanted, 3 * sizeof(wanted[0])), 0);
	call_chain_release(&chain);
}

static void
test_kernel(void)
{
	const uint64_t words[] = {PERF_CONTEXT_KERNEL, UINT64_C(0xffff800000010000),
		PERF_CONTEXT_USER, OTHER + 0x10, 0x400020};
	const uint64_t lr = 0x400100;
	struct call_chain chain = {.words = NULL};

	CU_ASSERT_TRUE_FATAL(complete(&chain, words, 5, &lr));
	CU_ASSERT_EQUAL_FATAL(chain.count, 6);
	CU_ASSERT_EQUAL(chain.words[3], OTHER + 0x10);
	CU_ASSERT_EQUAL(chain.words[4], 0x400100);
	CU_ASSERT_EQUAL(chain.words[5], 0x400020);
	/* It was interrupted in the kernel, on nobody's behalf. */
	CU_ASSERT_FALSE(complete(&chain, words, 2, &lr));
	CU_ASSERT_FALSE(complete(&chain, words, 3, &lr));
	call_chain_release(&chain);
}

static void
test_nothing(void)
{
	const uint64_t words[] = {PERF_CONTEXT_USER, OTHER + 0x10, 0x400020};
	const uint64_t lr = OTHER + 0x80;
	struct call_chain chain = {.words = NULL};

	CU_ASSERT_FALSE(complete(&chain, words, 3, NULL));
	CU_ASSERT_FALSE(complete(&chain, words, 0, &lr));
	CU_ASSERT_FALSE(complete(&chain, words, 3, &lr));
	call_chain_release(&chain);
}

void
suite_ingest_call_chain(void)
{
	static const struct unit_case cases[] = {
		{"a_leafs_caller_stands_behind_it", test_user},
		{"what_the_kernel_was_called_by_is_a_leaf_too", test_kernel},
		{"a_chain_without_the_register_stays", test_nothing},
		{NULL, NULL},
	};

	unit_suite("ingest/call_chain", cases);
}
