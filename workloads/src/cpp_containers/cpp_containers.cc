// The C++ standard library at work: ordered and hashed maps, sorting, strings, virtual calls.
// Long mangled names, templates and lambdas are what its profile is about.
#include "support.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <unordered_map>
#include <vector>

namespace shapes
{

class Shape
{
      public:
	virtual ~Shape() = default;
	virtual std::uint64_t area() const = 0;
};

class Square final : public Shape
{
      public:
	explicit Square(std::uint64_t side) : side_(side)
	{
	}
	KEPT std::uint64_t
	area() const override
	{
		return side_ * side_;
	}

      private:
	std::uint64_t side_;
};

// A polygon of unit steps: its area takes a walk around it.
class Polygon final : public Shape
{
      public:
	explicit Polygon(std::uint64_t side) : corners_(side)
	{
		std::iota(corners_.begin(), corners_.end(), 1);
	}
	KEPT std::uint64_t
	area() const override
	{
		return std::accumulate(corners_.begin(), corners_.end(), std::uint64_t{0});
	}

      private:
	std::vector<std::uint64_t> corners_;
};

KEPT std::uint64_t
total_area(const std::vector<std::unique_ptr<Shape>> &shapes)
{
	std::uint64_t sum = 0;

	for (const auto &shape : shapes)
		sum += shape->area();
	return sum;
}

} // namespace shapes

namespace
{

constexpr std::size_t kEntries = 4000;

template <typename Map>
KEPT std::uint64_t
count_words(const std::vector<std::string> &words)
{
	Map counts;

	for (const auto &word : words)
		++counts[word];
	std::uint64_t sum = 0;

	for (const auto &entry : counts)
		sum += entry.second;
	return sum;
}

KEPT std::vector<std::string>
make_words(std::uint64_t *random)
{
	std::vector<std::string> words;

	for (std::size_t i = 0; i < kEntries; i++)
		words.push_back("a_word_longer_than_the_small_string_" +
				std::to_string(random_next(random) % 1500));
	return words;
}

template <typename Less>
KEPT bool
sort_by(std::vector<std::string> words, Less less)
{
	std::sort(words.begin(), words.end(), less);
	return std::is_sorted(words.begin(), words.end(), less);
}

KEPT void
one_round(std::uint64_t *random, const std::vector<std::unique_ptr<shapes::Shape>> &all)
{
	auto words = make_words(random);

	expect_u64(
		"words in the map", count_words<std::map<std::string, unsigned>>(words), kEntries);
	expect_u64("words in the hash map",
		count_words<std::unordered_map<std::string, unsigned>>(words), kEntries);
	expect_true("not sorted", sort_by(words, std::less<std::string>()));
	expect_true("not sorted from behind", sort_by(words, [](const auto &a, const auto &b) {
		return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
	}));
	for (int i = 0; i < 30; i++)
		expect_u64("area", shapes::total_area(all), 100 * 9 * 9 + 100 * (64 * 65 / 2));
}

} // namespace

int
main(int argc, char **argv)
{
	unsigned long rounds = rounds_option(argc, argv, 400);
	std::uint64_t random = 17;
	std::vector<std::unique_ptr<shapes::Shape>> all;

	for (int i = 0; i < 100; i++) {
		all.push_back(std::make_unique<shapes::Square>(9));
		all.push_back(std::make_unique<shapes::Polygon>(64));
	}
	for (unsigned long i = 0; i < rounds; i++)
		one_round(&random, all);
	return 0;
}
