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

module.exports = claimWidths;
