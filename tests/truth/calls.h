/* The phases of the C program, one function each; truth_c.c lists them with their stacks. */
#ifndef CALLS_H
#define CALLS_H

void plain(void);
void deep(void);
void mutual(void);
void fibonacci(void);
void pointers(void);
void inlining(void);
void ordinary(void);
void tail(void);
void sorting(void);
void stub(void);
void system_call(void);
void clock_read(void);

void alloca_frame(void);
void large_frame(void);
void realigned_frame(void);
void many_arguments(void);
void noreturn_end(void);
void cold_part(void);

void jumping(void);
void thread(void);
void signals(void);
void alternate_stack(void);
void forked(void);
void coroutine(void);
void loaded(void);

void assembly(void);
void assembly_plain(void);

/* of small.c, in its own library where the program is not static */
unsigned long tiny(unsigned long value);

/* The recursion of fibonacci() alone. */
unsigned long fib(unsigned long n);

#endif
