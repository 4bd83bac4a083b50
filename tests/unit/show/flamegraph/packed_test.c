#include "flamegraph/packed.h"

#include "unit.h"

#include <math.h>

void suite_flamegraph_packed(void);

static void
digits_have_five_bits_the_low_ones_first(void)
{
	struct buf out = {0};

	packed_put(&out, 0);
	packed_put(&out, 31);
	packed_put(&out, 32);
	packed_put(&out, 1000);
	packed_put(&out, 1ULL << 40);
	UNIT_STR_EQ(buf_text(&out), "AfgBofggggggggB");
	buf_release(&out);
}

static void
the_lowest_bit_is_the_sign(void)
{
	struct buf out = {0};

	packed_put_signed(&out, 1);
	packed_put_signed(&out, -1);
	packed_put_signed(&out, -16);
	UNIT_STR_EQ(buf_text(&out), "CDhB");
	buf_release(&out);
}

static void
units_are_rounded_and_bounded(void)
{
	CU_ASSERT_EQUAL(packed_units(0.25, 1e8), 25000000);
	CU_ASSERT_EQUAL(packed_units(0.26, 10), 3);
	CU_ASSERT_EQUAL(packed_units(-1, 10), 0);
	CU_ASSERT_EQUAL(packed_units(NAN, 10), 0);
	CU_ASSERT_EQUAL(packed_units(INFINITY, 10), 0);
	CU_ASSERT_EQUAL(packed_units(1e300, 1e8), 4000000000000000);
	CU_ASSERT_EQUAL(packed_signed_units(-0.26, 10), -3);
}

void
suite_flamegraph_packed(void)
{
#define CASE(name)          \
	{                   \
#name, name \
	}
	static const struct unit_case cases[] = {
		CASE(digits_have_five_bits_the_low_ones_first),
		CASE(the_lowest_bit_is_the_sign),
		CASE(units_are_rounded_and_bounded),
		{NULL, NULL},
	};
#undef CASE

	unit_suite("flamegraph/packed", cases);
}
