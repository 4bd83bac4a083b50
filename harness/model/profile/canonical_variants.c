#include "profile/canonical.h"
#include "profile/cpu_variant.h"

#include <string.h>

/* What a frame's name says of the CPU; its whole name where only its file tells. */
static bool
find_mark(const struct variant_names *chosen, const char *text, size_t len, const char *name,
	struct cpu_variant *variant)
{
	const char *function = variant_names_find(chosen, text, len);
	struct buf canonical = {0};
	bool is;

	if (function) {
		*variant = (struct cpu_variant){.mark_len = len};
		return strcmp(function, name) == 0;
	}
	is = cpu_variant_of_library(text, len, variant);
	if (is) {
		canonical_name(text, len, &canonical);
		is = strcmp(buf_text(&canonical), name) == 0;
	}
	buf_release(&canonical);
	return is;
}

void
canonical_put_variants(const struct profile *profile, const char *name, struct buf *out)
{
	const size_t begin = out->len;
	struct variant_names chosen = {0};

	variant_names_add(&chosen, profile);

	for (frame_id frame = 1; frame < profile->frames.nframes; frame++) {
		const char *text = profile_frame_name(profile, frame);
		const size_t len = strlen(text);
		struct cpu_variant variant;

		if (profile->frames.frames[frame].kind != FRAME_USER ||
			!find_mark(&chosen, text, len, name, &variant))
			continue;
		buf_puts(out, out->len > begin ? ", " : "");
		buf_put(out, text + variant.mark_start, variant.mark_len);
	}
	variant_names_release(&chosen);
}
