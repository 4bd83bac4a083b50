/*
 * A place whose path has the same length wherever a checkout lies: a program that is started there
 * sees its folder and its home under the same names on every machine.
 *
 * The place exists for that program and its descendants only, in their own mount namespace;
 * without rights in a user namespace, too.
 */
#ifndef PROCESS_FIXED_PLACE_H
#define PROCESS_FIXED_PLACE_H

#define FIXED_PLACE "/tmp/profile_run.counted"
#define FIXED_PLACE_FOLDER FIXED_PLACE "/checkout"
#define FIXED_PLACE_HOME FIXED_PLACE "/home"

/* The folders that are seen there; absolute paths. */
struct fixed_place {
	const char *folder;
	const char *home; /* NULL: an empty one */
};

/*
 * Makes the calling process, of one thread, see the place; for a child before its exec. -1 with
 * errno where that is refused: it may be in its own namespace then, without the place.
 */
int fixed_place_enter(const struct fixed_place *place);

/* Whether that works here, by trying it in its own process. 0, or errno. */
int fixed_place_try(void);

#endif
