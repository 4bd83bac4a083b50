// Runs the statements of a file of SQL in DuckDB, in this folder; prints the rows of the last as lines.
import { readFileSync } from "node:fs";
import { DuckDBInstance } from "@duckdb/node-api";

const connection = await (await DuckDBInstance.create(":memory:")).connect();
const statements = readFileSync(process.argv[2], "utf8").split(";").filter((each) => each.trim() !== "");
let rows = [];

for (const statement of statements)
	rows = (await connection.runAndReadAll(statement)).getRows();
for (const row of rows)
	console.log(row.join(" "));
