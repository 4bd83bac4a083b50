/* Walking the stack of an allocation by the rules of its frames. */
#include "shim/shim_internal.h"

#include "shim/system.h"

#include <link.h>
#include <string.h>

/* A longer line, of a path that is longer than the kernel allows, is left out. */
#define LINE_MAX_BYTES ((size_t)8192)

static const char *
take_hex(const char *at, const char *end, uintptr_t *value)
{
	*value = 0;
	for (; at < end; at++) {
		unsigned digit = (unsigned)*at - '0';

		if (digit > 9)
			digit = (unsigned)*at - 'a' < 6 ? (unsigned)*at - 'a' + 10 : 16;
		if (digit > 15)
			break;
		*value = *value << 4 | digit;
	}
	return at;
}

/* START-END rwxp ... */
static bool
parse_maps_line(const char *text, size_t len, struct maps_line *line)
{
	const char *end = text + len;
	const char *at = take_hex(text, end, &line->start);

	if (at == end || *at != '-')
		return false;
	at = take_hex(at + 1, end, &line->end);
	if (end - at < 5 || *at != ' ')
		return false;
	line->writable = at[2] == 'w';
	line->executable = at[3] == 'x';
	line->text = text;
	line->len = len;
	return true;
}

/* Takes the whole lines of the buffer; the number of bytes that are left of it, -1 at the end. */
static long
take_lines(char *bytes, size_t len, bool (*take)(void *, const struct maps_line *), void *context)
{
	char *at = bytes;
	char *newline;

	while ((newline = memchr(at, '\n', (size_t)(bytes + len - at)))) {
		struct maps_line line;

		if (parse_maps_line(at, (size_t)(newline - at), &line) && !take(context, &line))
			return -1;
		at = newline + 1;
	}
	size_t left = (size_t)(bytes + len - at);

	memmove(bytes, at, left);
	return left < LINE_MAX_BYTES ? (long)left : 0;
}

void
maps_each(bool (*take)(void *context, const struct maps_line *line), void *context)
{
	const size_t size = 4 * LINE_MAX_BYTES;
	char *bytes = system_zeros(size, false);
	int fd = bytes ? system_open("/proc/self/maps", O_RDONLY, 0) : -1;
	long left = 0;
	long got;

	while (fd >= 0 && left >= 0 &&
		(got = system_read(fd, bytes + left, size - (size_t)left)) > 0)
		left = take_lines(bytes, (size_t)(left + got), take, context);
	if (fd >= 0)
		system_close(fd);
	if (bytes)
		system_unmap(bytes, size);
}

/* The first fields of a .eh_frame_hdr with a table that can be searched, as all linkers write it.
 */
struct table_head {
	uint8_t version;
	uint8_t frame_encoding; /* 0x1b: relative to itself, 4 bytes */
	uint8_t count_encoding; /* 0x03: 4 bytes */
	uint8_t table_encoding; /* 0x3b: relative to the table, 4 bytes */
	int32_t frame;
	uint32_t count;
};

struct table_row {
	int32_t start; /* of a function, and its entry: from the table's head on */
	int32_t entry;
};

struct search {
	uintptr_t pc;
	struct frame_module *module;
	bool found;
};

static void
take_segment(struct search *search, const struct dl_phdr_info *info, const ElfW(Phdr) * segment)
{
	uintptr_t start = info->dlpi_addr + segment->p_vaddr;
	struct frame_module *module = search->module;

	if (segment->p_type == PT_GNU_EH_FRAME) {
		module->table = system_memory(start);
		module->table_bytes = segment->p_memsz;
	} else if (segment->p_type == PT_LOAD && search->pc >= start &&
		   search->pc < start + segment->p_memsz) {
		module->start = start;
		module->end = start + segment->p_memsz;
		search->found = true;
	}
}

static int
look_into(struct dl_phdr_info *info, size_t size, void *context)
{
	struct search *search = context;

	(void)size;
	*search->module = (struct frame_module){0};
	for (size_t i = 0; i < info->dlpi_phnum; i++)
		take_segment(search, info, &info->dlpi_phdr[i]);
	return search->found;
}

bool
frame_module_find(uintptr_t pc, struct frame_module *module)
{
	struct search search = {pc, module, false};

	/* The loader's lock is held only while its list is read, never while constructors run. */
	dl_iterate_phdr(look_into, &search);
	return search.found;
}

static int
take_unloaded(struct dl_phdr_info *info, size_t size, void *context)
{
	uint64_t *unloaded = context;

	if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof(info->dlpi_subs))
		*unloaded = info->dlpi_subs;
	return 1;
}

uint64_t
frame_modules_unloaded(void)
{
	uint64_t unloaded = 0;

	dl_iterate_phdr(take_unloaded, &unloaded);
	return unloaded;
}

/* The entry of .eh_frame for the function that holds `pc`; NULL where the table has none. */
static const unsigned char *
frame_entry_find(const struct frame_module *module, uintptr_t pc)
{
	const unsigned char *base = module->table;
	struct table_head head;

	if (!base || module->table_bytes < sizeof(head))
		return NULL;
	memcpy(&head, base, sizeof(head));
	if (head.version != 1 || head.count_encoding != 0x03 || head.table_encoding != 0x3b ||
		head.count > (module->table_bytes - sizeof(head)) / sizeof(struct table_row))
		return NULL;
	const struct table_row *rows = (const struct table_row *)(base + sizeof(head));
	intptr_t wanted = (intptr_t)(pc - (uintptr_t)base);
	size_t low = 0;
	size_t high = head.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (rows[middle].start <= wanted)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? base + rows[low - 1].entry : NULL;
}

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
