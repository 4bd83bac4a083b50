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
	const char *pattern; /* without a "/" at its end */
	bool is_folder;      /* it has a "/" at its end, and so fits only what is in a folder */
	const char *owners;  /* "@parsers @anna", with one blank between; "": nobody */
};

/* All zeros: nobody owns anything. */
struct code_owners {
	struct arena arena; /* of the texts */
	struct owner_rule *rules;
	size_t count;
	size_t capacity;
};

/* Reads the file's text. Lines that are not rules are ignored. */
void code_owners_parse(struct code_owners *owners, const char *text, size_t len);
/* The CODEOWNERS of the working tree `top`: in .github, .gitlab, docs or itself. */
void code_owners_read(struct code_owners *owners, const char *top);
void code_owners_release(struct code_owners *owners);

/* The owners of a file, its path relative to the working tree; "" if there are none. */
const char *code_owners_of(const struct code_owners *owners, const char *path);

/* Adds each of the owners "@parsers @anna" to such a text, unless it has that one already. */
void code_owners_add(struct buf *all, const char *owners);

#endif
