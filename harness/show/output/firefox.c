/*
 * Writes a profile in the processed format of the Firefox Profiler.
 */
#include "output/exported.h"

#include "base/mem.h"
#include "profile/weights.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_MS 1000000
#define GECKO_VERSION 27
#define FORMAT_VERSION 60

/* By frame_kind, behind the one that the format needs for what has none. */
static const struct {
	const char *name;
	const char *colour;
} categories[] = {
	{"Other", "grey"},
	{"Program", "orange"},
	{"Kernel", "purple"},
	{"Inlined", "lightblue"},
	{"JIT", "green"},
	{"Waiting", "transparent"},
};

/* Appends ns in a unit of so many of them, 1e3 or 1e6, exactly. */
static void
put_ns(struct buf *out, uint64_t ns, uint64_t unit_ns)
{
	uint64_t rest = ns % unit_ns;
	uint64_t whole = ns / unit_ns;

	buf_put_number(out, (double)whole);
	if (rest == 0)
		return;
	buf_putc(out, '.');
	do {
		unit_ns /= 10;
		buf_putc(out, (char)('0' + rest / unit_ns));
		rest %= unit_ns;
	} while (rest != 0);
}

static unsigned
category_of(enum frame_kind kind)
{
	return 1 + (unsigned)kind;
}

#define CATEGORY_WAITING category_of(FRAME_WAIT)

struct writer {
	const struct profile *profile;
	const struct sample_times *times;
	struct buf *out;
	bool of_times;     /* weights are ns */
	uint32_t *sources; /* by file's str_id: its line of the sources plus 1; 0: none yet */
};

/* Appends `"key":[` and the same item `count` times, and `]`. */
static void
put_same(struct buf *out, const char *key, const char *item, size_t count)
{
	buf_printf(out, "\"%s\":[", key);
	for (size_t i = 0; i < count; i++)
		buf_printf(out, "%s%s", i > 0 ? "," : "", item);
	buf_puts(out, "],\n");
}

/* Appends `"key":[` and put(i) for each frame of a function, and `],`. */
static void
put_frames(const struct writer *writer, const char *key,
	void (*put)(const struct writer *writer, frame_id frame))
{
	buf_printf(writer->out, "\"%s\":[", key);
	for (frame_id frame = 1; frame < writer->profile->frames.nframes; frame++) {
		if (frame > 1)
			buf_putc(writer->out, ',');
		put(writer, frame);
	}
	buf_puts(writer->out, "],\n");
}

static void
put_index(const struct writer *writer, frame_id frame)
{
	buf_put_number(writer->out, frame - 1);
}

static void
put_category(const struct writer *writer, frame_id frame)
{
	buf_put_number(writer->out, category_of(writer->profile->frames.frames[frame].kind));
}

static void
put_line(const struct writer *writer, frame_id frame)
{
	const struct frame *f = &writer->profile->frames.frames[frame];

	if (f->line > 0)
		buf_put_number(writer->out, f->line);
	else
		buf_puts(writer->out, "null");
}

static void
put_inline_depth(const struct writer *writer, frame_id frame)
{
	(void)frame;
	buf_putc(writer->out, '0');
}

static void
put_source(const struct writer *writer, frame_id frame)
{
	const uint32_t source = writer->sources[writer->profile->frames.frames[frame].file];

	if (source > 0)
		buf_put_number(writer->out, source - 1);
	else
		buf_puts(writer->out, "null");
}

/* Texts are the profile's, by str_id; then what is needed beside them. */
static size_t
text_wait(const struct writer *writer)
{
	return writer->profile->strings.nentries;
}

static void
put_name(const struct writer *writer, frame_id frame)
{
	buf_put_number(writer->out, writer->profile->frames.frames[frame].name);
}

static void
put_texts(const struct writer *writer)
{
	const struct strtab *strings = &writer->profile->strings;

	buf_puts(writer->out, "\"stringArray\":[");
	for (str_id id = 0; id < strings->nentries; id++) {
		exported_put_text(writer->out, strtab_str(strings, id), strtab_len(strings, id));
		buf_puts(writer->out, ",\n");
	}
	buf_puts(writer->out, "\"wait\"],\n");
}

/* The files of functions, each once. */
static void
put_sources(struct writer *writer)
{
	const struct profile *profile = writer->profile;
	uint32_t count = 0;

	writer->sources = mem_zalloc(profile->strings.nentries + 1, sizeof(*writer->sources));
	buf_puts(writer->out, "\"sources\":{\"filename\":[");
	for (frame_id frame = 1; frame < profile->frames.nframes; frame++) {
		const str_id file = profile->frames.frames[frame].file;

		if (file == 0 || writer->sources[file] > 0)
			continue;
		buf_printf(writer->out, "%s%u", count > 0 ? "," : "", (unsigned)file);
		writer->sources[file] = ++count;
	}
	buf_puts(writer->out, "],\n");
	put_same(writer->out, "uuid", "null", count);
	buf_printf(writer->out, "\"length\":%u},\n", (unsigned)count);
}

/* Node n of the tree is stack n - 1. */
static void
put_stacks(const struct writer *writer)
{
	const struct ctree *tree = &writer->profile->tree;

	buf_puts(writer->out, "\"stackTable\":{\"frame\":[");
	for (size_t node = 1; node < tree->nnodes; node++)
		buf_printf(writer->out, "%s%u", node > 1 ? "," : "",
			(unsigned)tree->nodes[node].frame - 1);
	buf_puts(writer->out, "],\n\"prefix\":[");
	for (size_t node = 1; node < tree->nnodes; node++) {
		const node_id parent = tree->nodes[node].parent;

		buf_puts(writer->out, node > 1 ? "," : "");
		if (parent == CTREE_ROOT)
			buf_puts(writer->out, "null");
		else
			buf_put_number(writer->out, parent - 1);
	}
	buf_printf(writer->out, "],\n\"length\":%zu},\n", tree->nnodes - 1);
}

static void
put_shared(struct writer *writer)
{
	const size_t count = writer->profile->frames.nframes - 1;
	struct buf *out = writer->out;

	buf_puts(out, "\"shared\":{\n");
	put_texts(writer);
	put_sources(writer);
	put_stacks(writer);
	buf_puts(out, "\"frameTable\":{\n");
	put_same(out, "address", "-1", count);
	put_frames(writer, "inlineDepth", put_inline_depth);
	put_frames(writer, "category", put_category);
	put_same(out, "subcategory", "0", count);
	put_frames(writer, "func", put_index);
	put_same(out, "nativeSymbol", "null", count);
	put_same(out, "innerWindowID", "null", count);
	put_frames(writer, "line", put_line);
	put_same(out, "column", "null", count);
	buf_printf(out, "\"length\":%zu},\n\"funcTable\":{\n", count);
	put_frames(writer, "name", put_name);
	put_same(out, "isJS", "false", count);
	put_same(out, "relevantForJS", "false", count);
	put_same(out, "resource", "-1", count);
	put_frames(writer, "source", put_source);
	put_frames(writer, "lineNumber", put_line);
	put_same(out, "columnNumber", "null", count);
	buf_printf(out,
		"\"length\":%zu},\n"
		"\"resourceTable\":{\"lib\":[],\"name\":[],\"host\":[],\"type\":[],\"length\":0},\n"
		"\"nativeSymbols\":{\"libIndex\":[],\"address\":[],\"name\":[],\"functionSize\":[],"
		"\"length\":0}},\n",
		count);
}

static void
put_meta(const struct writer *writer)
{
	const struct profile *profile = writer->profile;
	const str_id title = profile->workload ? profile->workload : profile->command;
	struct buf *out = writer->out;

	buf_puts(out, "{\"meta\":{\"interval\":");
	put_ns(out, sample_times_interval_ns(writer->times, profile), NS_PER_MS);
	buf_printf(out, ",\"startTime\":%" PRId64 ",\"processType\":0,",
		profile->started * INT64_C(1000));
	exported_put_field(out, "product", strtab_str(&profile->strings, title),
		strtab_len(&profile->strings, title));
	buf_printf(out,
		",\"stackwalk\":1,\"debug\":false,\"version\":%d,\"preprocessedProfileVersion\":%d,\n"
		"\"symbolicated\":true,\"importedFrom\":\"profile_run " PROFILE_RUN_VERSION "\","
		"\"usesOnlyOneStackType\":true,\"sourceCodeIsNotOnSearchfox\":true,\n"
		"\"categories\":[",
		GECKO_VERSION, FORMAT_VERSION);
	for (size_t i = 0; i < sizeof(categories) / sizeof(categories[0]); i++)
		buf_printf(out,
			"%s{\"name\":\"%s\",\"color\":\"%s\",\"subcategories\":[\"Other\"]}",
			i > 0 ? ",\n" : "", categories[i].name, categories[i].colour);
	buf_puts(out,
		"],\n\"markerSchema\":[{\"name\":\"wait\",\"tooltipLabel\":\"{marker.data.reason}\","
		"\"tableLabel\":\"{marker.data.reason} in {marker.data.function}\","
		"\"chartLabel\":\"{marker.data.reason}\","
		"\"display\":[\"marker-chart\",\"marker-table\"],\"fields\":["
		"{\"key\":\"reason\",\"label\":\"Waits for\",\"format\":\"string\"},"
		"{\"key\":\"function\",\"label\":\"Function\",\"format\":\"string\"}]}]},\n"
		"\"libs\":[],\n");
}

static void
put_samples(const struct writer *writer, size_t thread)
{
	struct buf *out = writer->out;
	struct buf times = {0};
	struct buf weights = {0};
	uint64_t last_ns = 0;
	size_t count = 0;

	buf_puts(out, "\"samples\":{\"stack\":[");
	for (const struct timed_sample *sample = sample_times_first(writer->times, thread); sample;
		sample = sample_times_after(writer->times, sample), count++) {
		const uint64_t ns = writer->of_times ? sample->begin_ns : sample->end_ns;
		const char *comma = count > 0 ? "," : "";

		/* They must not go back. */
		last_ns = ns > last_ns ? ns : last_ns;
		buf_puts(out, comma);
		if (sample->node == CTREE_ROOT)
			buf_puts(out, "null");
		else
			buf_put_number(out, sample->node - 1);
		buf_puts(&times, comma);
		put_ns(&times, last_ns, NS_PER_MS);
		buf_puts(&weights, comma);
		if (writer->of_times)
			put_ns(&weights, (uint64_t)sample->weight, NS_PER_MS);
		else
			buf_put_number(&weights, sample->weight);
	}
	buf_printf(out, "],\n\"time\":[%s],\n\"weight\":[%s],\n", buf_text(&times),
		buf_text(&weights));
	buf_printf(out, "\"weightType\":\"%s\",\"length\":%zu},\n",
		writer->of_times ? "tracing-ms" : "samples", count);
	buf_release(&times);
	buf_release(&weights);
}

/* The frame that a wait stands on, and the function that waited. */
static void
put_wait(const struct writer *writer, const struct timed_sample *sample, struct buf *out)
{
	const struct profile *profile = writer->profile;
	const struct ctree_node *node = &profile->tree.nodes[sample->node];
	const frame_id reason = node->frame;
	const frame_id function =
		node->parent < profile->tree.nnodes ? profile->tree.nodes[node->parent].frame : 0;
	const char *name = profile_frame_name(profile, reason);

	buf_puts(out, "{\"type\":\"wait\",");
	exported_put_field(out, "reason", name, strlen(name));
	name = profile_frame_name(profile, function);
	buf_putc(out, ',');
	exported_put_field(out, "function", name, strlen(name));
	buf_printf(out, ",\"cause\":{\"stack\":%u}}", (unsigned)sample->node - 1);
}

static void
put_markers(const struct writer *writer, size_t thread)
{
	struct buf *out = writer->out;
	struct buf begins = {0};
	struct buf ends = {0};
	struct buf item = {0};
	size_t count = 0;

	buf_puts(out, "\"markers\":{\"data\":[");
	for (const struct timed_sample *sample = sample_times_first(writer->times, thread);
		sample && exported_fits(out); sample = sample_times_after(writer->times, sample)) {
		const char *comma = count > 0 ? "," : "";

		if (!sample->waits)
			continue;
		buf_puts(out, count++ > 0 ? ",\n" : "");
		put_wait(writer, sample, out);
		buf_puts(&begins, comma);
		put_ns(&begins, sample->begin_ns, NS_PER_MS);
		buf_puts(&ends, comma);
		put_ns(&ends, sample->end_ns, NS_PER_MS);
	}
	buf_printf(out, "],\n\"startTime\":[%s],\n\"endTime\":[%s],\n", buf_text(&begins),
		buf_text(&ends));
	put_same(out, "phase", "1", count);
	buf_printf(&item, "%u", CATEGORY_WAITING);
	put_same(out, "category", buf_text(&item), count);
	buf_clear(&item);
	buf_printf(&item, "%zu", text_wait(writer));
	put_same(out, "name", buf_text(&item), count);
	buf_printf(out, "\"length\":%zu}", count);
	buf_release(&begins);
	buf_release(&ends);
	buf_release(&item);
}

static void
put_thread(const struct writer *writer, size_t i)
{
	const struct timed_thread *thread = &writer->times->threads[i];
	const struct strtab *names = &writer->times->names;
	struct buf *out = writer->out;

	buf_puts(out, i > 0 ? ",\n{" : "\n{");
	exported_put_field(
		out, "name", strtab_str(names, thread->name), strtab_len(names, thread->name));
	buf_printf(out,
		",\"pid\":\"%u\",\"tid\":%u,\"isMainThread\":%s,\"processType\":\"default\","
		"\"processStartupTime\":0,\"processShutdownTime\":null,\"registerTime\":0,"
		"\"unregisterTime\":null,\"pausedRanges\":[],\n",
		(unsigned)thread->pid, (unsigned)thread->tid,
		thread->pid == thread->tid ? "true" : "false");
	put_samples(writer, i);
	put_markers(writer, i);
	buf_putc(out, '}');
}

bool
firefox_put(const struct profile *profile, const struct sample_times *times, struct buf *out)
{
	struct writer writer = {
		.profile = profile,
		.times = times,
		.out = out,
		.of_times = weights_are_times(profile),
	};

	put_meta(&writer);
	put_shared(&writer);
	buf_puts(out, "\"threads\":[");
	for (size_t i = 0; i < sample_times_nthreads(times); i++)
		put_thread(&writer, i);
	buf_puts(out, "]}\n");
	free(writer.sources);
	return exported_fits(out);
}
