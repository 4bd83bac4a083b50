#include "base/range_map.h"

#include "base/hash.h"

#include <stddef.h>

struct range_node {
	struct range range;
	struct range_node *left;
	struct range_node *right;
	uint64_t edit;        /* only a map with this number may change the node */
	uint64_t priority;    /* at least as large as those of its children: a treap */
	void *note;           /* NULL: none yet */
	const void *own_mark; /* NULL: none */
	/* Of the node and all nodes below it: */
	const void *mark; /* that of the last range that has one */
	bool annotated;   /* all have notes */
	unsigned bits;    /* or'ed */
};

void
range_pool_release(struct range_pool *pool)
{
	arena_release(&pool->arena);
	*pool = (struct range_pool){0};
}

static struct range_node *
take_node(struct range_pool *pool)
{
	struct range_node *node = pool->unused;

	if (!node)
		return arena_alloc(&pool->arena, sizeof(*node));
	pool->unused = node->left;
	return node;
}

static struct range_node *
new_node(struct range_pool *pool, const struct range_map *map, const struct range *range)
{
	struct range_node *node = take_node(pool);

	/* Whoever writes a file cannot know the priorities, and so cannot make the tree deep. */
	if (pool->random.state == 0)
		pool->random.state = hash_u64(1) | 1;
	*node = (struct range_node){
		.range = *range,
		.edit = map->edit,
		.priority = random_next(&pool->random),
		.bits = range->bits,
	};
	return node;
}

/* The node itself where this map may change it, else a copy that it may change. */
static struct range_node *
own(struct range_pool *pool, const struct range_map *map, struct range_node *node)
{
	if (node->edit == map->edit)
		return node;
	struct range_node *copy = take_node(pool);

	*copy = *node;
	copy->edit = map->edit;
	return copy;
}

/*
 * Gives back the nodes of the tree that only this map has. Below a node that is shared, all nodes
 * are shared.
 */
static void
drop(struct range_pool *pool, const struct range_map *map, struct range_node *node)
{
	while (node && node->edit == map->edit) {
		struct range_node *right = node->right;

		drop(pool, map, node->left);
		node->left = pool->unused;
		pool->unused = node;
		node = right;
	}
}

/* Computes again what the node holds of all nodes below it, after one of them or it has changed. */
static void
update(struct range_node *node)
{
	const struct range_node *left = node->left;
	const struct range_node *right = node->right;

	node->bits = node->range.bits | (left ? left->bits : 0) | (right ? right->bits : 0);
	node->annotated = node->note && (!left || left->annotated) && (!right || right->annotated);
	node->mark = right && right->mark ? right->mark
		     : node->own_mark     ? node->own_mark
		     : left               ? left->mark
					  : NULL;
}

static void
forget_note(struct range_node *node)
{
	node->note = NULL;
	node->own_mark = NULL;
}

/* Splits the tree into the ranges that begin before `at` and the others. */
static void
split(struct range_pool *pool, const struct range_map *map, struct range_node *node, uint64_t at,
	struct range_node **before, struct range_node **others)
{
	if (!node) {
		*before = *others = NULL;
		return;
	}
	node = own(pool, map, node);
	if (node->range.start < at) {
		split(pool, map, node->right, at, &node->right, others);
		*before = node;
	} else {
		split(pool, map, node->left, at, before, &node->left);
		*others = node;
	}
	update(node);
}

/* Joins two trees; all ranges of the first begin before those of the second. */
static struct range_node *
join(struct range_pool *pool, const struct range_map *map, struct range_node *first,
	struct range_node *second)
{
	if (!first || !second)
		return first ? first : second;
	if (first->priority >= second->priority) {
		first = own(pool, map, first);
		first->right = join(pool, map, first->right, second);
		update(first);
		return first;
	}
	second = own(pool, map, second);
	second->left = join(pool, map, first, second->left);
	update(second);
	return second;
}

static const struct range *
last_of(const struct range_node *node)
{
	while (node && node->right)
		node = node->right;
	return node ? &node->range : NULL;
}

/* Lets the last range of the tree end at `end`. */
static struct range_node *
trim_last(
	struct range_pool *pool, const struct range_map *map, struct range_node *node, uint64_t end)
{
	node = own(pool, map, node);
	if (node->right) {
		node->right = trim_last(pool, map, node->right, end);
	} else {
		node->range.end = end;
		forget_note(node);
	}
	update(node);
	return node;
}

/* The ranges of a map before and behind the addresses that were cut out. */
struct sides {
	struct range_node *before;
	struct range_node *behind;
};

/* Removes the addresses [start, end) from the map, whose tree is replaced by the two that remain.
 */
static struct sides
cut_out(struct range_pool *pool, struct range_map *map, uint64_t start, uint64_t end)
{
	struct sides sides;
	struct range_node *inside;

	/* 0: the map is new, and shares no node. */
	if (map->edit == 0)
		map->edit = ++pool->last_edit;
	split(pool, map, map->root, start, &sides.before, &inside);
	split(pool, map, inside, end, &inside, &sides.behind);

	const struct range *last = last_of(inside ? inside : sides.before);

	if (last && last->end > end) {
		struct range rest = *last;

		rest.start = end;
		sides.behind = join(pool, map, new_node(pool, map, &rest), sides.behind);
	}
	last = last_of(sides.before);
	if (last && last->end > start)
		sides.before = trim_last(pool, map, sides.before, start);
	drop(pool, map, inside);
	return sides;
}

struct range_map
range_map_share(struct range_pool *pool, struct range_map *map)
{
	/* An empty map has nothing to share. */
	if (!map->root)
		return (struct range_map){0};
	map->edit = ++pool->last_edit;
	return (struct range_map){.root = map->root, .edit = ++pool->last_edit};
}

void
range_map_put(struct range_pool *pool, struct range_map *map, const struct range *range)
{
	struct sides sides = cut_out(pool, map, range->start, range->end);

	sides.before = join(pool, map, sides.before, new_node(pool, map, range));
	map->root = join(pool, map, sides.before, sides.behind);
}

void
range_map_cut(struct range_pool *pool, struct range_map *map, uint64_t start, uint64_t end)
{
	if (!map->root || start >= end)
		return;
	struct sides sides = cut_out(pool, map, start, end);

	map->root = join(pool, map, sides.before, sides.behind);
}

static const struct range_node *
find_range(const struct range_map *map, uint64_t address)
{
	const struct range_node *node = map->root;

	while (node && (address < node->range.start || address >= node->range.end))
		node = address < node->range.start ? node->left : node->right;
	return node;
}

const struct range *
range_map_find(const struct range_map *map, uint64_t address)
{
	const struct range_node *node = find_range(map, address);

	return node ? &node->range : NULL;
}

const struct range *
range_map_next(const struct range_map *map, uint64_t address)
{
	const struct range *next = NULL;

	for (const struct range_node *node = map->root; node;) {
		if (node->range.start > address) {
			next = &node->range;
			node = node->left;
		} else {
			node = node->right;
		}
	}
	return next;
}

unsigned
range_map_bits(const struct range_map *map)
{
	return map->root ? map->root->bits : 0;
}

static void
annotate(struct range_node *node, range_note_maker make, void *context)
{
	if (!node || node->annotated)
		return;
	annotate(node->left, make, context);
	if (!node->note)
		node->note = make(context, &node->range, &node->own_mark);
	annotate(node->right, make, context);
	update(node);
}

void
range_map_annotate(const struct range_map *map, range_note_maker make, void *context)
{
	annotate(map->root, make, context);
}

static bool
all_bare(const struct range_node *node, range_predicate is_true, const void *context)
{
	if (!node || node->annotated)
		return true;
	return (node->note || is_true(context, &node->range)) &&
	       all_bare(node->left, is_true, context) && all_bare(node->right, is_true, context);
}

bool
range_map_all_bare(const struct range_map *map, range_predicate is_true, const void *context)
{
	return all_bare(map->root, is_true, context);
}

void *
range_map_note(const struct range_map *map, uint64_t address)
{
	const struct range_node *node = find_range(map, address);

	return node ? node->note : NULL;
}

const void *
range_map_mark(const struct range_map *map)
{
	return map->root ? map->root->mark : NULL;
}
