/*
 * What a page of many workloads does in a browser: it has tables as text, of which its script makes tables,
 * and numbers of pictures in few characters. The report has other files beside it.
 */
"use strict";

const { claim, expect, holds } = require("./claims.js");

const PASSED = "#w-workload_00001";
const open = (page) => page.evaluate(() =>
	document.querySelectorAll("details").forEach((details) => (details.open = true)));

/* What a picture says of its boxes: class, name, and the numbers of the tooltip. */
function tipsOf(svg) {
	return Array.from(svg.querySelectorAll("g.boxes > path")).slice(0, 60).map((box) => {
		box.dispatchEvent(new PointerEvent("pointerover", { bubbles: true, clientX: 1, clientY: 1 }));
		return [box.getAttribute("class"), box.getAttribute("aria-label"),
			Array.from(svg.querySelectorAll("g.tip text"), (each) => each.textContent).join(" ")];
	});
}

/* Whether all numbers of two texts are the same, but for the last digit. */
function areClose(one, other) {
	const [a, b] = [one, other].map((text) => text.match(/-?[\d.]+/g).map(Number));

	return a.length === b.length && one.replace(/[\d.]+/g, "") === other.replace(/[\d.]+/g, "") &&
		a.every((value, i) => Math.abs(value - b[i]) <= 0.005 * Math.abs(value) + 0.1001);
}

function claimMany(pages, file) {
	const address = file("many");
	const picture = address.replace("index.html", "workload_00001/diff.svg");

	if (!pages.includes("many"))
		return;
	claim("many: tables are made of text, sort, and have dots",
		{ address, viewport: { width: 1400, height: 900 } }, async (page) => {
		await open(page);
		expect(await page.locator("pre.rows").count(), 0, "text that is left");
		const table = page.locator(`${PASSED} table.functions.compared`);
		const values = () => table.evaluate((each) => Array.from(each.tBodies[0].rows,
			(row) => Number(row.cells[3].dataset.v)));
		const verdicts = await table.evaluate((each) => Array.from(each.tBodies[0].rows,
			(row) => row.cells[1].firstElementChild.className));

		expect(verdicts[0], "status pass", "the first was judged");
		expect(verdicts[verdicts.length - 1], "", "and the last was not");
		await table.getByRole("button", { name: "After" }).click();
		const sorted = await values();

		holds(sorted.length > 10 && sorted[0] > 1e8, "the largest, in ns, is " + sorted[0]);
		expect(sorted, sorted.slice().sort((a, b) => b - a), "largest first");
		expect(await table.locator("svg.dots").first().evaluate((dots) =>
			[dots.getBoundingClientRect().width, dots.querySelectorAll("path").length,
				/^before: 10 runs from .* m?s to .* m?s, mean .*; after: 10 runs/.test(dots.textContent)]),
		[120, 4, true], "dots");
		expect(await page.locator(`${PASSED} table.runs`).first().locator("tbody tr").count(), 10, "runs");
		expect(await page.locator(`${PASSED} details.rest tbody tr`).count(), 50, "others");
	});
	claim("many: names open the picture", { address, follows: /\/diff\.svg/ }, async (page) => {
		await open(page);
		const link = page.locator(`${PASSED} details.rest th a`).first();
		const name = await link.textContent();

		await page.goto(await link.evaluate((each) => each.href));
		expect(await page.evaluate(() => document.querySelector(".field").value), "=" + name, "what is searched for");
		holds((await page.textContent(".result")).startsWith("matched "), "it is found");
	});
	claim("many: pictures say what they say alone", { address, follows: /\/diff\.svg/ }, async (page) => {
		await open(page);
		const inPage = await page.locator(`${PASSED} svg.flamegraph`).evaluate(tipsOf);

		await page.goto(picture);
		const alone = new Map((await page.locator("svg.flamegraph").evaluate(tipsOf)).map((tip) => [tip[1], tip]));
		const both = inPage.filter(([, name]) => alone.has(name) && !name.includes("too small"));
		const different = both.filter(([, name, text]) => !areClose(text, alone.get(name)[2]));

		holds(both.length > 15, "boxes in both: " + both.length);
		expect(different.map((tip) => [tip, alone.get(tip[1])]), [], "what differs");
	});
	claim("many: verdict, findings and all tables can be read without a script",
		{ address, javaScript: false }, async (page) => {
			holds((await page.textContent("h1")).includes("1 of 6 workloads fails"), "verdict");
			holds((await page.textContent(".findings")).includes("function_7(int)"), "finding");
			expect(await page.locator("#w-workload_00000 table.functions td svg.dots").count() > 5, true,
				"functions of what failed");
			await page.locator(`${PASSED} > details > summary`).click();
			const text = page.locator(`${PASSED} pre.rows`).first();

			holds(await text.isVisible(), "text");
			holds(/\nlibrary::part_\d+::function_\d+\(int\)\tpass\t[\d.]+ m?s /.test(await text.textContent()),
				"a function with its verdict and cost");
			holds((await page.textContent(`${PASSED} svg.flamegraph .labels`)).includes("function_0"),
				"the picture's largest boxes");
		});
}

module.exports = claimMany;
