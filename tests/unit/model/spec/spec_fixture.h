/*
 * What the tests of spec/ share: their own folder with files in it.
 */
#ifndef SPEC_FIXTURE_H
#define SPEC_FIXTURE_H

#include "base/err.h"
#include "base/file.h"
#include "spec/sections_internal.h"
#include "spec/workload.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

struct spec_fixture {
	char dir[32];
	char path[128]; /* of the file last written */
	struct config config;
	struct workload workload;
	struct err err;
};

static inline void
spec_fixture_init(struct spec_fixture *f)
{
	*f = (struct spec_fixture){.dir = "/tmp/spec-test-XXXXXX"};
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(f->dir));
	config_init(&f->config);
}

static inline void
spec_fixture_release(struct spec_fixture *f)
{
	file_remove_tree(f->dir, &f->err);
	config_release(&f->config);
}

static inline const char *
spec_fixture_write(struct spec_fixture *f, const char *name, const char *text)
{
	snprintf(f->path, sizeof(f->path), "%s/%s", f->dir, name);
	CU_ASSERT_EQUAL_FATAL(file_write(f->path, text, strlen(text), &f->err), 0);
	return f->path;
}

/* Reads `text` as a workload into f->workload. */
static inline int
spec_fixture_workload(struct spec_fixture *f, const char *text)
{
	return workload_read(
		&f->workload, spec_fixture_write(f, "w.yaml", text), &f->config, &f->err);
}

/* Reads a workload whose section `gate` is `gate`. */
static inline int
spec_fixture_gate(struct spec_fixture *f, const char *gate)
{
	char text[2048];

	snprintf(text, sizeof(text), "name: a\nrun: x\n%s", gate);
	return spec_fixture_workload(f, text);
}

/* Expects an error with this message in the section `gate`, which is at line 3. */
static inline void
spec_fixture_refuses_gate(const char *gate, const char *message)
{
	struct spec_fixture f;

	spec_fixture_init(&f);
	int result = spec_fixture_gate(&f, gate);

	CU_ASSERT_EQUAL(result, -1);
	UNIT_CONTAINS(f.err.text, "w.yaml:3:");
	UNIT_CONTAINS(f.err.text, message);
	if (result == 0)
		workload_release(&f.workload);
	spec_fixture_release(&f);
}

/* The bit of a gate's field in gate_overlay.set; `in` is its section or NULL. */
static inline uint64_t
gate_bit(const char *in, const char *name)
{
	for (size_t i = 0; gate_fields[i].name; i++) {
		if (strcmp(gate_fields[i].name, name) == 0 &&
			strcmp(gate_fields[i].in ? gate_fields[i].in : "", in ? in : "") == 0)
			return UINT64_C(1) << i;
	}
	CU_FAIL("no such field");
	return 0;
}

#endif
