/*
 * What the page of a heat map and a flame chart do in a browser: ranges by mouse, keyboard and address,
 * names that look like markup, both themes, no script. Prints one result line a claim; run by
 * tests/browser/run.
 */
"use strict";

const path = require("path");
const { claim, expect, holds, runClaims } = require("./claims.js");

const folder = process.argv[2];
const file = (name) => "file://" + path.join(folder, name);
const map = { address: file("map.html") };
const chart = { address: file("chart.svg") };
/* A request has no fragment. */
const at = (name, fragment) => ({ address: file(name) + fragment, follows: new RegExp("/" + name + "$") });

const text = (page, selector) => page.evaluate((s) => document.querySelector(s).textContent, selector);
const boxes = (page) => page.evaluate(() =>
	Array.from(document.querySelectorAll("svg.flamegraph g.boxes > path"), (box) => {
		const at = /^M([\d.]+) ([\d.]+)h([\d.]+)/.exec(box.getAttribute("d"));

		return { name: box.getAttribute("aria-label"), x: Number(at[1]), width: Number(at[3]) };
	}));
const names = async (page) => (await boxes(page)).map((box) => box.name);

/* Where a cell is on the screen: its middle. */
const cell = (page, column, row) => page.evaluate(([c, r]) => {
	const svg = document.querySelector("svg.heatmap");
	const number = (name) => Number(svg.getAttribute("data-" + name));
	const at = svg.createSVGPoint();

	at.x = number("x") + (c + 0.5) * number("column-px");
	at.y = number("y") + (r + 0.5) * number("row-px");
	const on = at.matrixTransform(svg.getScreenCTM());

	return [on.x, on.y];
}, [column, row]);

async function drag(page, from, to) {
	await page.mouse.move(...await cell(page, ...from));
	await page.mouse.down();
	await page.mouse.move(...await cell(page, ...to), { steps: 3 });
	await page.mouse.up();
}

const LOAD = "load";
const HOSTILE = "</svg><script>alert(1)</script>\"'&";

/* The page has columns of 1 s with rows of 20 ms: a sample of the first thread in each. */
claim("a range by the mouse has its own flame graph", map, async (page) => {
	holds((await names(page)).includes(LOAD), "load is there at first");
	await drag(page, [0, 0], [0, 19]);
	expect(await text(page, ".range"), "0 s to 0.4 s: 19 samples, 12.7 %", "the range");
	expect((await names(page)).filter((name) => name === LOAD || name === "parse"), [LOAD],
		"only start-up");
	expect(await text(page, "[data-command]"), "profile_run flamegraph --input 'two threads.data' --from 0 --to 0.4",
		"the command");
	holds((await page.evaluate(() => location.hash)) === "#range=0-0.4", "the address");
	await drag(page, [1, 0], [1, 49]);
	holds(!(await names(page)).includes(LOAD), "load is not in the second second");
	holds((await names(page)).includes(HOSTILE), "the worker is");
});

claim("the range that a command reads is the one that was chosen", map, async (page) => {
	await drag(page, [0, 30], [1, 9]);
	const wanted = require("fs").readFileSync(path.join(folder, "range.txt"), "utf8").trim();

	expect((await text(page, ".range")).replace(/ samples.*/, ""), "0.6 s to 1.2 s: " + wanted, "samples");
});

claim("keys choose a range, Escape all", map, async (page) => {
	await page.locator("svg.heatmap").focus();
	await page.keyboard.press("Home");
	for (let i = 0; i < 10; i++)
		await page.keyboard.press("Shift+ArrowDown");
	expect(await text(page, "[data-command]"), "profile_run flamegraph --input 'two threads.data' --from 0 --to 0.22",
		"eleven cells");
	await page.keyboard.press("Shift+ArrowRight");
	holds((await text(page, "[data-command]")).endsWith("--from 0 --to 1.22"), "and a column");
	await page.keyboard.press("Escape");
	expect(await text(page, ".range"), "All of the time is shown.", "all");
	expect(await text(page, "[data-command]"), "profile_run flamegraph --input 'two threads.data'", "no range");
	expect((await boxes(page))[0].name, "all", "the whole graph");
});

claim("a phase is shown by its button", map, async (page) => {
	await page.locator(".phases button").first().click();
	expect((await names(page)).includes("print"), false, "print is not in the start-up");
	holds((await names(page)).includes(LOAD), "load is");
});

claim("an address opens with its range", at("map.html", "#range=0-0.4"), async (page) => {
	expect(await text(page, ".range"), "0 s to 0.4 s: 19 samples, 12.7 %", "the range");
});

claim("a range without samples is an empty graph", map, async (page) => {
	await drag(page, [2, 30], [2, 40]);
	holds((await text(page, ".range")).endsWith(": 0 samples, 0.0 %"), "nothing");
	expect((await names(page)).length, 1, "only the whole");
	await page.keyboard.press("Escape");
	holds((await names(page)).length > 1, "and back");
});

claim("zoom and search work in a range", map, async (page) => {
	await drag(page, [1, 0], [1, 49]);
	await page.locator("svg.flamegraph g.boxes > path[aria-label=\"parse\"]").first().click();
	expect((await boxes(page)).find((box) => box.name === "parse").x, 10, "parse is zoomed to");
	await drag(page, [0, 0], [0, 19]);
	expect((await boxes(page))[0].name, "all", "another range begins with the whole");
});

claim("names stay text in both themes", { ...map, themes: ["light", "dark"] }, async (page) => {
	expect(await page.evaluate(() => Array.from(document.scripts).length), 2, "scripts");
	expect(await page.evaluate(() => document.querySelectorAll("main b, main script").length), 0, "markup");
	holds((await names(page)).includes(HOSTILE), "the name is shown");
});

claim("without a script both pictures are there", { ...map, javaScript: false }, async (page) => {
	holds(await page.locator("svg.heatmap .cells path").count() >= 3, "cells");
	holds(await page.locator("svg.flamegraph g.boxes > path").count() > 3, "boxes");
	holds(await page.locator(".phases li").count() >= 2, "phases");
});

const axis = (page) => page.evaluate(() =>
	Array.from(document.querySelectorAll(".axis text"), (tick) => tick.textContent));
const places = async (page) => (await boxes(page)).map(({ x, width }) => [x, width]);

claim("the chart's script draws what the file showed", chart, async (page) => {
	const before = [await places(page), await axis(page)];

	await page.locator("g.boxes > path").nth(1).click();
	await page.keyboard.press("Escape");
	expect([await places(page), await axis(page)], before, "boxes and axis");
});

claim("calls of a chart are where they were in time", chart, async (page) => {
	const found = (await boxes(page)).filter((box) => box.name === LOAD || box.name === "parse");

	expect(found[0].name, LOAD, "load is first");
	expect(found.length, 18, "parse is there once a round");
	expect(found[1].x, 10 + Math.round(1180 * 0.4 / 2.4 * 100) / 100, "parse begins after 0.4 s");
});

claim("the axis follows a zoom", chart, async (page) => {
	await page.locator("g.boxes > path[aria-label=\"parse\"]").first().click();
	const ticks = await axis(page);

	expect(ticks[0], "0.400 s", "the first tick");
	holds(ticks.every((tick) => Number(tick.replace(" s", "")) < 0.4601), "all inside");
});

claim("an address opens a chart with its zoom", at("chart.svg", "#zoom=4"), async (page) => {
	expect((await boxes(page)).slice(-1)[0].width, 1180, "box 4 over the whole width");
	expect((await names(page)).slice(-1), ["parse"], "which is the first parse");
});

claim("a sandwich of a chart has no axis", chart, async (page) => {
	await page.locator("g.boxes > path[aria-label=\"parse\"]").first().click();
	await page.keyboard.press("s");
	expect(await axis(page), [], "no ticks");
	expect((await names(page)).filter((name) => name === "parse").length, 1, "all calls as one");
});

claim("a hostile name in a chart stays text", { address: file("worker.svg"), themes: ["light", "dark"] }, async (page) => {
	holds((await names(page)).includes(HOSTILE), "it is shown");
	expect(await page.evaluate(() => document.querySelectorAll("script").length), 1, "scripts");
});

runClaims("heatmap").then((failed) => process.exit(failed > 0 ? 1 : 0));
