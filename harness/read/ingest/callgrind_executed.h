/*
 * The functions that a run executed, as a callgrind file has them: by the names of the ELF files'
 * symbols, or by an address where there is none.
 */
#ifndef INGEST_CALLGRIND_EXECUTED_H
#define INGEST_CALLGRIND_EXECUTED_H

#include "base/err.h"
#include "base/map.h"
#include "base/strtab.h"

#include <stddef.h>

struct callgrind_executed {
	struct strtab texts;
	struct key_map functions; /* key_of_pair() of the ELF file's path and the function's name */
};

/* On error nothing needs releasing. */
int callgrind_executed_read(struct callgrind_executed *executed, const char *path, struct err *err);
void callgrind_executed_release(struct callgrind_executed *executed);

/* For the function with this number, below functions.count. */
static inline str_id
callgrind_executed_object(const struct callgrind_executed *executed, size_t number)
{
	return (str_id)(executed->functions.keys[number] >> 32);
}

static inline const char *
callgrind_executed_name(const struct callgrind_executed *executed, size_t number)
{
	return strtab_str(&executed->texts, (str_id)executed->functions.keys[number]);
}

#endif
