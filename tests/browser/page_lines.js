/*
 * The source lines behind a finding of a page: claims for page.test.js.
 */
"use strict";

const { claim, expect, holds } = require("./claims.js");

function claimLines(pages, file) {
	for (const name of pages.filter((each) => each.startsWith("sample"))) {
		claim(name + " shows the source lines of a finding, and the one that grew most stands out",
			{ address: file(name) }, async (page) => {
				const lines = page.locator(".findings details.lines").first();

				holds(await lines.locator("table").isVisible(), "they are in sight");
				const marked = lines.locator("tr.marked");

				expect(await marked.count(), 1, "marked lines");
				expect(await marked.locator("td").nth(4).textContent(), "131", "its number");
				expect(await marked.evaluate((row) =>
					Number(getComputedStyle(row.cells[2]).fontWeight) >= 600), true, "it is bold");
				expect(await lines.locator("tr.instruction").count(), 1, "instructions");
				expect(await lines.locator("code").evaluateAll((all) =>
					all.filter((code) => code.children.length > 0).length), 0, "elements in source");
			});
	}
}

module.exports = claimLines;
