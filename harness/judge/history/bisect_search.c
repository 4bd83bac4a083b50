#include "history/bisect_search.h"

#include <assert.h>

const char *
bisect_state_name(enum bisect_state state)
{
	static const char *const names[] = {
		[BISECT_UNTRIED] = "not tried",
		[BISECT_FAST] = "fast",
		[BISECT_SLOW] = "slow",
		[BISECT_SKIPPED] = "skipped",
		[BISECT_UNDECIDED] = "undecided",
	};

	return names[state];
}

struct bisect_range
bisect_range_of(const enum bisect_state *states, size_t n)
{
	struct bisect_range range = {.fast = 0, .slow = n - 1};

	assert(n >= 2 && states[0] == BISECT_FAST && states[n - 1] == BISECT_SLOW);
	while (states[range.slow] != BISECT_SLOW)
		range.slow--;
	for (size_t i = 1; i < range.slow; i++) {
		if (states[i] == BISECT_SLOW)
			range.slow = i;
		else if (states[i] == BISECT_FAST)
			range.fast = i;
	}
	return range;
}

static bool
says_nothing(enum bisect_state state)
{
	return state == BISECT_SKIPPED || state == BISECT_UNDECIDED;
}

/* Whether no commit of the range without a result is nearer to `i` than that. */
static bool
is_clear(const enum bisect_state *states, struct bisect_range range, size_t i, size_t distance)
{
	for (size_t k = range.fast + 1; k < range.slow; k++) {
		if (says_nothing(states[k]) && (k > i ? k - i : i - k) < distance)
			return false;
	}
	return true;
}

/* The untried commit nearest to the middle that is clear. */
static bool
find_clear(
	const enum bisect_state *states, struct bisect_range range, size_t distance, size_t *next)
{
	const size_t twice_middle = range.fast + range.slow;
	size_t nearest = 0;
	bool found = false;

	for (size_t i = range.fast + 1; i < range.slow; i++) {
		size_t off = 2 * i > twice_middle ? 2 * i - twice_middle : twice_middle - 2 * i;

		if (states[i] != BISECT_UNTRIED || (found && off >= nearest) ||
			!is_clear(states, range, i, distance))
			continue;
		nearest = off;
		*next = i;
		found = true;
	}
	return found;
}

bool
bisect_next(const enum bisect_state *states, size_t n, size_t *next)
{
	const struct bisect_range range = bisect_range_of(states, n);
	size_t distance = 1;
	size_t nothing = 0;

	for (size_t i = range.fast + 1; i < range.slow; i++) {
		if (says_nothing(states[i]) && ++nothing > 1 && distance < n)
			distance *= 2;
	}
	for (; distance > 0; distance /= 2) {
		if (find_clear(states, range, distance, next))
			return true;
	}
	return false;
}

unsigned
bisect_steps_left(const enum bisect_state *states, size_t n)
{
	const struct bisect_range range = bisect_range_of(states, n);
	size_t untried = 0;
	unsigned steps = 0;

	for (size_t i = range.fast + 1; i < range.slow; i++)
		untried += states[i] == BISECT_UNTRIED;
	for (; untried > 0; untried /= 2)
		steps++;
	return steps;
}
