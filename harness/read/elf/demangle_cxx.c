/*
 * Demangles names of C++ by libiberty. Names that would take it too long are refused.
 */
#include "base/mem.h"
#include "elf/demangle_internal.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

bool
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
