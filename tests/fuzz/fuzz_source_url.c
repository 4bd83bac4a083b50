/*
 * Addresses of git remotes: any bytes are read as one. What is made of it is a pattern of URLs that
 * reports may link to, without user and password.
 */
#include "base/mem.h"
#include "builds/source_paths.h"
#include "spec/workload.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *remote = mem_zalloc(size + 1, 1);

	memcpy(remote, data, size);
	char *url = source_url_of_remote(remote);

	if (url) {
		const char *host = strstr(url, "://") + 3;
		const char *path = strchr(host, '/');

		if (!config_is_source_url(url) || memchr(host, '@', (size_t)(path - host)))
			abort();
	}
	free(url);
	free(remote);
	return 0;
}
