/*
 * Debug files and programs from debuginfod servers, for those who ask for it: the servers in
 * $DEBUGINFOD_URLS learn by the questions what is being looked at.
 *
 * The library is looked for at run time, so that nothing needs it to build or to start. Source:
 * debuginfod_find_debuginfo(3).
 */
#ifndef ELF_DEBUGINFOD_H
#define ELF_DEBUGINFOD_H

#include <stdbool.h>

struct build_id;

enum debuginfod_state {
	DEBUGINFOD_OFF,     /* not asked for */
	DEBUGINFOD_ON,      /* not tried yet */
	DEBUGINFOD_READY,   /* the library is there, and a server is named */
	DEBUGINFOD_USELESS, /* it is of no use: see `trouble` */
};

struct debuginfod {
	enum debuginfod_state state;
	const char *trouble; /* why it is of no use; NULL if it is, or was not tried */
	void *library;
	void *client;
};

/* Ends what was begun, if anything was. */
void debuginfod_release(struct debuginfod *servers);

/*
 * Asks for the debug file of a build or, `executable`, its program. The path of the copy in the
 * client's cache, free() it; NULL where there is none. It may take as long as
 * $DEBUGINFOD_TIMEOUT says; once no server answers nothing is asked any more.
 */
char *debuginfod_fetch(
	struct debuginfod *servers, const struct build_id *build_id, bool executable);

#endif
