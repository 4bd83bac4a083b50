#include "output/json_memory.h"

#include "base/mem.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

static void *
allocate(size_t bytes)
{
	return mem_resize(NULL, bytes > 0 ? bytes : 1);
}

void
json_memory_use(void)
{
	cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = allocate, .free_fn = free});
}
