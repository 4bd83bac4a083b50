/*
 * A module of Redis with one command, `work`, that takes ROUNDS turns of a loop. What it uses of
 * the interface is declared here, as Debian has no package of redismodule.h.
 *
 * Source: redismodule.h of Redis: RedisModule_Init() and the functions that are looked up.
 */
#include <stddef.h>

#ifndef ROUNDS
#define ROUNDS 1000
#endif

enum { STATUS_OK, API_VERSION = 1 };

typedef int get_function(const char *name, void *function);

static int (*reply_with_number)(void *context, long long number);
static volatile unsigned long sink;

__attribute__((noinline)) static int
work_command(void *context, void **arguments, int count)
{
	unsigned long x = 88172645463325252ul;

	(void)arguments, (void)count;
	for (unsigned i = 0; i < ROUNDS; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	sink = x;
	return reply_with_number(context, 1);
}

int RedisModule_OnLoad(void *context, void **arguments, int count);

int
RedisModule_OnLoad(void *context, void **arguments, int count)
{
	/* The first member of the context finds the functions. */
	get_function *get = *(get_function **)context;
	void (*set_attributes)(void *context, const char *name, int version, int api_version);
	int (*create_command)(void *context, const char *name, int (*command)(void *, void **, int),
		const char *flags, int first, int last, int step);

	(void)arguments, (void)count;
	get("RedisModule_SetModuleAttribs", &set_attributes);
	get("RedisModule_CreateCommand", &create_command);
	get("RedisModule_ReplyWithLongLong", &reply_with_number);
	set_attributes(context, "work", 1, API_VERSION);
	return create_command(context, "work", work_command, "fast", 0, 0, 0);
}
