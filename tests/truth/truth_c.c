/* The phases of the C program and their true stacks. */
#include "calls.h"
#include "truth.h"

/* Code of a stub may have the program's name in brackets, the called function's, or both. */
#define STUB "(;tiny|;[^;]*plt[^;]*|;\\[truth[^;]*\\])?"
#define FIB "(;fib)*"
#define HANDLER ";" LIBC_FRAME ";on_signal(;burn)?"
#define TIMER "(;setitimer|;__setitimer|;ask_for_signals(;[^;]+)*)"

const struct phase truth_phases[] = {
	{"plain", plain, NEEDS_NOTHING, "plain;plain_a;plain_b" SPEND},
	{"deep", deep, NEEDS_NOTHING, "deep(;deeper){60}" SPEND},
	{"mutual", mutual, NEEDS_NOTHING, "mutual(;even;odd)*(;even)?"},
	{"fibonacci", fibonacci, NEEDS_NOTHING, "fibonacci(;fib){0,20}"},
	{"pointers", pointers, NEEDS_NOTHING, "pointers(;through_(one|two)(;burn)?)?"},
	{"inlining", inlining, NEEDS_DEBUG_INFO,
		"inlining;inline_outer;inline_middle(;burn|;inline_leaf)"},
	{"ordinary", ordinary, NEEDS_DEBUG_INFO,
		"ordinary;ordinary_a;ordinary_b(;ordinary_c(;burn)?)?"},
	{"tail", tail, NEEDS_NOTHING, "(tail;)?(tail_a;)?(tail_b;)?spend(;burn)?"},
	{"sorting", sorting, NEEDS_DWARF,
		"sorting(;" LIBC_FRAME "|;[^;]*mem(move|cpy)[^;]*)*(;compare(;burn)?)?"},
	{"stub", stub, NEEDS_DWARF, "stub" STUB},
	{"system_call", system_call, NEEDS_DWARF,
		"system_call(;syscall|;" LIBC_FRAME "|;\\[truth[^;]*\\]|;[^;]*plt[^;]*)?"},
	{"clock_read", clock_read, NEEDS_DWARF,
		"clock_read(;[^;]*clock_gettime[^;]*|;\\[vdso\\]|;\\[truth[^;]*\\]|;[^;]*plt[^;]*)*"},
	{"alloca_frame", alloca_frame, NEEDS_NOTHING, "alloca_frame(;alloca_inner;touch(;burn)?)?"},
	{"large_frame", large_frame, NEEDS_NOTHING, "large_frame(;large_inner)?;touch(;burn)?"},
	{"realigned_frame", realigned_frame, NEEDS_NOTHING,
		"realigned_frame(;realigned_inner)?;touch(;burn)?"},
	{"many_arguments", many_arguments, NEEDS_NOTHING, "many_arguments(;ten(;burn)?)?"},
	{"noreturn_end", noreturn_end, NEEDS_NOTHING, "noreturn_end;ends_in_call;leaves" SPEND},
	{"cold_part", cold_part, NEEDS_NOTHING, "cold_part;has_cold_part(;unlikely_work(;burn)?)?"},
	{"jumping", jumping, NEEDS_NOTHING, "jumping;after_jump" SPEND},
	{"thread", thread, NEEDS_NOTHING,
		"^((" LIBC_FRAME ";){1,2}(thread_main;thread_step" SPEND
		"|_*(libc|res|rseq|nptl|pthread|free|advise_stack|madvise)[^;]*(;[^;]+)*)"
		"|([^;]+;)+main;thread(;_*pthread_[^;]*|;_*futex[^;]*|;" LIBC_FRAME ")*)"},
	{"signals", signals, NEEDS_DWARF, "signals(" FIB "|" TIMER ")(" HANDLER ")?"},
	{"alternate_stack", alternate_stack, NEEDS_MARK,
		"^(([^;]+;)*main;alternate_stack(" FIB "|" TIMER ")|"
		"\\[(broken|truncated)\\](;[^;]+)*" HANDLER ")"},
	{"forked", forked, NEEDS_NOTHING, "forked;child" SPEND},
	/*
	 * glibc's rows of __start_context begin where it is returned to, and say nothing of use.
	 * malloc() and memset() of the new stack are one call of calloc() for some compilers.
	 */
	{"coroutine", coroutine, NEEDS_DWARF,
		"^((\\[(broken|truncated)\\];)?" LIBC_FRAME
		";in_coroutine(;spend(;burn|;enough(;[^;]+)*)?)?"
		"|([^;]+;)+main;coroutine(;[^;]*(alloc|memset|context|plt)[^;]*|;" LIBC_FRAME
		"|;\\[truth[^;]*\\])*)"},
#ifndef TRUTH_STATIC
	{"loaded", loaded, NEEDS_NOTHING,
		"loaded;call_library(;library_entry;library_(work|other))?"},
#endif
#if defined(__x86_64__)
	{"assembly", assembly, NEEDS_DWARF,
		"assembly(;rows_(pushes|other_register|expression)|(;rows_remember){0,4}|"
		";rows_saved(;rows_pushes)?)(;rows_leaf)?"},
	{"assembly_plain", assembly_plain, NEEDS_DWARF, "assembly_plain;rows_missing" SPEND},
#endif
	{0},
};
