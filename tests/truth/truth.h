/*
 * Programs whose call stacks are known.
 *
 * A program runs one phase after the other. Each phase spends the same CPU time in call paths whose
 * true stacks are written down beside its code, as a regular expression. While it runs, the
 * thread's name is the phase's, so that each sample says itself which stacks are true for it. At
 * the end the program prints its truth, one line a phase, with the CPU time the phase has taken;
 * check_stacks holds a folded profile against that.
 */
#ifndef TRUTH_H
#define TRUTH_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The compiler must leave this function alone: no inlining, no clones, no guesses of its effect. */
#if defined(__clang__)
#define KEEP __attribute__((noinline))
#else
#define KEEP __attribute__((noipa))
#endif
/* It must be put into its caller, whatever the optimisation. */
#define INLINED static inline __attribute__((always_inline))
/* Behind a call: the call is no tail call, so that the frame stays on the stack. */
#define STAY() __asm__ volatile("" ::: "memory")

/* In a function that calls nothing: it has a frame where frame pointers are judged. */
#ifdef TRUTH_FRAMES
#define FRAME() __asm__ volatile("" : : "r"(__builtin_frame_address(0)))
#else
#define FRAME() ((void)0)
#endif

/* What a phase needs to be seen as it is. */
enum truth_needs {
	NEEDS_NOTHING,    /* frame pointers or DWARF, symbols */
	NEEDS_DWARF,      /* unwind rows: passes through code without frame pointers */
	NEEDS_DEBUG_INFO, /* rows and the inline trees of debug information */
	NEEDS_MARK,       /* its stacks cannot be known whole: each has to say so */
};

/*
 * `stacks` is an extended regular expression for all frames below main() joined by ";" or, where it
 * begins with "^", for the whole stack.
 */
struct phase {
	const char *name;
	void (*run)(void);
	enum truth_needs needs;
	const char *stacks;
};

/* spend() and what it calls, as a part of an expression. */
#define SPEND ";spend(;burn)?"
/* One frame of code of the C library, which may have no names for its own functions. */
#define LIBC_FRAME                                                                                 \
	"(\\[libc[^;]*\\]|(__GI_)?_*clone3?|start_thread|__start_context|__restore_rt|qsort(_r)?|" \
	"(__GI_)?(___?)?qsort_r|msort_with_tmp([.]part[.]0)?|_quicksort|[^;]*sigreturn[^;]*)"

/* Uses up what is left of the phase's CPU time. */
void spend(void);
/* Some microseconds of arithmetic for each thousand rounds. */
void burn(unsigned long rounds);
/* Whether the phase's CPU time is used up. */
bool enough(void);
/* This process has its own CPU time: starts its budget anew. */
void start_budget(void);

/* Ends with an entry without a name. */
extern const struct phase truth_phases[];

#ifdef __cplusplus
}
#endif

#endif
