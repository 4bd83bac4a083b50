#include "ingest/callgrind_graph.h"

#include "base/mem.h"

#include <stdlib.h>

void
callgrind_graph_release(struct callgrind_graph *graph)
{
	free(graph->functions);
	free(graph->calls);
	key_map_release(&graph->by_name);
	key_map_release(&graph->by_ends);
	*graph = (struct callgrind_graph){0};
}

uint32_t
callgrind_graph_function(struct callgrind_graph *graph, str_id name, str_id object)
{
	uint32_t index = key_map_add(&graph->by_name, key_of_pair(name, object));

	if (index == graph->nfunctions) {
		graph->functions = mem_grow(graph->functions, &graph->functions_capacity,
			graph->nfunctions + 1, sizeof(*graph->functions));
		graph->functions[graph->nfunctions++] =
			(struct callgrind_function){.name = name, .object = object};
	}
	return index;
}

void
callgrind_graph_call(
	struct callgrind_graph *graph, uint32_t caller, uint32_t callee, double inclusive)
{
	uint32_t index = key_map_add(&graph->by_ends, key_of_pair(caller, callee));

	if (index == graph->ncalls) {
		graph->calls = mem_grow(graph->calls, &graph->calls_capacity, graph->ncalls + 1,
			sizeof(*graph->calls));
		graph->calls[graph->ncalls++] =
			(struct callgrind_call){.caller = caller, .callee = callee};
	}
	graph->calls[index].inclusive += inclusive;
}
