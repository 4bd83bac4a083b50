/* Small hot functions in C; layout.sh puts unrelated code (PADS) ahead of them. */
#include "layout.h"

#ifdef PADS
#include PADS
#endif

#define HOT static __attribute__((noinline)) uint64_t

HOT
hash(const unsigned char *data, size_t len, unsigned rounds)
{
	uint64_t value = 14695981039346656037U;

	for (unsigned r = 0; r < rounds; r++)
		for (size_t i = 0; i < len; i++)
			value = (value ^ data[i]) * 1099511628211U;
	return value;
}

HOT
count_words(const unsigned char *data, size_t len, unsigned rounds)
{
	uint64_t words = 0;

	for (unsigned r = 0; r < rounds; r++) {
		int inside = 0;

		for (size_t i = 0; i < len; i++) {
			int letter = data[i] > 40;

			if (letter && !inside)
				words++;
			inside = letter;
		}
	}
	return words;
}

HOT
find_each(const unsigned char *data, size_t len, unsigned rounds)
{
	uint64_t sum = 0;

	for (unsigned r = 0; r < rounds; r++) {
		const unsigned char wanted = data[((size_t)r * 7) % len];
		size_t i = 0;

		while (i < len && data[i] != wanted)
			i++;
		sum += i;
	}
	return sum;
}

HOT
collatz(const unsigned char *data, size_t len, unsigned rounds)
{
	uint64_t steps = 0;

	for (unsigned r = 0; r < rounds; r++) {
		for (uint64_t n = data[r % len] + 1U; n != 1; steps++)
			n = n & 1 ? 3 * n + 1 : n / 2;
	}
	return steps;
}

HOT
sort_short(const unsigned char *data, size_t len, unsigned rounds)
{
	uint64_t sum = 0;

	for (unsigned r = 0; r < rounds; r++) {
		unsigned char part[16];

		for (size_t i = 0; i < 16; i++) {
			unsigned char one = data[((size_t)r * 16 + i) % len];
			size_t at = i;

			for (; at > 0 && part[at - 1] > one; at--)
				part[at] = part[at - 1];
			part[at] = one;
		}
		sum += part[7];
	}
	return sum;
}

HOT
count_bits(const unsigned char *data, size_t len, unsigned rounds)
{
	uint64_t bits = 0;

	for (unsigned r = 0; r < rounds; r++)
		for (size_t i = 0; i < len; i++)
			for (unsigned value = data[i]; value; value &= value - 1)
				bits++;
	return bits;
}

HOT
multiply(const unsigned char *data, size_t len, unsigned rounds)
{
	uint64_t sum = 0;

	for (unsigned r = 0; r < rounds; r++) {
		const unsigned char *a = data + ((size_t)r * 64) % (len - 128);
		const unsigned char *b = a + 64;

		for (size_t i = 0; i < 8; i++) {
			for (size_t k = 0; k < 8; k++) {
				unsigned cell = 0;

				for (size_t j = 0; j < 8; j++)
					cell += (unsigned)a[i * 8 + j] * b[j * 8 + k];
				sum ^= cell;
			}
		}
	}
	return sum;
}

HOT
parse_digits(const unsigned char *data, size_t len, unsigned rounds)
{
	uint64_t sum = 0;

	for (unsigned r = 0; r < rounds; r++) {
		unsigned number = 0;

		for (size_t i = 0; i < len; i++) {
			switch (data[i] >> 5) {
			case 0:
			case 1:
				number = number * 10 + (data[i] & 7);
				break;
			case 2:
				sum += number;
				number = 0;
				break;
			case 3:
				sum ^= number;
				break;
			default:
				number++;
				break;
			}
		}
	}
	return sum;
}

HOT
common_prefix(const unsigned char *data, size_t len, unsigned rounds)
{
	uint64_t sum = 0;

	for (unsigned r = 0; r < rounds; r++) {
		const unsigned char *a = data + r % (len / 2);
		const unsigned char *b = data + ((size_t)r * 3) % (len / 2);
		size_t i = 0;

		while (i < 24 && (a[i] & 0xc0) != (b[i] & 0xe0))
			i++;
		sum += i;
	}
	return sum;
}

const struct layout_hot layout_hot[] = {
	{"hash", hash, 300},
	{"count_words", count_words, 300},
	{"find_each", find_each, 4000},
	{"collatz", collatz, 4000},
	{"sort_short", sort_short, 4000},
	{"count_bits", count_bits, 60},
	{"multiply", multiply, 2500},
	{"parse_digits", parse_digits, 120},
	{"common_prefix", common_prefix, 40000},
	{NULL, NULL, 0},
};
