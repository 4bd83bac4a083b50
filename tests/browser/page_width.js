/* What windows of usual widths show of a report's page. */
"use strict";

const { claim, expect, holds } = require("./claims.js");

/* Scrolled regions that are wider than their room; those of the measurement may be. */
const cut = () => Array.from(document.querySelectorAll(".scroll"))
	.filter((each) => !each.querySelector(".runs") && each.scrollWidth > each.clientWidth)
	.map((each) => each.getAttribute("aria-label"));

function claimWidths(pages, file) {
	for (const width of [800, 1400]) {
		for (const name of pages) {
			claim(name + " fits a window of " + width + " pixels, columns and all",
				{ address: file(name), viewport: { width, height: 900 } }, async (page) => {
					expect(await page.evaluate(cut), [], "what is cut");
				});
		}
		claim("of what failed the picture is at the top, " + width + " pixels wide",
			{ address: file("fail"), viewport: { width, height: 900 } }, async (page) => {
				const box = await page.locator("section.fail figure.picture").first().boundingBox();

				holds(box.y + box.height < 1500, "it ends at " + (box.y + box.height));
			});
	}
}

/* Heights in the first picture: of the end of its heading, its highest frame, and all of it. */
const heights = () => {
	const picture = document.querySelector("section.fail figure.picture svg");
	const tops = Array.from(picture.querySelectorAll("g.boxes > path"), (each) =>
		each.getBoundingClientRect().top);

	return { head: picture.querySelector("g.head").getBoundingClientRect().bottom,
		highest: Math.min(...tops), all: picture.getBoundingClientRect().height };
};

function claimRows(file) {
	for (const width of [800, 1400]) {
		claim("only a search makes room for frames narrower than a pixel, " + width + " pixels wide",
			{ address: file("fail"), viewport: { width, height: 900 } }, async (page) => {
				const first = await page.evaluate(heights);

				holds(first.highest - first.head < 40, first.highest - first.head + " pixels are empty");
				await page.locator("section.fail figure.picture").first().getByRole("button",
					{ name: "Search" }).click();
				await page.keyboard.type("=fault_29");
				await page.keyboard.press("Enter");
				const found = await page.evaluate(heights);

				holds(found.all > first.all + 20 * 16, "it grew from " + first.all + " to " + found.all);
				holds(found.highest - found.head < 60, found.highest - found.head + " pixels are empty");
			});
	}
}

module.exports = { claimRows, claimWidths };
