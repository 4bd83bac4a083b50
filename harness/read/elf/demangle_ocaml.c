/*
 * Demangles names of OCaml's native compiler: "camlStdlib__List__map_253" is Stdlib.List.map.
 *
 * Source: OCaml's asmcomp/compilenv.ml and asmcomp/emitaux.ml.
 */
#include "base/buf.h"
#include "base/mem.h"
#include "elf/demangle_internal.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define PREFIX "caml"
#define OCAML_NAME_BYTES_MAX 65536

static int
digit_of(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The length of "name_123" without the number; of "fun_123" with it. */
static size_t
length_without_stamp(const char *text, size_t len)
{
	size_t at = len;

	while (at > 0 && isdigit((unsigned char)text[at - 1]))
		at--;
	if (at == len || at < 2 || text[at - 1] != '_')
		return len;
	at--;
	const bool anonymous = at >= 4 && memcmp(text + at - 4, ".fun", 4) == 0;

	return anonymous || text[at - 1] == '.' ? len : at;
}

char *
demangle_ocaml(const char *name)
{
	struct buf text = {0};
	bool has_scope = false;
	const size_t prefix = strlen(PREFIX);

	if (strncmp(name, PREFIX, prefix) != 0 || !isupper((unsigned char)name[prefix]) ||
		strnlen(name, OCAML_NAME_BYTES_MAX) == OCAML_NAME_BYTES_MAX)
		return NULL;
	for (const char *at = name + prefix; *at;) {
		/* From OCaml 5.1 on it is a point. */
		const bool scope = at[0] == '_' && at[1] == '_' && at[2] && at[2] != '_';
		const int high = at[0] == '$' ? digit_of(at[1]) : -1;
		const int low = high >= 2 && high < 8 ? digit_of(at[2]) : -1;

		if (low >= 0) {
			buf_putc(&text, (char)(high * 16 + low));
			at += 3;
			continue;
		}
		has_scope |= scope || at[0] == '.';
		buf_putc(&text, (char)(scope ? '.' : at[0]));
		at += scope ? 2 : 1;
	}
	char *result = has_scope ? mem_dup(buf_text(&text),
					   length_without_stamp(buf_text(&text), text.len))
				 : NULL;

	buf_release(&text);
	return result;
}
