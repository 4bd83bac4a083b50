#include "shim/walk.h"

#include "shim/frame_module.h"
#include "shim/frame_rule.h"
#include "shim/maps.h"
#include "shim/system.h"

#include <string.h>

/* Rules by address. Both words are read without a lock: `check` proves that they belong together.
 */
struct slot {
	uint64_t check; /* the address, exclusive or with the rule */
	uint64_t rule;
};

#define SLOTS_BITS 15
#define SLOTS (1u << SLOTS_BITS)
static struct slot slots[SLOTS];

/* What is above the first frame of a thread, at least: its struct pthread. */
#define ABOVE_THREAD_BYTES 1024
/* A stack's lowest page is not known: it grows. */
#define STACK_BYTES_ASSUMED ((uintptr_t)8 << 20)

extern void *__libc_stack_end __attribute__((weak));

static inline struct slot *
slot_of(uintptr_t pc, unsigned way)
{
	return &slots[((pc ^ pc >> SLOTS_BITS) & (SLOTS - 1)) ^ way];
}

static inline bool
slot_read(uintptr_t pc, unsigned way, struct frame_rule *rule)
{
	const struct slot *slot = slot_of(pc, way);
	uint64_t word = __atomic_load_n(&slot->rule, __ATOMIC_RELAXED);

	if ((__atomic_load_n(&slot->check, __ATOMIC_RELAXED) ^ word) != pc)
		return false;
	memcpy(rule, &word, sizeof(*rule));
	return true;
}

static void
slot_write(uintptr_t pc, struct frame_rule rule)
{
	struct slot *slot = slot_of(pc, 0);
	uint64_t word;

	if (__atomic_load_n(&slot->check, __ATOMIC_RELAXED) != 0)
		slot = slot_of(pc, 1);
	if (__atomic_load_n(&slot->check, __ATOMIC_RELAXED) != 0)
		slot = slot_of(pc, pc >> (SLOTS_BITS + 1) & 1);
	memcpy(&word, &rule, sizeof(word));
	__atomic_store_n(&slot->rule, word, __ATOMIC_RELAXED);
	__atomic_store_n(&slot->check, pc ^ word, __ATOMIC_RELAXED);
}

/* How often rules were forgotten. */
static uint32_t forgotten;

void
walk_forget_rules(void)
{
	__atomic_fetch_add(&forgotten, 1, __ATOMIC_RELAXED);
	for (size_t i = 0; i < SLOTS; i++)
		__atomic_store_n(&slots[i].check, 0, __ATOMIC_RELAXED);
}

static __attribute__((noinline)) struct frame_rule
find_rule(struct walk *walk, uintptr_t pc)
{
	struct frame_rule rule = {.kind = FRAME_UNKNOWN};
	struct frame_module module = {0};

	walk->new_address = true;
	if (frame_module_find(pc, &module)) {
		const unsigned char *entry = frame_entry_find(&module, pc);

		if (entry)
			rule = frame_rule_make(entry, pc);
	}
	slot_write(pc, rule);
	return rule;
}

static inline struct frame_rule
rule_at(struct walk *walk, uintptr_t pc)
{
	struct frame_rule rule;

	_Static_assert(sizeof(rule) == sizeof(uint64_t), "a rule is one word");
	if (slot_read(pc, 0, &rule) || slot_read(pc, 1, &rule))
		return rule;
	return find_rule(walk, pc);
}

/* So near the end of the stack there are no more frames. */
#define ENTRY_BYTES (4 * sizeof(uintptr_t))

struct bounds {
	uintptr_t sp;
	struct walk_thread *thread;
	bool found;
};

static bool
take_map(void *context, const struct maps_line *line)
{
	struct bounds *bounds = context;

	if (bounds->sp < line->start || bounds->sp >= line->end || !line->writable)
		return true;
	bounds->thread->stack_low = line->start;
	bounds->thread->stack_high = line->end;
	bounds->found = true;
	return false;
}

void
walk_thread_started(struct walk_thread *thread, const void *local)
{
	thread->stack_high = (uintptr_t)local + ABOVE_THREAD_BYTES;
	thread->stack_low = thread->stack_high - STACK_BYTES_ASSUMED;
}

/* Finds the stack that `sp` is on: the thread's, a signal's or a coroutine's. */
static __attribute__((noinline)) bool
find_stack(struct walk_thread *thread, uintptr_t sp)
{
	struct bounds bounds = {sp, thread, false};
	uintptr_t main_end = &__libc_stack_end ? (uintptr_t)__libc_stack_end : 0;

	if (sp < main_end && main_end - sp < STACK_BYTES_ASSUMED) {
		thread->stack_low = main_end - STACK_BYTES_ASSUMED;
		thread->stack_high = main_end + 2 * sizeof(uintptr_t);
		return true;
	}
	maps_each(take_map, &bounds);
	return bounds.found;
}

static inline uintptr_t
load(uintptr_t address)
{
	return *(const uintptr_t *)system_memory(address);
}

/* Registers of a frame, and the part of the stack that may be read. */
struct walker {
	struct walk_thread *thread;
	uintptr_t pc; /* as it is looked up: in the call */
	uintptr_t sp;
	uintptr_t fp;
	uintptr_t low;
	uintptr_t high;
	uintptr_t pc_at; /* where pc and fp were read: as in struct walk_frame */
	uintptr_t fp_at;
};

static inline bool
on_stack(const struct walker *walker, uintptr_t address)
{
	return address >= walker->low && address <= walker->high - sizeof(uintptr_t) &&
	       address % sizeof(uintptr_t) == 0;
}

static bool
enter_stack(struct walker *walker)
{
	struct walk_thread *thread = walker->thread;

	if ((walker->sp < thread->stack_low || walker->sp >= thread->stack_high) &&
		!find_stack(thread, walker->sp))
		return false;
	walker->low = walker->sp;
	walker->high = thread->stack_high;
	return true;
}

/* A return address, without the signature that it may have. */
static inline uintptr_t
plain_address(uintptr_t address)
{
#if defined(__aarch64__)
	return address & ((UINT64_C(1) << 48) - 1);
#else
	return address;
#endif
}

/* The interrupted frame, from what the kernel put on the stack. */
static bool
leave_signal(struct walker *walker)
{
#if defined(__x86_64__)
	/* struct ucontext: asm/sigcontext.h behind asm-generic/ucontext.h's head of 40 bytes. */
	const uintptr_t at_fp = walker->sp + 120;
	const uintptr_t at_sp = walker->sp + 160;
	const uintptr_t at_pc = walker->sp + 168;
#elif defined(__aarch64__)
	/* struct rt_sigframe: siginfo of 128 bytes, and registers 184 behind it. */
	const uintptr_t at_fp = walker->sp + 312 + 29 * sizeof(uintptr_t);
	const uintptr_t at_sp = walker->sp + 312 + 31 * sizeof(uintptr_t);
	const uintptr_t at_pc = walker->sp + 312 + 32 * sizeof(uintptr_t);
#else
	const uintptr_t at_fp = 0;
	const uintptr_t at_sp = 0;
	const uintptr_t at_pc = 0;
#endif

	if (!on_stack(walker, at_fp) || !on_stack(walker, at_pc))
		return false;
	walker->fp = load(at_fp);
	walker->pc = load(at_pc);
	walker->sp = load(at_sp);
	walker->pc_at = 0;
	return enter_stack(walker);
}

/* Code without information, such as a JIT's: most keeps frame pointers. */
static inline bool
leave_by_fp(struct walker *walker)
{
	uintptr_t fp = walker->fp;

	if (fp < walker->sp || !on_stack(walker, fp) || !on_stack(walker, fp + sizeof(fp)))
		return false;
	walker->fp_at = fp;
	walker->pc_at = fp + sizeof(fp);
	walker->fp = load(fp);
	walker->pc = plain_address(load(fp + sizeof(fp))) - 1;
	walker->sp = fp + 2 * sizeof(fp);
	return true;
}

static inline bool
find_cfa(const struct walker *walker, struct frame_rule rule, uintptr_t *cfa)
{
	bool from_sp = rule.kind == FRAME_FROM_SP || rule.kind == FRAME_AT_SP;

	*cfa = (from_sp ? walker->sp : walker->fp) + (uintptr_t)(intptr_t)rule.cfa;
	if (rule.kind == FRAME_FROM_SP || rule.kind == FRAME_FROM_FP)
		return true;
	if (!on_stack(walker, *cfa))
		return false;
	*cfa = load(*cfa);
	return true;
}

static inline bool
leave_by_rule(struct walker *walker, struct frame_rule rule)
{
	uintptr_t cfa;

	if (!find_cfa(walker, rule, &cfa))
		return false;
	uintptr_t at_ra = cfa + (uintptr_t)(intptr_t)rule.ra_words * sizeof(uintptr_t);

	if (cfa <= walker->sp || cfa > walker->high || !on_stack(walker, at_ra))
		return false;
	walker->fp_at = 0;
	/* An address that is itself read from memory is not looked at again. */
	walker->pc_at = rule.kind <= FRAME_FROM_FP ? at_ra : 0;
	if (rule.fp_words != 0) {
		uintptr_t at_fp = cfa + (uintptr_t)(intptr_t)rule.fp_words * sizeof(uintptr_t);

		if (!on_stack(walker, at_fp))
			return false;
		walker->fp = load(at_fp);
		walker->fp_at = at_fp;
	}
	walker->pc = plain_address(load(at_ra)) - 1;
	walker->sp = cfa;
	return true;
}

static inline bool
step_out(struct walker *walker, struct frame_rule rule)
{
	if (rule.kind == FRAME_OF_SIGNAL)
		return leave_signal(walker);
	if (rule.kind == FRAME_UNKNOWN)
		return leave_by_fp(walker);
	return rule.kind != FRAME_LOST && leave_by_rule(walker, rule);
}

static inline uint64_t
hash_address(uint64_t hash, uintptr_t pc)
{
	hash = (hash ^ pc) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

/* Whether the callers of a frame of the last walk are those that they were. */
static bool
is_unchanged(const struct walk *walk, size_t frame)
{
	for (const struct walk_frame *at = &walk->frames[frame]; at > walk->frames; at--) {
		if (at->pc_at == 0 || plain_address(load(at->pc_at)) != at[-1].pc ||
			(at->fp_at != 0 && load(at->fp_at) != at[-1].fp))
			return false;
	}
	return true;
}

/*
 * How many outer frames of the last walk are those of this one from the walker's on; 0 if none.
 * *left: those of them that may be, which are fewer with each frame.
 */
static inline size_t
find_shared(const struct walk *walk, const struct walker *walker, size_t *left)
{
	while (*left > 0 && walk->frames[*left - 1].sp < walker->sp)
		(*left)--;
	if (*left == 0)
		return 0;
	const struct walk_frame *frame = &walk->frames[*left - 1];

	if (frame->sp != walker->sp || frame->pc != walker->pc + 1 || frame->fp != walker->fp)
		return 0;
	if (is_unchanged(walk, *left - 1))
		return *left;
	*left = 0;
	return 0;
}

static inline void
add_fresh(struct walk *walk, const struct walker *walker)
{
	walk->fresh[walk->nfresh++] =
		(struct walk_frame){.pc = walker->pc + 1, .sp = walker->sp, .fp = walker->fp};
}

/*
 * Walks up to the outermost frame, or to one that is shared with the last walk: the number of such
 * frames.
 */
static size_t
walk_fresh(struct walk *walk, struct walker *walker, size_t left)
{
	size_t shared;

	while ((shared = find_shared(walk, walker, &left)) == 0 ||
		shared + walk->nfresh > ALLOC_FRAMES_MAX) {
		if (shared > 0)
			left = 0;
		if (walk->nfresh == ALLOC_FRAMES_MAX) {
			walk->flags = ALLOC_TRUNCATED;
			return 0;
		}
		add_fresh(walk, walker);
		struct frame_rule rule = rule_at(walk, walker->pc);

		walk->flags = rule.kind == FRAME_OUTMOST ? 0 : ALLOC_BROKEN;
		if (rule.kind == FRAME_OUTMOST)
			return 0;
		if (!step_out(walker, rule)) {
			/* The loader's own entry says nothing, but there is no more stack. */
			if (rule.kind == FRAME_UNKNOWN && walker->sp + ENTRY_BYTES >= walker->high)
				walk->flags = 0;
			return 0;
		}
		/* A return address of 0 is put where a stack begins. */
		if (walker->pc + 1 <= 1) {
			walk->flags = 0;
			return 0;
		}
		walk->fresh[walk->nfresh - 1].pc_at = walker->pc_at;
		walk->fresh[walk->nfresh - 1].fp_at = walker->fp_at;
	}
	return shared;
}

void
walk_stack(struct walk *walk, struct walk_thread *thread, const struct walk_start *start)
{
	struct walker walker = {
		.thread = thread, .pc = start->pc - 1, .sp = start->sp, .fp = start->fp};
	const uint32_t rules = __atomic_load_n(&forgotten, __ATOMIC_RELAXED);
	const uint16_t flags = walk->flags;
	size_t shared = 0;

	walk->nfresh = 0;
	walk->new_address = false;
	if (enter_stack(&walker)) {
		bool usable = walk->rules == rules && walk->high == walker.high &&
			      flags != ALLOC_TRUNCATED;

		shared = walk_fresh(walk, &walker, usable ? walk->nframes : 0);
		if (shared > 0)
			walk->flags = flags;
	} else {
		walk->flags = ALLOC_BROKEN;
		add_fresh(walk, &walker);
	}
	size_t n = shared;
	uint64_t hash = n > 0 ? walk->frames[n - 1].hash : 0;

	for (size_t i = walk->nfresh; i > 0; i--) {
		hash = hash_address(hash, walk->fresh[i - 1].pc);
		walk->frames[n] = walk->fresh[i - 1];
		walk->frames[n++].hash = hash;
	}
	walk->nframes = n;
	walk->rules = rules;
	walk->high = walker.high;
}
