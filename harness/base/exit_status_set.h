/*
 * A set of exit statuses of a program.
 */
#ifndef BASE_EXIT_STATUS_SET_H
#define BASE_EXIT_STATUS_SET_H

#include <stdbool.h>
#include <stdint.h>

/* Bit 1 << status % 64 of bits[status / 64]. All zeros is status 0 alone: success. */
struct exit_status_set {
	uint64_t bits[4];
};

static inline void
exit_status_set_add(struct exit_status_set *set, uint8_t status)
{
	set->bits[status / 64] |= UINT64_C(1) << status % 64;
}

static inline bool
exit_status_set_has(const struct exit_status_set *set, uint8_t status)
{
	const uint64_t any = set->bits[0] | set->bits[1] | set->bits[2] | set->bits[3];

	return any ? (set->bits[status / 64] >> status % 64 & 1) != 0 : status == 0;
}

#endif
