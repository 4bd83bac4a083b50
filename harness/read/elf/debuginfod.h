/*
 * Debug files and programs from debuginfod servers, only if enabled: the queries tell the servers
 * in $DEBUGINFOD_URLS which programs are profiled.
 *
 * The library is loaded at run time, so that it is not needed to build or to start. Source:
 * debuginfod_find_debuginfo(3).
 */
#ifndef ELF_DEBUGINFOD_H
#define ELF_DEBUGINFOD_H

#include <stdbool.h>

struct build_id;

enum debuginfod_state {
	DEBUGINFOD_OFF,     /* not enabled */
	DEBUGINFOD_ON,      /* not tried yet */
	DEBUGINFOD_READY,   /* the library is there, and a server is named */
	DEBUGINFOD_USELESS, /* it cannot be used: see `trouble` */
};

struct debuginfod {
	enum debuginfod_state state;
	const char *trouble; /* why it cannot be used; NULL if it can, or was not tried */
	void *library;
	void *client;
};

/* Ends the client, if there is one. */
void debuginfod_release(struct debuginfod *servers);

/*
 * Fetches the debug file of a build or, if `executable`, its program. Returns the path of the copy
 * in the client's cache, free() it; NULL where there is none. It may take as long as
 * $DEBUGINFOD_TIMEOUT says; once no server answers, no more queries are sent.
 */
char *debuginfod_fetch(
	struct debuginfod *servers, const struct build_id *build_id, bool executable);

#endif
