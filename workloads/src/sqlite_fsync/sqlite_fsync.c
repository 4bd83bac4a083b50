/*
 * An SQLite database in a file: single inserts, each a separate transaction that is flushed to
 * storage before the next one begins.
 *
 *     sqlite_fsync FILE
 */
#include "sqlite_support.h"
#include "support.h"

#include <unistd.h>

#define TRANSACTIONS 300

static KEPT void
insert_and_flush(int number)
{
	char sql[64];

	snprintf(sql, sizeof sql, "INSERT INTO entry VALUES (%d, 'entry %d')", number, number);
	execute(sql);
}

int
main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: %s FILE\n", argv[0]);
		return 64;
	}
	unlink(argv[1]);
	expect_true("open", sqlite3_open(argv[1], &database) == SQLITE_OK);
	execute("PRAGMA synchronous = FULL");
	execute("CREATE TABLE entry (number INTEGER, text TEXT)");
	for (int i = 0; i < TRANSACTIONS; i++)
		insert_and_flush(i);
	expect_true("inserts", sqlite3_total_changes(database) == TRANSACTIONS);
	expect_true("close", sqlite3_close(database) == SQLITE_OK);
	return unlink(argv[1]) != 0;
}
