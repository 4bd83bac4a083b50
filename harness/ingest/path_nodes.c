#include "ingest/path_nodes.h"

#include "base/mem.h"

#include <stdlib.h>

void
path_nodes_init(struct path_nodes *nodes)
{
	nodes->kept = mem_ztable((size_t)1 << PATH_NODES_BITS, sizeof(*nodes->kept));
}

void
path_nodes_release(struct path_nodes *nodes)
{
	free(nodes->kept);
	*nodes = (struct path_nodes){0};
}
