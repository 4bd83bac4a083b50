// Small hot functions in C++; layout.sh puts unrelated code (PADS) ahead of them.
#include "layout.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#ifdef PADS
#include PADS
#endif

namespace
{

struct shape {
	virtual ~shape() = default;
	virtual unsigned area() const = 0;
};

struct square : shape {
	explicit square(unsigned side) : side(side)
	{
	}
	unsigned
	area() const override
	{
		return side * side;
	}
	unsigned side;
};

struct triangle : shape {
	explicit triangle(unsigned side) : side(side)
	{
	}
	unsigned
	area() const override
	{
		return side * (side + 1) / 2;
	}
	unsigned side;
};

[[gnu::noinline]] uint64_t
virtual_calls(const unsigned char *data, size_t len, unsigned rounds)
{
	static const square squares[2] = {square(3), square(5)};
	static const triangle triangles[2] = {triangle(4), triangle(9)};
	static const shape *const shapes[4] = {
		&squares[0], &triangles[0], &squares[1], &triangles[1]};
	uint64_t sum = 0;

	for (unsigned r = 0; r < rounds; r++)
		for (size_t i = 0; i < 64 && i < len; i++)
			sum += shapes[data[i] & 3]->area();
	return sum;
}

[[gnu::noinline]] uint64_t
sort_64(const unsigned char *data, size_t len, unsigned rounds)
{
	uint64_t sum = 0;

	for (unsigned r = 0; r < rounds; r++) {
		std::array<unsigned char, 64> part;

		std::copy_n(data + (r * 64) % (len - 64), part.size(), part.begin());
		std::sort(part.begin(), part.end());
		sum += part[31];
	}
	return sum;
}

[[gnu::noinline]] uint64_t
lower_bounds(const unsigned char *data, size_t len, unsigned rounds)
{
	static const std::vector<unsigned> steps = [] {
		std::vector<unsigned> made;

		for (unsigned i = 0; i < 200; i++)
			made.push_back(i * 5 / 4);
		return made;
	}();
	uint64_t sum = 0;

	for (unsigned r = 0; r < rounds; r++) {
		auto found = std::lower_bound(steps.begin(), steps.end(), data[r % len]);

		sum += static_cast<uint64_t>(found - steps.begin());
	}
	return sum;
}

[[gnu::noinline]] uint64_t
split_words(const unsigned char *data, size_t len, unsigned rounds)
{
	std::string_view text(reinterpret_cast<const char *>(data), len);
	uint64_t sum = 0;

	for (unsigned r = 0; r < rounds; r++) {
		std::string_view rest = text;

		while (!rest.empty()) {
			size_t end = 0;

			while (end < rest.size() && (rest[end] & 0x70) != 0x20)
				end++;
			sum += end * end;
			rest.remove_prefix(std::min(end + 1, rest.size()));
		}
	}
	return sum;
}

template <typename Number>
[[gnu::noinline]] Number
polynomial(const unsigned char *data, size_t len, Number at)
{
	Number value = 0;

	for (size_t i = 0; i < len; i++)
		value = value * at + static_cast<Number>(data[i]);
	return value;
}

uint64_t
polynomials(const unsigned char *data, size_t, unsigned rounds)
{
	double sum = 0;
	uint64_t whole = 0;

	for (unsigned r = 0; r < rounds; r++) {
		sum += polynomial<double>(data + r % 64, 12, 0.5);
		whole += polynomial<uint64_t>(data + r % 64, 12, 31);
	}
	return whole + static_cast<uint64_t>(sum);
}

[[gnu::noinline]] uint64_t
count_if_vector(const unsigned char *data, size_t len, unsigned rounds)
{
	static std::vector<unsigned> values(data, data + len);
	uint64_t count = 0;

	for (unsigned r = 0; r < rounds; r++) {
		for (unsigned value : values) {
			if (value < r % 256)
				continue;
			count += value & 1 ? value : 3;
		}
	}
	return count;
}

[[gnu::noinline]] uint64_t
sieve(const unsigned char *data, size_t, unsigned rounds)
{
	uint64_t primes = 0;

	for (unsigned r = 0; r < rounds; r++) {
		std::array<bool, 512> crossed{};

		for (size_t i = 2 + (data[r % 64] & 1); i < crossed.size(); i++) {
			if (crossed[i])
				continue;
			primes++;
			for (size_t k = i * i; k < crossed.size(); k += i)
				crossed[k] = true;
		}
	}
	return primes;
}

} // namespace

extern "C" const struct layout_hot layout_hot[] = {
	{"virtual_calls", virtual_calls, 4000},
	{"sort_64", sort_64, 600},
	{"lower_bounds", lower_bounds, 40000},
	{"split_words", split_words, 250},
	{"polynomials", polynomials, 20000},
	{"count_if_vector", count_if_vector, 400},
	{"sieve", sieve, 500},
	{nullptr, nullptr, 0},
};
