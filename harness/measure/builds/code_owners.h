/*
 * The owners of a file in a repository, by its CODEOWNERS: lines of a pattern and owners, of which
 * the last one that fits a file counts. Patterns are those of .gitignore without "!" and "[a-z]",
 * as GitHub has them; GitLab's headings of sections are passed over.
 */
#ifndef BUILDS_CODE_OWNERS_H
#define BUILDS_CODE_OWNERS_H

#include "base/arena.h"
#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

struct owner_rule {
	const char *pattern; /* without the "/" at its end ... */
	bool is_folder;      /* ... which says that it is of what is in a folder only */
	const char *owners;  /* "@parsers @anna", with one blank between; "": nobody */
};

/* All zeros: nobody owns anything. */
struct code_owners {
	struct arena arena; /* of the texts */
	struct owner_rule *rules;
	size_t count;
	size_t capacity;
};

/* Reads the file's text. Lines that are no rule are passed over. */
void code_owners_parse(struct code_owners *owners, const char *text, size_t len);
/* The CODEOWNERS of the working tree `top`: in .github, .gitlab, docs or itself. */
void code_owners_read(struct code_owners *owners, const char *top);
void code_owners_release(struct code_owners *owners);

/* The owners of a file, its path relative to the working tree; "" if there are none. */
const char *code_owners_of(const struct code_owners *owners, const char *path);

/* Adds to "@parsers @anna" each of the owners that is not there yet. */
void code_owners_add(struct buf *all, const char *owners);

#endif
