// Opens pages in headless Chromium, started once, and writes what it saw of each as JSON to standard output.
// Standard input is JSON: {"chromium", "profile", "pages": [{"name", "file", "audited", "tried", "atlas"}]}: a page that is
// audited is checked with axe-core, of one that is tried the keys and buttons are used, of one of the atlas the search. What is wrong the caller decides.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const WIDE = { width: 1280, height: 800 };
const NARROW = { width: 400, height: 800 };
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--host-resolver-rules=MAP * ~NOTFOUND",
];

const asked = JSON.parse(readFileSync(0, "utf8"));
const browser = await puppeteer.launch({
  executablePath: asked.chromium,
  userDataDir: asked.profile,
  headless: true,
  args: ARGUMENTS,
});

/** Violations of one page, or of a part of it, as it stands, everything unfolded. */
async function violations(page, part) {
  await page.evaluate(AXE);
  return page.evaluate(async (css) => {
    for (const one of document.querySelectorAll("details")) one.open = true;
    for (const one of document.querySelectorAll(".fold input")) one.checked = true;
    // Without preload: axe would ask for the style sheets of the page again, which its policy forbids.
    const found = await axe.run(css ? document.querySelector(css) : document, { resultTypes: ["violations"], preload: false });
    return found.violations.map(({ id, impact, nodes }) => ({
      id,
      impact,
      nodes: nodes.slice(0, 5).map((node) => `${node.target.join(" ")}: ${node.failureSummary}`),
    }));
  }, part);
}

const active = (page) => page.evaluate(() => document.activeElement?.id || document.activeElement?.tagName || "");
const has = (page, selector) => page.evaluate((css) => document.querySelector(css)?.checkVisibility() ?? false, selector);
const count = (page, selector) =>
  page.evaluate((css) => [...document.querySelectorAll(css)].filter((one) => one.checkVisibility()).length, selector);
const place = (page) =>
  page.evaluate(() => [...document.querySelectorAll("[data-step]")].indexOf(document.activeElement));

/** What the keys do, one after another. */
async function keys(page) {
  const seen = {};
  await page.keyboard.press("/");
  seen.slash = await active(page);
  await page.keyboard.type("rename");
  seen.hits = await page.evaluate(() => [...document.querySelectorAll("#hits a")].map((one) => one.textContent));
  seen.status = await page.$eval("#search-status", (one) => one.textContent);
  await page.keyboard.press("ArrowDown");
  seen.down = await page.evaluate(() => document.activeElement.closest("#hits") !== null);
  seen.searching = await violations(page, ".bar");
  await page.keyboard.press("Escape");
  seen.closed = !(await has(page, "#results"));
  await page.evaluate(() => document.activeElement.blur());
  seen.steps = [];
  for (const key of ["j", "j", "k"]) {
    await page.keyboard.press(key);
    seen.steps.push(await place(page));
  }
  await page.keyboard.press("?");
  seen.help = await has(page, "#keys[open]");
  seen.helping = await violations(page, "#keys");
  await page.keyboard.press("Escape");
  seen.helped = !(await has(page, "#keys[open]"));
  return seen;
}

/** The choice of colours, kept over a reload; the filter of the clauses; copying. */
async function tools(page) {
  const seen = { themes: [] };
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme || "system");
  for (let number = 0; number < 2; number += 1) {
    await page.click("#theme");
    seen.themes.push(await theme());
  }
  seen.paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.reload();
  seen.kept = await theme();
  await page.click("#theme");
  seen.themes.push(await theme());
  seen.all = await count(page, ".matrix tbody tr");
  await page.click("#show-departed");
  seen.departed = await count(page, ".matrix tbody tr");
  await page.type("#clause-search", "no clause has these words");
  seen.narrowed = await count(page, ".matrix tbody tr");
  seen.copies = await count(page, ".copy");
  await page.click(".copy");
  await page.waitForFunction(() => document.querySelector(".copy").textContent !== "Copy");
  seen.copied = await page.$eval(".copy", (one) => one.textContent);
  return seen;
}

/** The search of the atlas, and the comparison of two of its stores, which read their data from files beside the page. */
async function atlas(page) {
  await page.keyboard.press("/");
  await page.keyboard.type("rename");
  await page.waitForFunction(() => /^operation rename/m.test(document.querySelector("#hits").innerText));
  const seen = { hits: await page.$$eval("#hits a", (found) => found.map((one) => one.textContent)) };
  seen.searching = await violations(page, ".bar");
  await page.keyboard.press("Escape");
  seen.closed = !(await has(page, "#results"));
  if (await page.$("#compare")) {
    await page.waitForSelector("#compare:not([hidden])");
    const rows = () => count(page, "#compared-clauses tr");
    await page.select("#second", "0");
    seen.same = await rows();
    await page.select("#second", "1");
    seen.differ = await rows();
    await page.type("#only", "no clause has these words");
    seen.narrowed = await rows();
    seen.address = await page.evaluate(() => location.hash);
    seen.says = await page.$eval("#compared", (one) => one.textContent);
    await page.click("#only", { clickCount: 3 });
    await page.keyboard.press("Backspace");
    seen.comparing = await violations(page, "#compare");
  }
  return seen;
}

async function look({ name, file, audited, tried, atlas: searched }) {
  const page = await browser.newPage();
  const seen = { name, console: [], requests: [], violations: {} };
  page.on("console", (message) => seen.console.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => seen.console.push(`page: ${error.message}`));
  page.on("request", (request) => seen.requests.push(request.url()));
  const url = pathToFileURL(file).href;
  await page.setViewport(WIDE);
  await page.goto(url);
  seen.first = await page.evaluate(() => {
    const box = document.querySelector("[data-first]")?.getBoundingClientRect();
    return box ? [box.left, box.top, box.right, box.bottom] : null;
  });
  for (const scheme of audited ? ["light", "dark"] : []) {
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    seen.violations[scheme] = await violations(page);
  }
  if (tried) {
    await page.goto(url);
    seen.keys = await keys(page);
    await page.goto(url);
    seen.tools = await tools(page);
  }
  if (searched) {
    await page.goto(url);
    seen.atlas = await atlas(page);
  }
  await page.setViewport(NARROW);
  await page.goto(url);
  seen.narrow = await page.evaluate(() => document.documentElement.scrollWidth);
  await page.setViewport(WIDE);
  await page.setJavaScriptEnabled(false);
  await page.goto(url);
  seen.plain = { tools: await has(page, "#tools"), plots: await count(page, "svg.plot"), first: await has(page, "[data-first]") };
  await page.close();
  return seen;
}

try {
  const pages = [];
  for (const page of asked.pages) pages.push(await look(page));
  process.stdout.write(JSON.stringify({ viewport: WIDE, narrow: NARROW, browser: await browser.version(), pages }));
} finally {
  await browser.close();
}
