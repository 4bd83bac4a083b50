#include "ingest/text_format.h"

#include "base/log.h"

void suite_ingest_ingest_firefox(void);

#define META                                                                                 \
	"{\"meta\":{\"preprocessedProfileVersion\":60,\"categories\":[{\"name\":\"Other\"}," \
	"{\"name\":\"Idle\"},{\"name\":\"Kernel\"},{\"name\":\"JIT\"}]}"
/* main calls parse, into which skip is inlined, read of the kernel, and wait. */
#define TEXTS \
	"\"stringArray\":[\"main\",\"parse\",\"skip\",\"read\",\"wait\",\"0x1f0\",\"libz.so\"]"
#define FUNCS                                                            \
	"\"funcTable\":{\"name\":[0,1,2,3,4,5],\"lineNumber\":[3,null]," \
	"\"resource\":[-1,-1,-1,-1,-1,0],\"length\":6},"                 \
	"\"resourceTable\":{\"name\":[6],\"length\":1}"
#define FRAMES                                                                  \
	"\"frameTable\":{\"func\":[0,1,2,3,4,5],\"inlineDepth\":[0,0,1,0,0,0]," \
	"\"category\":[0,null,null,2,1,0],\"length\":6}"
#define STACKS "\"stackTable\":{\"prefix\":[null,0,1,1,0,0],\"frame\":[0,1,2,3,4,5],\"length\":6}"
#define SAMPLES "\"samples\":{\"stack\":[1,2,2,3,4,null,5],\"time\":[1,2,3,4,5,6,7],\"length\":7}"
#define FOLDED                                     \
	"app;main;[libz.so] 1\napp;main;parse 1\n" \
	"app;main;parse;read_[k] 1\napp;main;parse;skip_[i] 2\n"

static void
tables_are_shared_or_a_threads_own(void)
{
	text_format_reads(&ingest_firefox,
		META ",\"shared\":{" TEXTS "," FUNCS "," FRAMES "," STACKS "},"
		     "\"threads\":[{\"name\":\"app\"," SAMPLES "}]}",
		"samples", FOLDED);
	/* Texts are shared, tables are not. */
	text_format_reads(&ingest_firefox,
		META ",\"threads\":[{\"name\":\"app\"," SAMPLES "," STACKS "," FRAMES "," FUNCS
		     "}],\"shared\":{" TEXTS "}}",
		"samples", FOLDED);
	/* In any order, the meta last. */
	text_format_reads(&ingest_firefox,
		"{\"threads\":[{" SAMPLES "," STACKS "," FRAMES "," FUNCS "," TEXTS
		",\"processName\":\"app\"}],\"meta\":{\"preprocessedProfileVersion\":4,"
		"\"categories\":[{\"name\":\"Other\"},{\"name\":\"Idle\"},{\"name\":\"Kernel\"}]}}",
		"samples", FOLDED);
	/* Two threads of the same stacks. */
	text_format_reads(&ingest_firefox,
		META ",\"shared\":{" TEXTS "," FUNCS "," FRAMES "," STACKS "},"
		     "\"threads\":[{\"name\":\"a\",\"samples\":{\"stack\":[1]}},"
		     "{\"name\":\"b\",\"samples\":{\"stack\":[1,0]}}]}",
		"samples", "a;main;parse 1\nb;main 1\nb;main;parse 1\n");
}

static void
prefixes_may_be_offsets_and_frames_have_libraries(void)
{
	text_format_reads(&ingest_firefox,
		META ",\"libs\":[{\"arch\":\"\",\"name\":\"libz.so\"}],\"shared\":{" TEXTS ","
		     "\"funcTable\":{\"name\":[0,5,1]},"
		     "\"frameTable\":{\"func\":[0,1,2],\"lib\":[-1,0,-1]},"
		     "\"stackTable\":{\"prefixOffset\":[0,1,2],\"frame\":[0,1,2]}},"
		     "\"threads\":[{\"name\":\"app\",\"samples\":{\"stack\":[1,2,2]}}]}",
		"samples", "app;main;[libz.so] 1\napp;main;parse 2\n");
	/* One with brackets of its own. */
	text_format_reads(&ingest_firefox,
		META ",\"libs\":[{\"name\":\"[kernel.kallsyms]\"}],\"shared\":{" TEXTS ","
		     "\"funcTable\":{\"name\":[5]},\"frameTable\":{\"func\":[0],\"lib\":[0],"
		     "\"category\":[2]},\"stackTable\":{\"prefixOffset\":[0],\"frame\":[0]}},"
		     "\"threads\":[{\"name\":\"app\",\"samples\":{\"stack\":[0]}}]}",
		"samples", "app;[kernel.kallsyms]_[k] 1\n");
}

/* Also where texts with escapes follow a name with one. */
static void
names_of_libraries_and_categories_may_have_escapes(void)
{
	text_format_reads(&ingest_firefox,
		"{\"meta\":{\"preprocessedProfileVersion\":60,\"categories\":["
		"{\"name\":\"Kern\\u0065l\",\"color\":\"a longer t\\u0065xt than that\"}]},"
		"\"libs\":[{\"name\":\"lib\\u007a.so\",\"path\":\"\\/usr\\/lib\\/others.so\"}],"
		"\"shared\":{" TEXTS ",\"funcTable\":{\"name\":[0,5]},"
		"\"frameTable\":{\"func\":[0,1],\"lib\":[-1,0],\"category\":[0,0]},"
		"\"stackTable\":{\"prefixOffset\":[0,1],\"frame\":[0,1]}},"
		"\"threads\":[{\"name\":\"app\",\"samples\":{\"stack\":[1]}}]}",
		"samples", "app;main_[k];[libz.so]_[k] 1\n");
}

static void
the_main_thread_of_a_process_has_its_name(void)
{
	text_format_reads(&ingest_firefox,
		META ",\"shared\":{" TEXTS "," FUNCS "," FRAMES "," STACKS "},\"threads\":["
		     "{\"name\":\"GeckoMain\",\"processName\":\"Web Content\","
		     "\"samples\":{\"stack\":[0]}},"
		     "{\"name\":\"GeckoMain\",\"samples\":{\"stack\":[0]}},"
		     "{\"name\":\"Compositor\",\"processName\":\"GPU\","
		     "\"samples\":{\"stack\":[0]}}]}",
		"samples", "Compositor;main 1\nGeckoMain;main 1\nWeb Content;main 1\n");
}

/* As Firefox itself and `perf script report gecko` write it. */
static void
raw_files_have_rows(void)
{
	text_format_reads(&ingest_firefox,
		"{\"meta\":{\"version\":24,\"markerSchema\":[],\"categories\":[{\"name\":\"User\"}]},"
		"\"threads\":[{\"name\":\"a\",\"samples\":{\"data\":[[0,1,0],[1,2],[null,3],[2,4]],"
		"\"schema\":{\"stack\":0,\"time\":1,\"responsiveness\":2}},"
		"\"frameTable\":{\"schema\":{\"location\":0,\"category\":5},"
		"\"data\":[[0,null,null,null,null,0],[1],[2]]},"
		"\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},"
		"\"data\":[[null,0],[0,1],[1,2]]},"
		"\"stringTable\":[\"main (in app)\",\"run (app.js:12:3)[4]\",\"0xffe0\"]}],"
		"\"processes\":[{\"meta\":{\"categories\":[]},\"threads\":[{\"name\":\"b\","
		"\"samples\":{\"schema\":{\"stack\":0,\"weight\":1},\"data\":[[0,7]]},"
		"\"frameTable\":{\"schema\":{\"location\":0},\"data\":[[0]]},"
		"\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,0]]},"
		"\"stringTable\":[\"idle\"]}]}]}",
		"samples", "a;main 1\na;main;run 1\na;main;run;[unknown] 1\nb;idle 7\n");
	/* A schema behind its rows, and rows that are there twice. */
	text_format_reads(&ingest_firefox,
		"{\"meta\":{\"markerSchema\":[]},\"threads\":[{\"name\":\"a\","
		"\"samples\":{\"schema\":{\"stack\":0},\"data\":[[0]],\"data\":[[0],[0]]},"
		"\"frameTable\":{\"data\":[[0]],\"schema\":{\"location\":0}},"
		"\"stackTable\":{\"data\":[[null,0]],\"schema\":{\"prefix\":0,\"frame\":1}},"
		"\"stringTable\":[\"main\"]}]}",
		"samples", "a;main 1\n");
}

static void
weights_may_be_times_or_bytes(void)
{
#define SHARED META ",\"shared\":{" TEXTS "," FUNCS "," FRAMES "," STACKS "},\"threads\":["
	text_format_reads(&ingest_firefox,
		SHARED "{\"samples\":{\"stack\":[0,1],\"weightType\":\"tracing-ms\","
		       "\"weight\":[0.000123,2.5]}}]}",
		"ns", "main 123\nmain;parse 2500000\n");
	text_format_reads(&ingest_firefox,
		SHARED
		"{\"samples\":{\"weight\":[64,0],\"weightType\":\"bytes\",\"stack\":[0,1]}}]}",
		"bytes", "main 64\n");
	/* Other weights are another thing. */
	text_format_reads(&ingest_firefox,
		SHARED "{\"samples\":{\"stack\":[0]}},{\"samples\":{\"stack\":[1],"
		       "\"weightType\":\"bytes\",\"weight\":[9]}}]}",
		"samples", "main 1\n");
}

static void
what_contradicts_itself_is_an_error(void)
{
	text_format_refuses(&ingest_firefox, META "}", "has no list \"threads\"");
	text_format_refuses(&ingest_firefox, META ",\"threads\":[", "x.json:1:");
	text_format_refuses(&ingest_firefox, SHARED "{\"samples\":{\"stack\":[6]}}]}",
		"threads[0].samples: row 0: the stackTable has no such stack");
	text_format_refuses(&ingest_firefox,
		SHARED "{\"samples\":{\"stack\":[0,0],\"weight\":[1]}}]}",
		"samples: row 1: its weight is no number of 0 or more");
	text_format_refuses(&ingest_firefox,
		SHARED "{\"samples\":{\"stack\":[0],\"weight\":[-1]}}]}", "its weight");
	/* A stack that would be its own caller. */
	text_format_refuses(&ingest_firefox,
		META ",\"shared\":{" TEXTS "," FUNCS "," FRAMES
		     ",\"stackTable\":{\"prefix\":[1,0],\"frame\":[0,1]}},"
		     "\"threads\":[{\"samples\":{\"stack\":[1]}}]}",
		"stackTable: row 0: it has no prefix that is ahead of it");
	text_format_refuses(&ingest_firefox,
		META ",\"shared\":{" TEXTS "," FUNCS "," FRAMES
		     ",\"stackTable\":{\"prefixOffset\":[1],\"frame\":[0]}},"
		     "\"threads\":[{\"samples\":{\"stack\":[0]}}]}",
		"stackTable: row 0: it has no prefix that is ahead of it");
	text_format_refuses(&ingest_firefox,
		META ",\"shared\":{" TEXTS "," FUNCS "," FRAMES
		     ",\"stackTable\":{\"prefix\":[null],\"frame\":[6]}},"
		     "\"threads\":[{\"samples\":{\"stack\":[0]}}]}",
		"stackTable: row 0: it has no frame of the frameTable");
	/* A function without a name is no error. */
	text_format_reads(&ingest_firefox,
		META ",\"threads\":[{\"samples\":{\"stack\":[0]},\"stackTable\":{\"prefix\":[null],"
		     "\"frame\":[0]},\"frameTable\":{\"func\":[7]}}]}",
		"samples", "[unknown] 1\n");
}

void
suite_ingest_ingest_firefox(void)
{
	static const struct unit_case cases[] = {
		{"tables_are_shared_or_a_threads_own", tables_are_shared_or_a_threads_own},
		{"prefixes_may_be_offsets_and_frames_have_libraries",
			prefixes_may_be_offsets_and_frames_have_libraries},
		{"names_of_libraries_and_categories_may_have_escapes",
			names_of_libraries_and_categories_may_have_escapes},
		{"the_main_thread_of_a_process_has_its_name",
			the_main_thread_of_a_process_has_its_name},
		{"raw_files_have_rows", raw_files_have_rows},
		{"weights_may_be_times_or_bytes", weights_may_be_times_or_bytes},
		{"what_contradicts_itself_is_an_error", what_contradicts_itself_is_an_error},
		{NULL, NULL},
	};

	log_set_level(LOG_ERROR);
	unit_suite("ingest/ingest_firefox", cases);
	log_set_level(LOG_INFO);
}
