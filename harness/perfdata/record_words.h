/*
 * Reading a record's words one after the other, each read checked. Internal to the decoder.
 */
#ifndef PERFDATA_RECORD_WORDS_H
#define PERFDATA_RECORD_WORDS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What a record still holds; every read goes through words_take(). */
struct words {
	const uint64_t *at;
	size_t left;
};

/* The next `count` words; NULL if there are fewer. */
static inline const uint64_t *
words_take(struct words *words, uint64_t count)
{
	if (count > words->left)
		return NULL;
	const uint64_t *at = words->at;

	words->at += count;
	words->left -= (size_t)count;
	return at;
}

/* The 32-bit number that stands first in a word, and the one after it. */
static inline uint32_t
word_first_half(uint64_t word)
{
	uint32_t halves[2];

	memcpy(halves, &word, sizeof(halves));
	return halves[0];
}

static inline uint32_t
word_second_half(uint64_t word)
{
	uint32_t halves[2];

	memcpy(halves, &word, sizeof(halves));
	return halves[1];
}

#endif
