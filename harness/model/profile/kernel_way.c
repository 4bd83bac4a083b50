#include "profile/kernel_way.h"

#include "profile/function_class.h"

#include <string.h>

/* function_class() knows them, too. */
static const char *const texts[] = {
	[KERNEL_WAY_NONE] = "",
	[KERNEL_WAY_UNKNOWN] = "kernel",
	[KERNEL_WAY_CALL] = "system call",
	[KERNEL_WAY_FAULT] = "page fault",
	[KERNEL_WAY_NAMED] = "system call ",
	[KERNEL_WAY_INTERRUPT] = "interrupt",
};

/* The entries of system calls, below which the calls' own functions are. */
static bool
is_call_entry(const char *name)
{
	static const char *const entries[] = {
		"entry_SYSCALL", "do_syscall_", "x64_sys_call", "el0_svc", "invoke_syscall"};

	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
		if (strncmp(name, entries[i], strlen(entries[i])) == 0)
			return true;
	return false;
}

enum kernel_way
kernel_way_of(const char *name, struct buf *text)
{
	const unsigned classes = function_class(name, FRAME_KERNEL);
	const char *call;
	const size_t len = function_class_syscall(name, &call);
	enum kernel_way way = KERNEL_WAY_UNKNOWN;

	if (classes & CLASS_INTERRUPT)
		way = KERNEL_WAY_INTERRUPT;
	else if (len > 0)
		way = KERNEL_WAY_NAMED;
	else if (classes & CLASS_FAULT)
		way = KERNEL_WAY_FAULT;
	else if (is_call_entry(name))
		way = KERNEL_WAY_CALL;
	buf_clear(text);
	buf_puts(text, texts[way]);
	if (way == KERNEL_WAY_NAMED)
		buf_put(text, call, len);
	return way;
}

enum kernel_way
kernel_way_below(enum kernel_way above, enum kernel_way own)
{
	if (own == KERNEL_WAY_INTERRUPT)
		return own;
	if (own <= above || above == KERNEL_WAY_FAULT ||
		(above == KERNEL_WAY_CALL && own == KERNEL_WAY_FAULT))
		return above;
	return own;
}

/* "6.1.0-13-amd64" of "name, 6.1.0-13-amd64, x86_64, CPU"; its length, 0: not there. */
static size_t
find_release(const struct profile *profile, const char **release)
{
	const char *at = strtab_str(&profile->strings, profile->host);

	while ((at = strstr(at, ", ")) != NULL) {
		at += 2;
		if (*at < '1' || *at > '9')
			continue;
		*release = at;
		return strcspn(at, ",");
	}
	return 0;
}

bool
kernel_way_is_needed(const struct profile *a, const struct profile *b)
{
	const char *one = NULL;
	const char *other = NULL;
	const size_t one_len = find_release(a, &one);
	const size_t other_len = find_release(b, &other);

	return one_len > 0 && other_len > 0 &&
	       (one_len != other_len || memcmp(one, other, one_len) != 0);
}
