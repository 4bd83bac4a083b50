/*
 * Mangled names, a section for each language: C++ and D by libiberty, Java and OCaml by ourselves.
 * Rust's are first parsed in demangle_rust.c. The last section chooses among them.
 */
#include "elf/demangle.h"

#include "base/allowance.h"
#include "base/buf.h"
#include "base/mem.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * Names of C++, which libiberty decodes: those that would take it too long are refused.
 */

#define CXX_OPTIONS (DMGL_PARAMS | DMGL_ANSI)
/* The library reads no longer names: its components are limited, two for a character. */
#define CXX_NAME_BYTES_MAX 1024
/*
 * Template arguments in the type of a conversion, behind a template parameter: the library parses
 * each twice, those within it four times. Real names have one or two.
 */
#define TENTATIVE_MAX 4
/*
 * No compiler writes a name with more components in its tree. The text would be longer than 64 KiB,
 * and the library's search for parameter packs walks over the whole tree, without any output.
 */
#define STEPS_MAX 131072
#define DEPTH_MAX ((size_t)2 * CXX_NAME_BYTES_MAX)

/* A name while it is printed. */
struct cxx_name {
	void *block;  /* its components; the caller frees it */
	size_t count; /* of components for which `block` has room */
	size_t steps; /* components that a walk over its tree passes, each as often as it is used */
};

/* The end of a template parameter with arguments, "T_I" or "T0_I"; NULL where there is none. */
static const char *
skip_applied_parameter(const char *at)
{
	if (*at++ != 'T')
		return NULL;
	if (*at == 'L') {
		for (at++; isdigit((unsigned char)*at) || isupper((unsigned char)*at);)
			at++;
		if (*at++ != '_')
			return NULL;
	}
	while (isdigit((unsigned char)*at) || isupper((unsigned char)*at))
		at++;
	return at[0] == '_' && at[1] == 'I' ? at + 2 : NULL;
}

/* Whether the library could parse parts of the name too many times. */
static bool
has_many_tentative(const char *mangled)
{
	int count = 0;

	for (const char *at = strstr(mangled, "cv"); at && *at;) {
		const char *behind = skip_applied_parameter(at);

		if (behind && ++count > TENTATIVE_MAX)
			return true;
		at = behind ? behind : at + 1;
	}
	return false;
}

/* Whether the component has no others below it; their fields would have other meanings. */
static bool
is_leaf(const struct demangle_component *component)
{
	switch ((int)component->type) {
	case DEMANGLE_COMPONENT_NAME:
	case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
	case DEMANGLE_COMPONENT_FUNCTION_PARAM:
	case DEMANGLE_COMPONENT_SUB_STD:
	case DEMANGLE_COMPONENT_BUILTIN_TYPE:
	case DEMANGLE_COMPONENT_EXTENDED_BUILTIN_TYPE:
	case DEMANGLE_COMPONENT_OPERATOR:
	case DEMANGLE_COMPONENT_CHARACTER:
	case DEMANGLE_COMPONENT_NUMBER:
	case DEMANGLE_COMPONENT_UNNAMED_TYPE:
		return true;
	default:
		return false;
	}
}

/* The components below one, as far as they are components. */
static void
find_parts(const struct demangle_component *component,
	const struct demangle_component *parts[static 2])
{
	parts[0] = parts[1] = NULL;
	switch ((int)component->type) {
	case DEMANGLE_COMPONENT_CTOR:
		parts[0] = component->u.s_ctor.name;
		break;
	case DEMANGLE_COMPONENT_DTOR:
		parts[0] = component->u.s_dtor.name;
		break;
	case DEMANGLE_COMPONENT_EXTENDED_OPERATOR:
		parts[0] = component->u.s_extended_operator.name;
		break;
	case DEMANGLE_COMPONENT_FIXED_TYPE:
		parts[0] = component->u.s_fixed.length;
		break;
	case DEMANGLE_COMPONENT_LAMBDA:
	case DEMANGLE_COMPONENT_DEFAULT_ARG:
		parts[0] = component->u.s_unary_num.sub;
		break;
	default:
		if (is_leaf(component))
			break;
		parts[0] = component->u.s_binary.left;
		parts[1] = component->u.s_binary.right;
		break;
	}
}

/* Newer libraries have kinds of components whose fields are not known here. */
static bool
is_component(const struct cxx_name *name, const struct demangle_component *part)
{
	const size_t size = sizeof(struct demangle_component);
	const uintptr_t at = (uintptr_t)part - (uintptr_t)name->block;

	return at / size < name->count && at % size == 0;
}

/* Counts the components from one on; false where they are too many. */
static bool
count_steps(struct cxx_name *name, const struct demangle_component *component, size_t depth)
{
	const struct demangle_component *parts[2];

	if (++name->steps > STEPS_MAX || depth > DEPTH_MAX)
		return false;
	find_parts(component, parts);
	for (int i = 0; i < 2; i++)
		if (parts[i] && is_component(name, parts[i]) &&
			!count_steps(name, parts[i], depth + 1))
			return false;
	return true;
}

/*
 * Whether the library parses a name for a second time, as older compilers wrote it, for which there
 * is no tree. Without parameter packs it prints at least a character for each component that it
 * passes.
 */
static bool
is_of_older_compiler(const char *mangled)
{
	static const char *const packs[] = {"Dp", "sp", "sZ", "sP", "fl", "fr", "fL", "fR"};

	for (size_t i = 0; i < sizeof(packs) / sizeof(packs[0]); i++)
		if (strstr(mangled, packs[i]))
			return false;
	return strstr(mangled, "sr") != NULL;
}

/*
 * Hands the text to `put`, which may leave by longjmp(): `name` is then set as after the call.
 * False where the library knows no such name, or would need too long for it.
 */
static bool
cxx_name_print(struct cxx_name *name, const char *mangled, demangle_callbackref put, void *opaque)
{
	const size_t len = strnlen(mangled, CXX_NAME_BYTES_MAX + 1);
	struct demangle_component *root;

	*name = (struct cxx_name){.count = 2 * len};
	if (len > CXX_NAME_BYTES_MAX || has_many_tentative(mangled))
		return false;
	root = cplus_demangle_v3_components(mangled, CXX_OPTIONS, &name->block);
	if (!root)
		return is_of_older_compiler(mangled) &&
		       cplus_demangle_v3_callback(mangled, CXX_OPTIONS, put, opaque) != 0;
	return count_steps(name, root, 0) &&
	       cplus_demangle_print_callback(CXX_OPTIONS, root, put, opaque) != 0;
}

/*
 * Names of D, as libiberty's demangler prints them.
 *
 * Source: D language specification, "Application Binary Interface", section "Name Mangling".
 */

/* The demangler calls itself for each level of a type: longer ones could exhaust the stack. */
#define D_NAME_BYTES_MAX 8192
/* Characters of the name that are read, each as often as it is referred to. */
#define VISITS_MAX 65536

/*
 * The reference at `at`, a 'Q' and a number in base 26 whose last digit is a small letter, counts
 * back to an earlier part; SIZE_MAX where there is none.
 */
static size_t
referred(const char *name, size_t at)
{
	uint64_t back = 0;

	for (size_t i = at + 1; isalpha((unsigned char)name[i]) && back <= at; i++) {
		const bool last = islower((unsigned char)name[i]);

		back = back * 26 + (uint64_t)(name[i] - (last ? 'a' : 'A'));
		if (last)
			return back > 0 && back <= at ? at - (size_t)back : SIZE_MAX;
	}
	return SIZE_MAX;
}

/*
 * How many characters are read in all: of a reference those from the part it refers to up to it,
 * with the references in there. Parts of identifiers may look like one, which makes it more.
 */
static uint64_t
count_visits(const char *name, size_t len)
{
	/* Up to each place, of the references before it. */
	uint64_t *sums = mem_zalloc(len + 1, sizeof(*sums));

	for (size_t at = 0; at < len; at++) {
		const size_t to = name[at] == 'Q' ? referred(name, at) : SIZE_MAX;
		uint64_t visits = 0;

		if (to != SIZE_MAX)
			visits = at - to + (sums[at] - sums[to]);
		sums[at + 1] = sums[at] + visits;
		if (sums[at + 1] > VISITS_MAX)
			sums[at + 1] = VISITS_MAX + 1;
	}
	const uint64_t visits = len + sums[len];

	free(sums);
	return visits;
}

/* "app.f!(int).f(int, char) const" -> "app.f!(int).f": brackets behind '!' are template arguments.
 */
static void
drop_d_parameters(char *text)
{
	int depth = 0;
	size_t len = strlen(text);

	while (len > 0 && text[len - 1] != ')')
		len--;
	for (size_t at = len; at-- > 0;) {
		depth += text[at] == ')';
		depth -= text[at] == '(';
		if (depth > 0)
			continue;
		if (at > 0 && text[at - 1] != '!')
			text[at] = '\0';
		return;
	}
}

/*
 * The function's name with its scopes and template arguments, without parameters:
 * "_D3app__T4addtTdZQiFdiZd" gives "app.addt!(double).addt". NULL where it is no name of D, or what
 * its references repeat is too long; free() it. The work is taken from `allowance`.
 */
static char *
d_name(const char *name, struct allowance *allowance)
{
	const size_t len = strnlen(name, D_NAME_BYTES_MAX + 1);

	if (strcmp(name, "_Dmain") != 0 &&
		(strncmp(name, "_D", 2) != 0 || !isdigit((unsigned char)name[2])))
		return NULL;
	if (len > D_NAME_BYTES_MAX)
		return NULL;
	const uint64_t visits = count_visits(name, len);

	if (visits > VISITS_MAX || !allowance_take(allowance, visits))
		return NULL;
	char *text = dlang_demangle(name, DMGL_PARAMS);

	if (text) {
		allowance_take(allowance, strlen(text));
		drop_d_parameters(text);
	}
	return text;
}

/* The specification allows an array no more dimensions. */
#define DIMENSIONS_MAX 255

/* "java/lang/String;" as java.lang.String; NULL without its end. */
static const char *
put_class(const char *at, struct buf *out)
{
	const size_t len = strcspn(at, ";()");

	if (len == 0 || at[len] != ';')
		return NULL;
	for (size_t i = 0; i < len; i++)
		if (at[i] == '/')
			buf_putc(out, '.');
		else
			buf_putc(out, at[i]);
	return at + len + 1;
}

/* One type of a descriptor; NULL where there is none. Returns what follows it. */
static const char *
put_type(const char *at, struct buf *out)
{
	static const struct {
		char letter;
		const char *name;
	} types[] = {{'B', "byte"}, {'C', "char"}, {'D', "double"}, {'F', "float"}, {'I', "int"},
		{'J', "long"}, {'S', "short"}, {'Z', "boolean"}, {'V', "void"}};
	const size_t dimensions = strspn(at, "[");

	if (dimensions > DIMENSIONS_MAX)
		return NULL;
	at += dimensions;
	if (*at == 'L') {
		at = put_class(at + 1, out);
	} else {
		size_t i = 0;

		while (i < sizeof(types) / sizeof(types[0]) && types[i].letter != *at)
			i++;
		if (i == sizeof(types) / sizeof(types[0]))
			return NULL;
		buf_puts(out, types[i].name);
		at++;
	}
	for (size_t i = 0; at && i < dimensions; i++)
		buf_puts(out, "[]");
	return at;
}

static bool
put_method(const char *name, struct buf *out)
{
	const char *open = strchr(name, '(');
	const char *close = open ? strchr(open, ')') : NULL;

	/* The type that it returns stands at the end, and is written first. */
	if (name[0] != 'L' || !close)
		return false;
	const char *at = put_type(close + 1, out);

	if (!at || *at)
		return false;
	buf_putc(out, ' ');
	at = put_class(name + 1, out);
	if (!at || at >= open)
		return false;
	buf_putc(out, '.');
	buf_put(out, at, (size_t)(open - at));
	buf_putc(out, '(');
	for (at = open + 1; at < close;) {
		if (at > open + 1)
			buf_puts(out, ", ");
		at = put_type(at, out);
		if (!at || at > close)
			return false;
	}
	buf_putc(out, ')');
	return true;
}

bool
java_name(const char *name, struct buf *out)
{
	buf_clear(out);
	const bool known = put_method(name, out);

	if (!known)
		buf_clear(out);
	return known;
}

/*
 * Names of OCaml's native compiler: "camlStdlib__List__map_253" is Stdlib.List.map.
 *
 * Source: OCaml's asmcomp/compilenv.ml and asmcomp/emitaux.ml.
 */

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

/*
 * The function's name with its modules, without the number that distinguishes functions of one name
 * and changes with whatever stands before it; of an anonymous one, "fun_253", it is the name. NULL
 * where it is no name of OCaml; free() it.
 */
static char *
ocaml_name(const char *name)
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

/*
 * No compiler writes longer ones. A short mangled name can stand for any length of text, since its
 * parts may refer to earlier parts.
 */
#define TEXT_BYTES_MAX 65536

struct output {
	struct buf text;
	struct cxx_name name; /* of C++ */
	jmp_buf full;
};

/*
 * The library cannot be stopped, and its output could take years to write: it is left by longjmp().
 * It then leaks no memory but a few bytes where a Rust identifier is not ASCII.
 */
static void
take_text(const char *text, size_t len, void *opaque)
{
	struct output *output = opaque;

	if (output->text.len + len > TEXT_BYTES_MAX)
		longjmp(output->full, 1);
	buf_put(&output->text, text, len);
}

static bool
print_rust(const char *name, struct output *output)
{
	/* For the old scheme, each part is read and printed once. */
	if (strncmp(name, "_R", 2) == 0 && !rust_name_is_bounded(name))
		return false;
	return rust_demangle_callback(name, DMGL_PARAMS | DMGL_ANSI, take_text, output) != 0;
}

/* The library's text; NULL where it knows no such name. Its own limits on recursion are kept. */
static char *
decode(const char *name, bool rust, struct allowance *allowance)
{
	struct output *output = mem_zalloc(1, sizeof(*output));
	char *volatile text = NULL;

	if (setjmp(output->full) == 0) {
		const bool known = rust ? print_rust(name, output)
					: cxx_name_print(&output->name, name, take_text, output);

		if (known && output->text.len > 0)
			text = mem_strdup(buf_text(&output->text));
	}
	/* A name that is refused has cost its steps. */
	allowance_take(allowance, text ? output->text.len : output->text.len + output->name.steps);
	buf_release(&output->text);
	free(output->name.block);
	free(output);
	return text;
}

/* Whether the text is about a function rather than the function: left as it is. */
static bool
is_special(const char *text)
{
	static const char *const prefixes[] = {"vtable for ", "VTT for ",
		"construction vtable for ", "typeinfo for ", "typeinfo name for ",
		"guard variable for ", "virtual thunk to ", "non-virtual thunk to ",
		"covariant return thunk to ", "reference temporary ", "TLS init function for ",
		"TLS wrapper function for ", "transaction clone for ",
		"non-transaction clone for "};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (strncmp(text, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

/* Takes `suffix` off the end of `text`, if it is there. */
static bool
drop_suffix(char *text, size_t *len, const char *suffix)
{
	size_t part = strlen(suffix);

	if (*len <= part || memcmp(text + *len - part, suffix, part) != 0)
		return false;
	*len -= part;
	text[*len] = '\0';
	return true;
}

/* "f(int) [clone .cold]" -> "f(int)". */
static void
drop_clones(char *text)
{
	size_t len = strlen(text);
	char *clone;

	if (len > 0 && text[len - 1] == ']' && (clone = strstr(text + 1, " [clone ")))
		*clone = '\0';
}

/* The bracket that opens what the last character closes; 0 if none. */
static size_t
opening_bracket(const char *text, size_t len)
{
	int depth = 0;

	for (size_t at = len; at-- > 0;) {
		if (text[at] == ')')
			depth++;
		else if (text[at] == '(' && --depth == 0)
			return at;
	}
	return 0;
}

/* "f(int) const &" -> "f"; a name that has no parameters stays. Returns whether there were any. */
static bool
drop_parameters(char *text)
{
	size_t len = strlen(text);

	while (drop_suffix(text, &len, " const") || drop_suffix(text, &len, " volatile") ||
		drop_suffix(text, &len, " &") || drop_suffix(text, &len, " &&"))
		continue;
	if (len == 0 || text[len - 1] != ')')
		return false;
	const size_t at = opening_bracket(text, len);
	static const char call[] = "operator()";
	const size_t before = at >= strlen("operator") ? at - strlen("operator") : 0;

	if (at == 0 || strcmp(text + before, call) == 0)
		return false;
	text[at] = '\0';
	return true;
}

static bool
starts_operator(const char *text, size_t at)
{
	if (text[at] != 'o')
		return false;
	bool inside = at > 0 && (isalnum((unsigned char)text[at - 1]) || text[at - 1] == '_');

	return !inside && strncmp(text + at, "operator", 8) == 0 &&
	       !isalnum((unsigned char)text[at + 8]) && text[at + 8] != '_';
}

/* Where the name starts after a return type: "void ns::f<int>" -> the n. */
static size_t
skip_return_type(const char *text)
{
	size_t start = 0;
	int depth = 0;

	for (size_t at = 0; text[at]; at++) {
		char c = text[at];

		if (c == '<' || c == '(' || c == '{' || c == '[')
			depth++;
		else if ((c == '>' && (at == 0 || text[at - 1] != '-')) || c == ')' || c == '}' ||
			 c == ']')
			depth--;
		if (depth != 0)
			continue;
		/* What follows an operator's name may hold any sign, and spaces. */
		if (starts_operator(text, at))
			break;
		if (c == ' ' && strncmp(text + at, " const", 6) != 0 &&
			strncmp(text + at, " volatile", 9) != 0 && text[at + 1] != '&')
			start = at + 1;
	}
	return start;
}

/* "core::fmt::write::h0123456789abcdef" -> "core::fmt::write". */
static void
drop_rust_hash(char *text)
{
	size_t len = strlen(text);

	if (len <= 19 || strncmp(text + len - 19, "::h", 3) != 0)
		return;
	for (size_t i = len - 16; i < len; i++)
		if (!isdigit((unsigned char)text[i]) && (text[i] < 'a' || text[i] > 'f'))
			return;
	text[len - 19] = '\0';
}

static void
shorten(char *text)
{
	if (is_special(text))
		return;
	drop_clones(text);
	if (drop_parameters(text)) {
		size_t start = skip_return_type(text);

		if (text[start])
			memmove(text, text + start, strlen(text + start) + 1);
	}
	drop_rust_hash(text);
}

/* NULL where it is no name of Java. */
static char *
decode_java(const char *name)
{
	struct buf text = {0};
	char *copy = NULL;

	if (strlen(name) <= TEXT_BYTES_MAX && java_name(name, &text))
		copy = mem_strdup(buf_text(&text));
	buf_release(&text);
	return copy;
}

static char *
decode_any(const char *name, struct allowance *allowance)
{
	char *text = NULL;

	/*
	 * Rust's first scheme looks like C++, so that it is tried first; its names end with a hash
	 * of 17 letters.
	 */
	if (strncmp(name, "_R", 2) == 0 || (strncmp(name, "_ZN", 3) == 0 && strstr(name, "17h")))
		text = decode(name, true, allowance);
	if (text || strncmp(name, "_Z", 2) != 0)
		return text;
	text = decode(name, false, allowance);
	if (text)
		shorten(text);
	return text;
}

char *
demangle_within(const char *name, struct allowance *allowance)
{
	if (allowance_is_used(allowance))
		return NULL;
	if (name[0] == 'L')
		return decode_java(name);
	if (name[0] == 'c')
		return ocaml_name(name);
	return name[0] == '_' && name[1] == 'D' ? d_name(name, allowance)
						: decode_any(name, allowance);
}

char *
demangle(const char *name)
{
	struct allowance any = {UINT64_MAX};

	return demangle_within(name, &any);
}

char *
demangle_shorten(const char *name, size_t len)
{
	char *text = mem_dup(name, len);

	shorten(text);
	return text;
}
