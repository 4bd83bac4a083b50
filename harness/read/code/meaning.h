/*
 * The references of code in a form that does not depend on addresses: the name of the function that
 * is called, the text that is printed, the constant that is added.
 */
#ifndef CODE_MEANING_H
#define CODE_MEANING_H

#include "base/buf.h"
#include "code/body.h"
#include "code/image.h"

#include <stdbool.h>

/*
 * Puts the name by which `name` is compared with another build's into `out`, emptied first, and
 * says whether that differs: canonical_name() of profile/ is one.
 */
typedef bool code_fold(const char *name, size_t len, struct buf *out);

struct code_meaning {
	struct code_image *image;
	const struct code_arch *arch;
	void *decoder;
	code_fold *fold;    /* NULL: names are as they are */
	const char *folder; /* of the build, absolute: left out at the front of texts; NULL: none */
	struct buf folded;
	struct code_body other;  /* of the function that was jumped into last */
	uint64_t *constant_hash; /* [nnames of the image] 0: not computed yet */
	bool go;                 /* a program of Go: */
	uint64_t *go_starts;     /* where its constants begin, rising; owned */
	size_t ngo_starts;
	bool go_starts_read;
};

void code_meaning_init(struct code_meaning *meaning, struct code_image *image,
	const struct code_arch *arch, void *decoder, code_fold *fold);
void code_meaning_release(struct code_meaning *meaning);

/*
 * Appends to `out` the meaning of reference `i` of `body`. False where that is not known.
 *
 * Code: the instruction's number within `body`, or the function's name and the number within that.
 * Data that can be written: symbol and offset or, without a symbol, the section's name. Constants:
 * their contents, and symbol and offset where there is one; of those without a symbol whose length
 * is not known, a text to its end, without the folder of the build, a table of jumps by its
 * targets, else up to 256 bytes. Go's strings and types: the text, and what describes the type.
 */
bool code_meaning_put(
	struct code_meaning *meaning, const struct code_body *body, size_t i, struct buf *out);

#endif
