/* What a flame graph does in a browser. Prints one result line a claim; run by tests/browser/run. */
"use strict";

const { chromium } = require("playwright-core");
const crypto = require("crypto");
const fs = require("fs");
const path = require("path");

const folder = process.argv[2];
const url = (name, state, extension) =>
	"file://" + path.join(folder, name + "." + (extension || "svg")) + (state ? "#" + state : "");
const claims = [];
const only = process.env.CLAIM;
const claim = (text, picture, check, options) => claims.push({ text, picture, check, options: options || {} });

function expect(actual, expected, what) {
	if (JSON.stringify(actual) !== JSON.stringify(expected)) {
		throw new Error(what + ": expected " + JSON.stringify(expected) + ", found " + JSON.stringify(actual));
	}
}

function holds(condition, what) {
	if (!condition) {
		throw new Error(what);
	}
}

/* In the page: the boxes to be seen, as name, left edge and width. */
const shown = (page) => page.evaluate(() =>
	Array.from(document.querySelectorAll("g.boxes > path")).filter((box) => box.getAttribute("d")).map((box) => {
		const at = /^M([\d.]+) ([\d.]+)h([\d.]+)/.exec(box.getAttribute("d"));

		return {
			name: box.textContent.split("\n")[0],
			x: Number(at[1]),
			width: Number(at[3]),
			class: box.getAttribute("class"),
		};
	}));
const named = async (page, name) => (await shown(page)).find((box) => box.name === name);
const labels = (page) => page.evaluate(() =>
	Array.from(document.querySelectorAll("g.labels text")).map((label) => label.textContent));
const text = (page, selector) => page.evaluate((s) => document.querySelector(s).textContent, selector);
const box = (page, name) => page.locator("g.boxes > path", { hasText: name }).first();
const button = (page, name) => page.locator("text.button", { hasText: name });

claim("a click zooms, reset undoes it", "simple", async (page) => {
	const before = await shown(page);

	await box(page, "parse\n").click();
	const zoomed = await named(page, "parse");

	expect([zoomed.x, zoomed.width], [10, 1180], "parse over the whole width");
	expect(await named(page, "print"), undefined, "print is out of sight");
	holds((await named(page, "main")).class.includes("above"), "main is shown as a caller");
	await button(page, "Reset zoom").click();
	expect((await shown(page)).map((b) => [b.name, b.x, b.width]),
		before.map((b) => [b.name, b.x, b.width]), "all boxes as before");
});

claim("the script draws what the file showed", "simple", async (page) => {
	const before = await shown(page);
	const words = await labels(page);

	await box(page, "main\n").click();
	await page.keyboard.press("Escape");
	expect((await shown(page)).map((b) => [b.name, b.x, b.width, b.class]),
		before.map((b) => [b.name, b.x, b.width, b.class]), "boxes");
	expect(await labels(page), words, "labels");
});

claim("the keyboard moves, zooms and returns", "simple", async (page) => {
	await page.keyboard.press("Tab");
	await page.evaluate(() => document.querySelector("g.boxes > path").focus());
	await page.keyboard.press("ArrowUp");
	await page.keyboard.press("ArrowUp");
	await page.keyboard.press("ArrowUp");
	await page.keyboard.press("ArrowRight");
	expect(await page.evaluate(() => document.activeElement.getAttribute("aria-label")),
		"print, 300 samples, 30.0 %, self 300 samples, 30.0 %", "what a screen reader hears");
	await page.keyboard.press("Enter");
	expect((await named(page, "print")).width, 1180, "Enter zooms");
	await page.keyboard.press("Escape");
	expect((await named(page, "print")).width, 354, "Escape returns");
});

claim("search counts recursion once and marks every match", "simple", async (page) => {
	await page.keyboard.press("/");
	await page.keyboard.type("^parse$");
	expect(await text(page, ".result"), "matched 60.0 %", "the share");
	expect((await shown(page)).filter((b) => b.class.includes("match")).length, 2, "marked boxes");
	await page.keyboard.press("Escape");
	expect((await shown(page)).filter((b) => b.class.includes("match")).length, 0, "after Escape");
});

claim("a wrong regular expression is said and harms nothing", "simple", async (page) => {
	await page.keyboard.press("Control+f");
	await page.keyboard.type("pa(");
	expect(await text(page, ".result"), "not a regular expression", "the result");
	await page.keyboard.press("Backspace");
	expect(await text(page, ".result"), "matched 60.0 %", "after mending it");
});

claim("the address holds the state", "simple", async (page) => {
	await box(page, "parse\n").click();
	await page.keyboard.press("/");
	await page.keyboard.type("read");
	const address = page.url();

	holds(address.includes("zoom=") && address.includes("search=read"), "address " + address);
	await page.goto("about:blank");
	await page.goto(address);
	expect((await named(page, "parse")).width, 1180, "zoomed again");
	expect(await text(page, ".result"), "matched 60.0 %", "searched again");
});

claim("an address that makes no sense is ignored", "simple", async (page) => {
	expect((await named(page, "main")).width, 1180, "main");
}, { state: "zoom=99999&search=%28%28&view=x&colour=y" });

claim("hostile names run no script", "hostile", async (page) => {
	await page.keyboard.press("/");
	await page.keyboard.type("script");
	for (let i = 0; i < await page.locator("g.boxes > path").count(); i++) {
		await page.locator("g.boxes > path").nth(i).hover({ force: true });
		await page.locator("g.boxes > path").nth(i).click({ force: true });
		await page.keyboard.press("Escape");
	}
	expect(await page.evaluate(() => window.hacked), undefined, "window.hacked");
	expect(await page.evaluate(() => document.querySelectorAll("img, script").length), 1, "elements");
});

claim("hostile names are shown as they are", "hostile", async (page) => {
	const all = await page.locator("g.labels text").allTextContents();

	holds(all.some((label) => label.startsWith("<script>window")), "the label is text");
}, { javaScript: false });

claim("a difference shows what is gone, what is new and what grew", "diff", async (page) => {
	expect((await named(page, "old_way")).class, "gone w", "old_way");
	expect((await named(page, "new_way")).class, "new w", "new_way");
	holds(/^g/.test((await named(page, "print")).class), "print grew");
	await button(page, "Shown:").click();
	holds(!(await named(page, "new_way")), "before: new_way is not there");
	expect((await named(page, "old_way")).width, 354, "before: 30 % are old_way");
	await button(page, "Shown:").click();
	holds(!(await named(page, "old_way")), "after: old_way is not there");
	await button(page, "Shown:").click();
	await button(page, "Colour:").click();
	expect((await named(page, "new_way")).class, "z w", "by own cost new_way is neutral");
	expect((await named(page, "main")).class, "z w", "and so is main");
});

claim("a search in a difference gives both shares", "diff", async (page) => {
	await page.keyboard.press("/");
	await page.keyboard.type("helper");
	expect(await text(page, ".result"), "matched 30.0 % \u2192 4.8 %", "the shares");
});

for (const [name, words] of [
	["simple", ["1,000 samples", "program", "main", "print"]],
	["diff", ["normalised to equal totals", "before: 10,000 samples", "after: 10,510 samples",
		"Grew most", "Shrank most", "\u25b2 print", "\u25bc gone", "within noise"]],
]) {
	claim(name + " is readable without a script", name, async (page) => {
		const all = await page.locator("svg text").allTextContents();

		for (const word of words) {
			holds(all.some((line) => line.includes(word)), "no text says " + word);
		}
		expect(await page.locator("text.button").count(), 0, "buttons that would do nothing");
	}, { javaScript: false });
}

claim("labels are legible in both themes", "simple", async (page) => {
	const worst = await page.evaluate(() => {
		const luminance = (colour) => {
			const [r, g, b] = colour.match(/[\d.]+/g).slice(0, 3).map((v) => v / 255)
				.map((v) => (v <= 0.03928 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4)));

			return 0.2126 * r + 0.7152 * g + 0.0722 * b;
		};
		const fill = (element) => luminance(getComputedStyle(element).fill);
		const label = fill(document.querySelector("g.labels text"));
		const probe = document.querySelector("g.boxes > path");
		let least = 99;

		for (const kind of "uljkxiach") {
			for (let shade = 0; shade < (kind === "h" ? 10 : 5); shade++) {
				probe.setAttribute("class", kind + shade);
				const [high, low] = [fill(probe), label].sort((a, b) => b - a);

				least = Math.min(least, (high + 0.05) / (low + 0.05));
			}
		}
		return least;
	});

	holds(worst >= 4.5, "contrast " + worst);
}, { themes: ["light", "dark"] });

require("./flamegraph_ways.js")({ claim, expect, holds, url, named, labels, text, box });

async function run(browser, { text: words, picture, check, options }) {
	for (const theme of options.themes || ["light"]) {
		const context = await browser.newContext({
			colorScheme: theme,
			viewport: options.viewport || (options.phone ? { width: 390, height: 800 } : { width: 1200, height: 900 }),
			isMobile: Boolean(options.phone),
			hasTouch: Boolean(options.phone),
			javaScriptEnabled: options.javaScript !== false,
		});
		const page = await context.newPage();
		const errors = [];

		page.setDefaultTimeout(10000);
		page.on("pageerror", (error) => errors.push(error.message));
		page.on("request", (request) => {
			if (!request.url().startsWith("file://")) {
				errors.push("asked for " + request.url());
			}
		});
		try {
			await page.goto(url(picture, options.state, options.extension));
			await check(page);
			expect(errors, [], "errors in the page");
		} finally {
			await context.close();
		}
	}
	console.log("pass browser flamegraph: " + words);
}

/* A page that holds the shared parts once and two pictures, under a strict policy. */
function makePage() {
	const whole = fs.readFileSync(path.join(folder, "simple.svg"), "utf8");
	const cut = (from, to) => whole.slice(whole.indexOf(from) + from.length, whole.indexOf(to));
	const style = cut("<style>", "</style>");
	const script = cut("<script><![CDATA[", "]]></script>");
	const picture = whole.slice(whole.indexOf("<svg"), whole.indexOf("<style>")) +
		cut("</defs>", "<script>") + "</svg>";
	const hash = (content) => "'sha256-" + crypto.createHash("sha256").update(content).digest("base64") + "'";

	fs.writeFileSync(path.join(folder, "page.html"), `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>page</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${hash(style)}; script-src ${hash(script)}">
<style>${style}</style></head><body>
<svg width="0" height="0"><defs>${cut("<defs>", "</defs>")}</defs></svg>
${picture}${picture}<script>${script}</script></body></html>`);
}

(async () => {
	makePage();
	const browser = await chromium.launch({
		executablePath: process.env.CHROMIUM,
		args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
			"--disable-background-networking", "--disable-component-update", "--disable-sync"],
	});
	let failed = 0;

	for (const one of claims.filter((each) => !only || each.text.includes(only))) {
		try {
			await run(browser, one);
		} catch (error) {
			failed++;
			console.log("fail browser flamegraph: " + one.text + "\n  " + String(error.message).split("\n").join("\n  "));
		}
	}
	await browser.close();
	process.exit(failed > 0 ? 1 : 0);
})();
