#include "elf/debuginfod.h"

#include "base/library.h"
#include "elf/elf_image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Source: elfutils/debuginfod.h. */
typedef void *begin_function(void);
typedef void end_function(void *client);
typedef int find_function(
	void *client, const unsigned char *build_id, int build_id_len, char **path);

static void
give_up(struct debuginfod *servers, const char *trouble)
{
	servers->state = DEBUGINFOD_USELESS;
	servers->trouble = trouble;
}

static void
start(struct debuginfod *servers)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	begin_function *begin;

	if (!urls || !*urls) {
		give_up(servers, "DEBUGINFOD_URLS names no server");
		return;
	}
	servers->library = library_open("libdebuginfod.so.1");
	if (!servers->library) {
		give_up(servers, "libdebuginfod.so.1 is not installed");
		return;
	}
	library_function(servers->library, "debuginfod_begin", (void *)&begin);
	servers->client = begin ? begin() : NULL;
	if (!servers->client)
		give_up(servers, "libdebuginfod.so.1 does not work");
	else
		servers->state = DEBUGINFOD_READY;
}

void
debuginfod_release(struct debuginfod *servers)
{
	end_function *end;

	if (servers->client) {
		library_function(servers->library, "debuginfod_end", (void *)&end);
		if (end)
			end(servers->client);
	}
	/* The library stays loaded: libraries that it depends on do not support unloading. */
	*servers = (struct debuginfod){0};
}

char *
debuginfod_fetch(struct debuginfod *servers, const struct build_id *build_id, bool executable)
{
	find_function *find;
	char *path = NULL;

	if (servers->state == DEBUGINFOD_ON)
		start(servers);
	if (servers->state != DEBUGINFOD_READY || build_id->len == 0)
		return NULL;
	library_function(servers->library,
		executable ? "debuginfod_find_executable" : "debuginfod_find_debuginfo",
		(void *)&find);

	int fd = find ? find(servers->client, build_id->bytes, (int)build_id->len, &path) : -ENOSYS;

	if (fd >= 0) {
		close(fd);
		return path;
	}
	/* A server that has no such file says so; anything else would cost the same wait again. */
	if (fd != -ENOENT)
		give_up(servers, "no debuginfod server answers");
	return NULL;
}
