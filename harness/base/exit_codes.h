/*
 * A set of exit statuses of a program.
 */
#ifndef BASE_EXIT_CODES_H
#define BASE_EXIT_CODES_H

#include <stdbool.h>
#include <stdint.h>

/* Bit 1 << status % 64 of bits[status / 64]. All zeros is status 0 alone: success. */
struct exit_codes {
	uint64_t bits[4];
};

static inline void
exit_codes_add(struct exit_codes *codes, uint8_t status)
{
	codes->bits[status / 64] |= UINT64_C(1) << status % 64;
}

static inline bool
exit_codes_have(const struct exit_codes *codes, uint8_t status)
{
	const uint64_t any = codes->bits[0] | codes->bits[1] | codes->bits[2] | codes->bits[3];

	return any ? (codes->bits[status / 64] >> status % 64 & 1) != 0 : status == 0;
}

#endif
