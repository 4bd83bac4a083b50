/*
 * An SQLite database in memory: inserts, index look-ups, a join with grouping, updates.
 */
#include "sqlite_support.h"
#include "support.h"

#define CUSTOMERS 1000
#define ORDERS 12000
#define LOOKUPS 12000

static sqlite3_stmt *
prepare(const char *sql)
{
	sqlite3_stmt *statement;

	expect_true(sql, sqlite3_prepare_v2(database, sql, -1, &statement, NULL) == SQLITE_OK);
	return statement;
}

static KEPT void
insert_rows(uint64_t *random)
{
	sqlite3_stmt *customer = prepare("INSERT INTO customer VALUES (?, ?)");
	sqlite3_stmt *order = prepare("INSERT INTO purchase VALUES (?, ?, ?)");
	char name[32];

	execute("BEGIN");
	for (int i = 0; i < CUSTOMERS; i++) {
		snprintf(name, sizeof name, "customer %d", i);
		sqlite3_bind_int(customer, 1, i);
		sqlite3_bind_text(customer, 2, name, -1, SQLITE_TRANSIENT);
		expect_true("insert", sqlite3_step(customer) == SQLITE_DONE);
		sqlite3_reset(customer);
	}
	for (int i = 0; i < ORDERS; i++) {
		sqlite3_bind_int(order, 1, i);
		sqlite3_bind_int(order, 2, (int)(random_next(random) % CUSTOMERS));
		sqlite3_bind_int(order, 3, (int)(random_next(random) % 100) + 1);
		expect_true("insert", sqlite3_step(order) == SQLITE_DONE);
		sqlite3_reset(order);
	}
	execute("COMMIT");
	sqlite3_finalize(customer);
	sqlite3_finalize(order);
}

/* Orders of customers picked at random, through the index. */
static KEPT void
look_up_by_index(uint64_t *random)
{
	sqlite3_stmt *query =
		prepare("SELECT count(*), sum(amount) FROM purchase WHERE customer = ?");
	int64_t found = 0;

	for (int i = 0; i < LOOKUPS; i++) {
		sqlite3_bind_int(query, 1, (int)(random_next(random) % CUSTOMERS));
		expect_true("look-up", sqlite3_step(query) == SQLITE_ROW);
		found += sqlite3_column_int64(query, 0);
		sqlite3_reset(query);
	}
	sqlite3_finalize(query);
	expect_true("index look-ups found too little", found > (int64_t)LOOKUPS * 6);
}

/* The best customers by what they spent: join, group, sort. Returns the sum over all of them. */
static KEPT int64_t
join_and_group(void)
{
	sqlite3_stmt *query = prepare("SELECT c.name, sum(p.amount) AS spent FROM purchase p "
				      "JOIN customer c ON c.id = p.customer "
				      "GROUP BY c.name ORDER BY spent DESC, c.name");
	int64_t spent = 0;

	while (sqlite3_step(query) == SQLITE_ROW)
		spent += sqlite3_column_int64(query, 1);
	sqlite3_finalize(query);
	return spent;
}

static KEPT void
update_rows(void)
{
	execute("UPDATE purchase SET amount = amount + 1 WHERE id % 3 = 0");
	expect_u64("changed rows", (uint64_t)sqlite3_changes(database), ORDERS / 3);
}

int
main(int argc, char **argv)
{
	unsigned long rounds = rounds_option(argc, argv, 16);
	uint64_t random = 5;

	for (unsigned long i = 0; i < rounds; i++) {
		expect_true("no database", sqlite3_open(":memory:", &database) == SQLITE_OK);
		execute("CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT)");
		execute("CREATE TABLE purchase (id INTEGER PRIMARY KEY, customer INTEGER, amount INTEGER)");
		execute("CREATE INDEX purchase_customer ON purchase (customer)");
		insert_rows(&random);
		look_up_by_index(&random);
		int64_t before = join_and_group();

		update_rows();
		expect_u64("sum after the update", (uint64_t)join_and_group(),
			(uint64_t)before + ORDERS / 3);
		sqlite3_close(database);
	}
	return 0;
}
