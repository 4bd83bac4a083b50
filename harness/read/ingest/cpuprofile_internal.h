/*
 * The parts of the reader of V8's profiles, for ingest_cpuprofile.c: the state that they share, and
 * the nodes of the call tree (cpuprofile_nodes.c).
 */
#ifndef INGEST_CPUPROFILE_INTERNAL_H
#define INGEST_CPUPROFILE_INTERNAL_H

#include "base/err.h"
#include "base/json_pull.h"
#include "base/map.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In the place of a node's number: there is none. */
#define V8_NODE_NONE UINT32_MAX
/* In the place of an id, which is below JSON_PULL_WHOLE_MAX: there is none. */
#define V8_ID_NONE UINT64_MAX
/* ... there is something else than a whole number. */
#define V8_ID_BAD (UINT64_MAX - 1)

struct v8_node {
	str_id name;
	str_id url;
	uint32_t line;   /* from 1; 0: none */
	uint32_t parent; /* V8_NODE_NONE: a root */
	node_id tree;    /* CTREE_NONE: not entered yet */
	bool idle;
	bool has_bytes;
	uint64_t id;
	uint64_t parent_id;  /* V8_ID_NONE: none */
	size_t children_end; /* in the list of all nodes' children */
	double hits;         /* -1: no number of 0 or more */
	double bytes;
};

struct cpuprofile_reading {
	struct json_pull json;
	struct profile *profile;
	const char *path;
	size_t column;
	double scale;
	struct v8_node *nodes;
	size_t nnodes;
	size_t capacity;
	uint64_t *children; /* ids, of one node after the other */
	size_t nchildren;
	size_t children_capacity;
	uint32_t *by_id; /* the number of the node with this id; NULL where these are large */
	size_t nby_id;
	struct key_map ids; /* the same then */
	uint32_t *sampled;  /* the node of each sample; V8_NODE_NONE: there is none with its id */
	size_t nsampled;
	size_t sampled_capacity;
	double *times; /* of each sample; NAN: no number */
	size_t ntimes;
	size_t times_capacity;
};

/*
 * An error about an element of a list. Where the file is no JSON, nothing is set: the reader of
 * JSON has the error.
 */
int cpuprofile_refuse_element(const struct cpuprofile_reading *reading, const char *list,
	size_t number, const char *what, struct err *err);

/* A number as an id; V8_ID_BAD, which no node has, where it is no whole number. */
static inline uint64_t
cpuprofile_read_id(struct json_pull *json)
{
	uint64_t id = V8_ID_BAD;

	json_pull_whole(json, JSON_PULL_WHOLE_MAX, &id);
	return id;
}

/* The number of the node with this id; V8_NODE_NONE where there is none. */
static inline uint32_t
cpuprofile_find_node(const struct cpuprofile_reading *reading, uint64_t id)
{
	if (!reading->by_id)
		return key_map_find(&reading->ids, id);
	return id < reading->nby_id ? reading->by_id[id] : V8_NODE_NONE;
}

/* Reads the nodes of the list that was entered, and joins them by their ids. */
int cpuprofile_read_nodes(struct cpuprofile_reading *reading, struct err *err);
/* Reads the node whose object was entered, and the nodes within it. */
int cpuprofile_read_head(struct cpuprofile_reading *reading, struct err *err);
/* Enters the nodes into the profile's tree, each after its parent. */
int cpuprofile_enter_nodes(struct cpuprofile_reading *reading, struct err *err);

#endif
