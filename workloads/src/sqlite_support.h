/*
 * What the workloads on SQLite share: a database, and statements that must succeed.
 */
#ifndef WORKLOADS_SQLITE_SUPPORT_H
#define WORKLOADS_SQLITE_SUPPORT_H

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

static sqlite3 *database;

static void
execute(const char *sql)
{
	char *message = NULL;

	if (sqlite3_exec(database, sql, NULL, NULL, &message) == SQLITE_OK)
		return;
	fprintf(stderr, "%s: %s\n", sql, message);
	exit(1);
}

#endif
