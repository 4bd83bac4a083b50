#include "flamegraph/packed.h"

#include "base/base64.h"

#include <math.h>

#define DIGIT_BITS 5
#define MORE (1 << DIGIT_BITS)
/* A double of JavaScript still distinguishes integers up to here, with their sign bit. */
#define MOST_UNITS 4e15

void
packed_put(struct buf *out, uint64_t value)
{
	for (; value >= MORE; value >>= DIGIT_BITS)
		buf_putc(out, base64_digits[MORE | (value & (MORE - 1))]);
	buf_putc(out, base64_digits[value]);
}

void
packed_put_signed(struct buf *out, int64_t value)
{
	packed_put(out, value < 0 ? ((uint64_t)-value << 1) | 1 : (uint64_t)value << 1);
}

uint64_t
packed_units(double value, double units)
{
	return isfinite(value) && value > 0 ? (uint64_t)llround(fmin(value * units, MOST_UNITS))
					    : 0;
}

int64_t
packed_signed_units(double value, double units)
{
	const int64_t size = (int64_t)packed_units(fabs(value), units);

	return value < 0 ? -size : size;
}
