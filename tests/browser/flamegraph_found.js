/*
 * What search finds: every function of the folded text a picture was drawn from, with its share.
 * The claims of flamegraph.test.js, with its helpers.
 */
"use strict";

const fs = require("fs");
const path = require("path");

/* For more functions, as in a profile that was made up, some are requested. */
const MOST_ASKED = 6000;

/* Functions of folded text by name: total weight, a stack counted once. */
function readFolded(file) {
	const weights = new Map();
	let whole = 0;

	for (const line of fs.readFileSync(file, "utf8").split("\n").filter((each) => each && each[0] !== "#")) {
		const cut = line.lastIndexOf(" ");
		const weight = Number(line.slice(cut + 1));

		whole += weight;
		/* What is but blanks is no frame. */
		for (const name of new Set(line.slice(0, cut).split(";").filter((each) => each.trim())
			.map((each) => each.replace(/_\[[ijk]\]$/, ""))))
			weights.set(name, (weights.get(name) || 0) + weight);
	}
	return Array.from(weights, ([name, weight]) => [name, 100 * weight / whole]);
}

/*
 * Asks the search field for exactly each name and reads what is said; zoomed to one of the last
 * frames, so that there is little to draw each time.
 */
const searchAll = (page, names) => page.evaluate((all) => {
	const field = document.querySelector(".field");
	const boxes = document.querySelectorAll("g.boxes > path");

	boxes[boxes.length - 1].dispatchEvent(new MouseEvent("click", { bubbles: true }));

	return all.map((name) => {
		field.value = "=" + name;
		field.dispatchEvent(new Event("input"));
		return document.querySelector(".result").textContent;
	});
}, names);

module.exports = ({ claim, holds, folder, folded }) => {
	for (const picture of folded) {
		claim("search finds every function, with its share: " + picture, picture, async (page) => {
			const functions = readFolded(path.join(folder, picture + ".folded"));
			const asked = functions.filter((_, i, all) => i % Math.ceil(all.length / MOST_ASKED) === 0);
			const said = await searchAll(page, asked.map(([name]) => name));
			const unlisted = await page.evaluate(() => Number(document.documentElement.getAttribute("data-unlisted")));
			let missing = 0;

			holds(asked.length > 3, "functions");
			asked.forEach(([name, share], i) => {
				const found = /^matched ([\d.]+) %/.exec(said[i]);

				missing += said[i].startsWith("no match; ");
				holds(said[i].startsWith("no match; ") && share < 0.01 && unlisted > 0 || found && Math.abs(Number(found[1]) - share) <= 0.1,
					name + " has " + share.toFixed(3) + " %, and it says: " + said[i]);
			});
			holds(missing <= asked.length * unlisted / functions.length * 2, missing + " are missing");
		});
	}
};
