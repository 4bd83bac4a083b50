#include "compare/same_declaration.h"

#include <ctype.h>
#include <string.h>

/*
 * Behind type arguments, where they begin at `at`: "<int>" of C++ and "[int]" of Go follow a name;
 * "<T as Trait>" of Rust is one, and "operator<" is another.
 */
static const char *
pass_arguments(const char *name, const char *at)
{
	static const char operator_name[] = "operator";
	const size_t len = sizeof(operator_name) - 1;
	unsigned depth = 0;

	if ((*at != '<' && *at != '[') || at == name ||
		(!isalnum((unsigned char)at[-1]) && at[-1] != '_') ||
		((size_t)(at - name) >= len && strncmp(at - len, operator_name, len) == 0))
		return at;
	for (const char *end = at; *end; end++) {
		depth += *end == '<' || *end == '[';
		depth -= (*end == '>' && end[-1] != '-') || *end == ']';
		if (depth == 0)
			return *end == '>' || *end == ']' ? end + 1 : at;
	}
	return at;
}

bool
same_declaration(const struct profile *profile, frame_id a, frame_id b)
{
	const char *const names[] = {
		profile_frame_name(profile, a), profile_frame_name(profile, b)};
	const char *at = names[0];
	const char *other = names[1];

	if (profile->frames.frames[a].kind == FRAME_KERNEL ||
		profile->frames.frames[b].kind == FRAME_KERNEL)
		return false;
	while (true) {
		at = pass_arguments(names[0], at);
		other = pass_arguments(names[1], other);
		if (*at != *other)
			return false;
		if (!*at)
			return true;
		at++;
		other++;
	}
}
