/*
 * The types of values that a pprof file has: which one is read, and in which unit.
 */
#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "ingest/pprof_internal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LIST_MAX 400

static bool
type_is(const struct pprof_tables *tables, size_t type, const char *name)
{
	return pprof_text_is(tables, tables->types[type].name, name);
}

void
pprof_type_list(const struct pprof_tables *tables, size_t type, struct buf *out)
{
	const struct pprof_text name = pprof_text(tables, tables->types[type].name);
	const size_t len = name.len < PROFILE_NAME_MAX ? name.len : PROFILE_NAME_MAX;

	if (out->len > LIST_MAX)
		return;
	buf_printf(out, "%s%.*s", out->len > 0 ? ", " : "", (int)len, name.at);
	if (out->len > LIST_MAX)
		buf_puts(out, ", ...");
}

/* All but `left_out`. */
static void
list_types(const struct pprof_tables *tables, size_t left_out, struct buf *out)
{
	for (size_t i = 0; i < tables->ntypes; i++)
		if (i != left_out)
			pprof_type_list(tables, i, out);
}

static int
refuse_type(
	const struct pprof_tables *tables, const char *path, const char *wanted, struct err *err)
{
	struct buf names = {0};

	list_types(tables, SIZE_MAX, &names);
	err_set(err, ERR_INPUT, "%s: has no event '%s'", path, wanted);
	err_note(err, "its events are: %s", buf_text(&names));
	buf_release(&names);
	return -1;
}

/* tables->ntypes: there is none. */
static size_t
find_type(const struct pprof_tables *tables, const char *name)
{
	size_t i = 0;

	while (i < tables->ntypes && !type_is(tables, i, name))
		i++;
	return i;
}

int
pprof_type_choose(const struct pprof_tables *tables, const char *path, const char *wanted,
	size_t *type, struct err *err)
{
	if (tables->ntypes == 0)
		return err_set(err, ERR_INPUT, "%s: has no types of values", path);
	if (wanted) {
		*type = find_type(tables, wanted);
		return *type < tables->ntypes ? 0 : refuse_type(tables, path, wanted, err);
	}
	*type = tables->ntypes - 1;
	for (size_t i = 0; tables->default_type && i < tables->ntypes; i++)
		if (tables->types[i].name == tables->default_type)
			*type = i;
	const size_t samples = find_type(tables, "samples");

	if (samples < tables->ntypes && type_is(tables, *type, "cpu"))
		*type = samples;
	return 0;
}

const struct unit *
pprof_type_unit(const struct pprof_tables *tables, const struct pprof_type *type)
{
	const struct pprof_text unit = pprof_text(tables, type->unit);

	return unit_find(unit.at, unit.len);
}

void
pprof_types_warn(const struct pprof_tables *tables, const char *path, size_t type)
{
	const bool same = tables->ntypes == 2 && type_is(tables, type, "samples") &&
			  find_type(tables, "cpu") < tables->ntypes;
	struct buf read = {0};
	struct buf others = {0};

	if (tables->ntypes < 2 || same)
		return;
	pprof_type_list(tables, type, &read);
	list_types(tables, type, &others);
	log_warn("%s: the values of %s are read; --event takes others: %s", path, buf_text(&read),
		buf_text(&others));
	buf_release(&others);
	buf_release(&read);
}
