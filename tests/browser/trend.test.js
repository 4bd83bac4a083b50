/*
 * What the page of a history does in a browser: its choices show rows and charts, a link from a row shows
 * its chart, without script all is shown. Prints one result line a claim; run by tests/browser/run.
 */
"use strict";

const path = require("path");
const { claim, expect, holds, runClaims } = require("./claims.js");

const address = "file://" + path.join(process.argv[2], "trend.html");
const trend = { address };

/* The workloads of the rows, or charts, that are to be seen, each once. */
const shown = (page, selector) => page.evaluate((s) => Array.from(new Set(
	Array.from(document.querySelectorAll(s)).filter((each) => each.checkVisibility())
		.map((each) => each.dataset.workload))).sort(), selector);
const rows = (page) => shown(page, "table.changes tbody tr");
const charts = (page) => shown(page, "figure.trend");
const field = (page, label) => page.locator("#choice label").filter({ hasText: new RegExp("^" + label + " ") });
const choose = (page, label, value) => field(page, label).locator("select").selectOption(value);

const CHANGED = ["fixed", "quicker", "slower"];
const ALL = ["fixed", "quicker", "slower", "steady"];

claim("all that changed is in the table, and each series has a chart", trend, async (page) => {
	expect(await rows(page), CHANGED, "rows");
	expect(await charts(page), ALL, "charts");
});

claim("a state shows the rows and the charts that are in it", trend, async (page) => {
	await choose(page, "State", "lasts");
	expect(await rows(page), ["slower"], "rows that last");
	expect(await charts(page), ["slower"], "charts that last");
	await choose(page, "State", "taken back");
	expect(await rows(page), ["fixed"], "rows that were taken back");
	await choose(page, "State", "");
	expect(await charts(page), ALL, "any state");
});

claim("so do a size, a direction and a part of a name", trend, async (page) => {
	await choose(page, "of", "0.1");
	expect(await rows(page), ["fixed", "slower"], "10 % or more");
	await choose(page, "of", "0");
	await choose(page, "Change", "faster");
	expect(await rows(page), ["fixed", "quicker"], "faster");
	await choose(page, "Change", "");
	await field(page, "Name").locator("input").fill("LOW");
	expect([await rows(page), await charts(page)], [["slower"], ["slower"]], "a name");
});

claim("a row leads to its chart, though that is not chosen", trend, async (page) => {
	await choose(page, "State", "lasts");
	const link = await page.evaluate(() => document.querySelector("tr[data-workload=fixed] td a").hash);

	await page.evaluate((hash) => { location.hash = hash; }, link);
	await page.waitForFunction((hash) => document.querySelector(hash).checkVisibility(), link);
	holds((await charts(page)).includes("fixed"), "it is shown");
});

claim("without script all is shown", { address, javaScript: false }, async (page) => {
	holds(await page.locator("table.changes tbody tr").count() > 3, "rows");
	expect(await page.locator("figure.trend").count(), ALL.length, "charts");
});

runClaims("trend").then((failed) => process.exit(failed > 0 ? 1 : 0));
