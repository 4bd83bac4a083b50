/* Frames of this very program, which is compiled with debug information or not. */
#include "symbols/symbolizer.h"

#include "symbols/own_maps.h"
#include "unit.h"

void suite_symbols_symbolizer_frames(void);

static volatile unsigned seen;

static inline __attribute__((always_inline)) void
inlined_leaf(unsigned value)
{
	seen = value ^ seen;
	seen = value + seen;
}

static __attribute__((noinline)) void
with_inlined(unsigned value)
{
	inlined_leaf(value);
	inlined_leaf(value * 3);
}

/* The first address in with_inlined() that has two frames; 0 if none has. */
static uint64_t
find_inlined(struct symbolizer *symbolizer, struct symbol_frame frames[SYMBOL_FRAMES_MAX])
{
	uint64_t start = (uint64_t)(uintptr_t)with_inlined;
	struct symbol symbol;

	for (uint64_t at = start; at < start + 256; at++)
		if (symbolizer_frames(symbolizer, symbolizer_maps(symbolizer, OWN_PID), at, false,
			    true, &symbol, frames) == 2)
			return at;
	return 0;
}

static void
test_inlined(void)
{
	struct symbol_cache *cache = symbol_cache_new();
	struct symbolizer *symbolizer = symbolizer_new(cache);
	struct symbol_frame frames[SYMBOL_FRAMES_MAX] = {{0}};
	struct symbol symbol;

	with_inlined(1);
	feed_own_maps(symbolizer);
	symbolizer_set_inlining(symbolizer, true);

	uint64_t address = find_inlined(symbolizer, frames);

	if (address == 0) {
		unit_skip("compiled without debug information");
	} else {
		UNIT_STR_EQ(frames[0].name, "inlined_leaf");
		CU_ASSERT(frames[0].inlined);
		UNIT_CONTAINS(frames[0].file ? frames[0].file : "", "symbolizer_frames_test.c");
		CU_ASSERT(frames[0].line > 0 && frames[0].at_line > frames[0].line);
		UNIT_STR_EQ(frames[1].name, "with_inlined");
		CU_ASSERT_FALSE(frames[1].inlined);
		CU_ASSERT(frames[1].at_line > frames[0].at_line);
		/* As a return address the next one belongs to the call before it. */
		CU_ASSERT_EQUAL(symbolizer_frames(symbolizer, symbolizer_maps(symbolizer, OWN_PID),
					address + 1, false, false, &symbol, frames),
			2);
		UNIT_STR_EQ(symbol.name, "with_inlined");
		CU_ASSERT_PTR_EQUAL(frames[1].name, symbol.name);
	}
	symbolizer_free(symbolizer);
	symbol_cache_free(cache);
}

static void
test_off(void)
{
	struct symbol_cache *cache = symbol_cache_new();
	struct symbolizer *symbolizer = symbolizer_new(cache);
	struct symbol_frame frames[SYMBOL_FRAMES_MAX];
	struct symbol symbol;

	feed_own_maps(symbolizer);
	CU_ASSERT_EQUAL(find_inlined(symbolizer, frames), 0);
	CU_ASSERT_EQUAL(
		symbolizer_frames(symbolizer, symbolizer_maps(symbolizer, OWN_PID),
			(uint64_t)(uintptr_t)with_inlined + 1, false, true, &symbol, frames),
		1);
	UNIT_STR_EQ(frames[0].name, "with_inlined");
	CU_ASSERT_PTR_NULL(frames[0].file);
	symbolizer_set_inlining(symbolizer, true);
	CU_ASSERT_EQUAL(symbolizer_frames(symbolizer, symbolizer_maps(symbolizer, OWN_PID), 0x10,
				false, true, &symbol, frames),
		1);
	CU_ASSERT_PTR_NULL(frames[0].name);
	symbolizer_free(symbolizer);
	symbol_cache_free(cache);
}

void
suite_symbols_symbolizer_frames(void)
{
	static const struct unit_case cases[] = {
		{"inlined_functions_come_before_the_one_that_has_the_code", test_inlined},
		{"without_inlining_and_without_code_there_is_one_frame", test_off},
		{NULL, NULL},
	};

	unit_suite("symbols/symbolizer_frames", cases);
}
