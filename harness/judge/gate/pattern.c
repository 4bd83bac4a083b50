#include "gate/pattern.h"

#include "base/escape.h"
#include "base/mem.h"
#include "base/text.h"
#include "profile/canonical.h"
#include "profile/weights.h"

#include <stdlib.h>
#include <string.h>

/* Whether a name in folded text is another one: with a suffix, or escaped. */
static bool
is_folded_otherwise(const char *name, enum frame_kind kind)
{
	if (*frame_kind_suffix(kind))
		return true;
	for (; *name; name++)
		if (*name == ';' || (unsigned char)*name < ' ' || (unsigned char)*name > '~')
			return true;
	return false;
}

/* With the suffix of its kind or without. */
static bool
matches_name(const char *pattern, const char *name, enum frame_kind kind)
{
	struct buf with_suffix = {0};
	bool matched = text_matches(name, pattern);

	if (matched || !is_folded_otherwise(name, kind))
		return matched;
	escape_folded(&with_suffix, name, strlen(name));
	buf_puts(&with_suffix, frame_kind_suffix(kind));
	matched = text_matches(buf_text(&with_suffix), pattern);
	buf_release(&with_suffix);
	return matched;
}

static bool
matches_function(const char *pattern, const struct profile *profile, frame_id frame)
{
	const struct frame *f = &profile->frames.frames[frame];
	const char *name = profile_frame_name(profile, frame);
	struct buf canonical = {0};

	if (strcmp(pattern, "[unknown]") == 0)
		return frame_name_is_unknown(name);
	if (frame_name_is_mark(name))
		return strcmp(pattern, name) == 0;
	if (matches_name(pattern, name, f->kind) ||
		(f->full && matches_name(pattern, strtab_str(&profile->strings, f->full), f->kind)))
		return true;
	bool matched = canonical_name(pattern, strlen(pattern), &canonical) &&
		       strcmp(buf_text(&canonical), name) == 0;

	buf_release(&canonical);
	return matched;
}

static bool
matches_path(const char *pattern, const char *path)
{
	const char *slash = strrchr(path, '/');

	return text_matches(path, pattern) || (slash && text_matches(slash + 1, pattern));
}

/* Code without a name is called after its file: "[libc.so.6]". */
static bool
matches_nameless(const char *pattern, const char *name)
{
	size_t len = strlen(name);
	struct buf module = {0};

	if (!frame_name_is_unknown(name) || strcmp(name, "[unknown]") == 0 || len < 3)
		return false;
	buf_put(&module, name + 1, len - 2);
	bool matched = strcmp(pattern, name) == 0 || matches_path(pattern, buf_text(&module));

	buf_release(&module);
	return matched;
}

static bool
matches_module(const char *pattern, const struct profile *profile, frame_id frame)
{
	const struct frame *f = &profile->frames.frames[frame];
	const char *name = profile_frame_name(profile, frame);
	const char *module = strtab_str(&profile->strings, f->module);

	if (frame_name_is_mark(name))
		return false;
	if (strcmp(pattern, "[kernel]") == 0)
		return f->kind == FRAME_KERNEL || strncmp(module, "[kernel", 7) == 0;
	return module[0] ? matches_path(pattern, module) : matches_nameless(pattern, name);
}

/* In a profile of system calls the kernel's frames are these, and nothing else. */
static bool
matches_call(const char *pattern, const struct profile *profile, frame_id frame)
{
	return profile->frames.frames[frame].kind == FRAME_KERNEL &&
	       weights_are_syscalls(profile) &&
	       text_matches(profile_frame_name(profile, frame), pattern);
}

bool
pattern_matches(
	enum rule_kind kind, const char *pattern, const struct profile *profile, frame_id frame)
{
	switch (kind) {
	case RULE_MODULE:
		return matches_module(pattern, profile, frame);
	case RULE_FUNCTION:
	case RULE_SUBTREE:
	case RULE_EACH:
		return matches_function(pattern, profile, frame);
	case RULE_CALL:
		return matches_call(pattern, profile, frame);
	case RULE_TOTAL:
	case RULE_KINDS:
	case RULE_COUNTER:
		break;
	}
	return false;
}

const char *
pattern_prefix(enum rule_kind kind)
{
	switch (kind) {
	case RULE_SUBTREE:
		return "subtree ";
	case RULE_MODULE:
		return "module ";
	case RULE_CALL:
		return "call ";
	case RULE_FUNCTION:
	case RULE_EACH:
	case RULE_TOTAL:
	case RULE_KINDS:
	case RULE_COUNTER:
		break;
	}
	return "";
}

enum quantity
group_quantity(const struct gate_rule_spec *spec)
{
	return spec->kind == RULE_SUBTREE ? QUANTITY_TOTAL : spec->of;
}

bool *
group_members(const struct comparison *comparison, const struct gate_rule_spec *spec)
{
	bool *member = mem_zalloc(comparison->nframes, sizeof(*member));

	for (frame_id frame = 1; frame < comparison->nframes; frame++)
		member[frame] =
			pattern_matches(spec->kind, spec->pattern, &comparison->profile, frame);
	return member;
}
