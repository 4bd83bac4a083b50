/*
 * The colours of boxes in a plain flame graph, by kind of code, by module or in one hue, and
 * the entries of its legend. The colours of a differential one are those that change.c has a
 * class for. assets/colours.css defines both.
 */
#include "flamegraph/plain_palette.h"

#include "base/file.h"
#include "base/mem.h"
#include "format/name_fit.h"

#include <stdlib.h>
#include <string.h>

#define MODULE_COLUMNS 40

/* Kinds, in the order of the legend. */
enum kind {
	KIND_USER,
	KIND_LIBRARY,
	KIND_INLINED,
	KIND_JIT,
	KIND_PYTHON,
	KIND_KERNEL,
	KIND_WAIT,
	KIND_UNKNOWN,
	KIND_MARK,
	KIND_COUNT,
};

/* In the colours of a differential picture: calm where all is well, and warm where it is not. */
static const struct flamegraph_hue coverage_hues[COVERAGE_STATES] = {
	[COVERAGE_REACHED] = {"reached", 0, 's', '1'},
	[COVERAGE_OTHER_CALLERS] = {"reached from other callers", 0, 'g', '2'},
	[COVERAGE_NOT_REACHED] = {"not reached", 0, 'g', '4'},
	[COVERAGE_NO_NAME] = {"no name known", 0, 'x', '2'},
};

static const struct flamegraph_hue kinds[KIND_COUNT] = {
	[KIND_USER] = {"program", 0, 'u', 0},
	[KIND_LIBRARY] = {"shared library", 0, 'l', 0},
	[KIND_INLINED] = {"inlined", 0, 'i', 0},
	[KIND_JIT] = {"just-in-time compiled", 0, 'j', 0},
	[KIND_PYTHON] = {"Python", 0, 'a', 0},
	[KIND_KERNEL] = {"kernel", 0, 'k', 0},
	[KIND_WAIT] = {"waiting", 0, 'w', 0},
	[KIND_UNKNOWN] = {"no name known", 0, 'x', 0},
	[KIND_MARK] = {"incomplete stacks", 0, 'z', 0},
};

/* As CPython names its functions for perf (-X perf). */
static bool
is_python(const char *name)
{
	return strncmp(name, "py::", 4) == 0;
}

static enum kind
kind_of(const struct profile *profile, frame_id frame)
{
	const struct frame *f = &profile->frames.frames[frame];
	const char *module = strtab_str(&profile->strings, f->module);

	if (frame == 0 || frame_name_is_mark(profile_frame_name(profile, frame)))
		return KIND_MARK;
	if (frame_name_is_unknown(profile_frame_name(profile, frame)))
		return KIND_UNKNOWN;
	switch (f->kind) {
	case FRAME_KERNEL:
		return KIND_KERNEL;
	case FRAME_INLINED:
		return KIND_INLINED;
	case FRAME_JIT:
		return is_python(profile_frame_name(profile, frame)) ? KIND_PYTHON : KIND_JIT;
	case FRAME_WAIT:
		return KIND_WAIT;
	case FRAME_USER:
		break;
	}
	const char *so = strstr(module, ".so");

	return so && (so[3] == '\0' || so[3] == '.') ? KIND_LIBRARY : KIND_USER;
}

/* FNV-1a, whose lowest bits are the poorest. */
static unsigned
shade_of(const char *name, unsigned nshades)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return (hash >> 16) % nshades;
}

static bool
has_module_hue(const struct profile *profile, frame_id frame)
{
	enum kind kind = kind_of(profile, frame);

	return kind != KIND_KERNEL && kind != KIND_WAIT && kind != KIND_MARK &&
	       profile->frames.frames[frame].module != 0;
}

/* Self weights by module's name; free() it. */
static double *
weigh_modules(const struct profile *profile)
{
	const struct ctree *tree = &profile->tree;
	double *self = mem_zalloc(tree->nnodes, sizeof(*self));
	double *weights = mem_zalloc(profile->strings.nentries + 1, sizeof(*weights));

	ctree_sum(tree, 0, profile->nruns, self);
	for (node_id node = 1; node < tree->nnodes; node++) {
		frame_id frame = tree->nodes[node].frame;

		if (has_module_hue(profile, frame))
			weights[profile->frames.frames[frame].module] += self[node];
	}
	free(self);
	return weights;
}

/* The heaviest module that has no hue yet, of equal ones the first by name; 0 if none is left. */
static str_id
heaviest(const struct profile *profile, const double *weights)
{
	const struct strtab *strings = &profile->strings;
	str_id best = 0;

	for (str_id id = 1; id < strings->nentries; id++) {
		if (weights[id] > weights[best] ||
			(best > 0 && weights[id] == weights[best] &&
				strcmp(strtab_str(strings, id), strtab_str(strings, best)) < 0))
			best = id;
	}
	return best;
}

static char *
module_meaning(const char *module)
{
	const char *file = file_basename(module);
	struct buf fitted = {0};

	file = *file ? file : module;
	name_fit(&fitted, file, strlen(file), MODULE_COLUMNS);
	char *meaning = mem_strdup(buf_text(&fitted));

	buf_release(&fitted);
	return meaning;
}

static void
add_hue(struct flamegraph_palette *palette, const struct flamegraph_hue *hue)
{
	palette->hues[palette->nhues++] = *hue;
}

static void
add_modules(struct flamegraph_palette *palette)
{
	static const char letters[] = "ulijac";
	double *weights = weigh_modules(palette->profile);

	for (size_t i = 0; letters[i]; i++) {
		str_id module = heaviest(palette->profile, weights);

		if (module == 0)
			break;
		weights[module] = 0;
		palette->meanings[i] =
			module_meaning(strtab_str(&palette->profile->strings, module));
		add_hue(palette,
			&(struct flamegraph_hue){palette->meanings[i], module, letters[i], 0});
	}
	free(weights);
	add_hue(palette, &kinds[KIND_KERNEL]);
	add_hue(palette, &kinds[KIND_WAIT]);
	add_hue(palette, &(struct flamegraph_hue){"other or unknown module", 0, 'x', 0});
}

void
flamegraph_palette_init(struct flamegraph_palette *palette, const struct profile *profile,
	const struct flamegraph_options *options)
{
	*palette = (struct flamegraph_palette){
		.profile = profile, .colours = options->colours, .states = options->states};
	switch (options->colours) {
	case FLAMEGRAPH_BY_KIND:
		for (int kind = 0; kind < KIND_MARK; kind++)
			add_hue(palette, &kinds[kind]);
		break;
	case FLAMEGRAPH_BY_MODULE:
		add_modules(palette);
		break;
	case FLAMEGRAPH_HOT:
		add_hue(palette, &(struct flamegraph_hue){NULL, 0, 'h', 0});
		break;
	case FLAMEGRAPH_MONO:
		add_hue(palette, &(struct flamegraph_hue){NULL, 0, 'x', 0});
		break;
	case FLAMEGRAPH_BY_COVERAGE:
		for (int state = 0; state < COVERAGE_STATES; state++)
			add_hue(palette, &coverage_hues[state]);
		break;
	}
	/* The last of all palettes. */
	add_hue(palette, &kinds[KIND_MARK]);
}

void
flamegraph_palette_release(struct flamegraph_palette *palette)
{
	for (size_t i = 0; i < FLAMEGRAPH_HUES_MAX; i++)
		free(palette->meanings[i]);
	*palette = (struct flamegraph_palette){0};
}

/* The hue of a frame by module; the last hue but that of marks where its module has none. */
static size_t
hue_of_module(const struct flamegraph_palette *palette, frame_id frame)
{
	str_id module = palette->profile->frames.frames[frame].module;
	enum kind kind = kind_of(palette->profile, frame);
	bool is_own = kind == KIND_KERNEL || kind == KIND_WAIT;

	for (size_t i = 0; i < palette->nhues; i++) {
		const struct flamegraph_hue *hue = &palette->hues[i];

		if (is_own ? hue->letter == kinds[kind].letter
			   : module != 0 && hue->module == module)
			return i;
	}
	return palette->nhues - 2;
}

size_t
flamegraph_palette_hue(const struct flamegraph_palette *palette, frame_id frame)
{
	enum kind kind = kind_of(palette->profile, frame);

	if (kind == KIND_MARK)
		return palette->nhues - 1;
	switch (palette->colours) {
	case FLAMEGRAPH_BY_KIND:
		return kind;
	case FLAMEGRAPH_BY_MODULE:
		return hue_of_module(palette, frame);
	case FLAMEGRAPH_BY_COVERAGE:
		return palette->states[frame];
	case FLAMEGRAPH_HOT:
	case FLAMEGRAPH_MONO:
		break;
	}
	return 0;
}

void
flamegraph_hue_class(const struct flamegraph_hue *hue, char class[3])
{
	class[0] = hue->letter;
	class[1] = hue->shade;
	if (!hue->shade && hue->letter != kinds[KIND_MARK].letter)
		class[1] = '2';
	class[2] = '\0';
}

void
flamegraph_palette_class(const struct flamegraph_palette *palette, frame_id frame, char class[3])
{
	const struct flamegraph_hue *hue = &palette->hues[flamegraph_palette_hue(palette, frame)];
	const unsigned nshades = hue->letter == 'h' ? 10 : 5;

	flamegraph_hue_class(hue, class);
	if (class[1] && !hue->shade)
		class[1] = (char)('0' +
				  shade_of(profile_frame_name(palette->profile, frame), nshades));
}
