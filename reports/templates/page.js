"use strict";
(() => {
  const HITS = 14;
  const one = (selector) => document.querySelector(selector);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const store = (name, value) => {
    try {
      if (value === undefined) return localStorage.getItem(name);
      localStorage.setItem(name, value);
    } catch {}
    return null;
  };
  const fold = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (text, terms) => terms.every((term) => text.includes(term));

  one("#tools").hidden = false;

  // Colours: as the system has them, light, dark.
  const root = document.documentElement;
  const themes = ["system", "light", "dark"];
  const theme = one("#theme");
  const tell = () => (theme.textContent = `Theme: ${root.dataset.theme || "system"}`);
  theme.addEventListener("click", () => {
    const next = themes[(themes.indexOf(root.dataset.theme || "system") + 1) % themes.length];
    if (next === "system") delete root.dataset.theme;
    else root.dataset.theme = next;
    store("fsconform-theme", next);
    tell();
  });
  tell();

  // Search: the texts are those of the page itself. Divergences come first, the most serious before all.
  const search = one("#search");
  const results = one("#results");
  const hits = one("#hits");
  const status = one("#search-status");
  let texts = null;
  const says = (hit) => [...hit.querySelectorAll("[data-say]")].map((part) => part.textContent.replace(/\s+/g, " ").trim());
  const read = () => {
    texts ??= all("[data-hit]").map((hit) => ({
      clause: hit.hasAttribute("data-kinds"),
      rank: Number(hit.dataset.hit),
      text: hit.textContent.toLowerCase(),
      label: says(hit).join(" \u00b7 "),
      badge: hit.matches("tr") ? hit.querySelector(".badge") : null,
      link: hit.id ? `#${hit.id}` : hit.querySelector("a[href]")?.getAttribute("href") || "#rest",
    })).sort((one, other) => one.rank - other.rank);
    return texts;
  };
  const find = () => {
    const terms = fold(search.value);
    hits.replaceChildren();
    results.hidden = terms.length === 0;
    if (!terms.length) return;
    const found = read().filter((hit) => has(hit.text, terms));
    const clauses = found.filter((hit) => hit.clause).length;
    const rest = found.length > HITS ? `, the first ${HITS} here` : "";
    status.textContent = `${found.length - clauses} on divergences, ${clauses} on clauses${rest}`;
    for (const hit of found.slice(0, HITS)) {
      const link = document.createElement("a");
      link.href = hit.link;
      if (hit.badge && !hit.clause) link.append(hit.badge.cloneNode(true), " ");
      if (hit.clause) link.append("clause ");
      link.append(hit.label);
      const item = document.createElement("li");
      item.append(link);
      hits.append(item);
    }
  };
  const close = () => {
    results.hidden = true;
    search.value = "";
  };
  search.addEventListener("input", find);
  search.addEventListener("focus", find);
  results.addEventListener("click", (event) => event.target.closest("a") && close());
  one(".search").addEventListener("keydown", (event) => {
    const links = [...hits.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && links.length) {
      event.preventDefault();
      (links[at + step] || search).focus();
    } else if (event.key === "Enter" && event.target === search && links.length) links[0].click();
    else if (event.key === "Escape") {
      close();
      search.blur();
    }
  });
  document.addEventListener("click", (event) => {
    if (!event.target.closest(".search")) results.hidden = true;
  });

  // The clause matrix, narrowed down.
  const narrow = one("#clause-search");
  if (narrow) {
    narrow.parentElement.hidden = false;
    const rows = all(".matrix tbody tr");
    const count = () => {
      const terms = fold(narrow.value);
      for (const row of rows) row.hidden = !has(row.textContent.toLowerCase(), terms);
      const shown = rows.filter((row) => row.offsetParent !== null).length;
      one("#clause-status").textContent = `${shown} of ${rows.length} clauses`;
    };
    narrow.addEventListener("input", count);
    one("[data-filters]").addEventListener("change", count);
    count();
  }

  // Copying.
  for (const block of all("pre[data-copy]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.setAttribute("aria-label", `Copy the ${block.dataset.copy}`);
    const frame = document.createElement("div");
    frame.className = "copied";
    block.replaceWith(frame);
    frame.append(block, button);
    button.addEventListener("click", async () => {
      const text = block.textContent;
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(block);
        button.textContent = document.execCommand("copy") ? "Copied" : "Selected";
      }
    });
  }

  // What a link leads to is not left folded, nor filtered out.
  const show = (target) => {
    if (!target) return;
    const next = target.nextElementSibling;
    if (next?.matches("details")) next.open = true;
    for (let inside = target.closest("details"); inside; inside = inside.parentElement.closest("details")) inside.open = true;
    const body = target.matches("[data-step]") && target.querySelector(":scope > details");
    if (body) body.open = true;
    if (target.matches(".matrix tr") && target.offsetParent === null) {
      one("#show-all").checked = true;
      narrow.value = "";
      narrow.dispatchEvent(new Event("input"));
    }
    target.scrollIntoView({ block: target.matches(".matrix tr") ? "center" : "start" });
    for (const link of all(".side a[aria-current]")) link.removeAttribute("aria-current");
    if (target.id) one(`.side a[href="#${CSS.escape(target.id)}"]`)?.setAttribute("aria-current", "true");
  };
  const linked = () => {
    try {
      return document.getElementById(decodeURIComponent(location.hash.slice(1)));
    } catch {
      return null;
    }
  };
  addEventListener("hashchange", () => show(linked()));
  if (location.hash) show(linked());

  // Keys.
  const keys = one("#keys");
  const on = one("#keys-on");
  on.checked = store("fsconform-keys") !== "off";
  on.addEventListener("change", () => store("fsconform-keys", on.checked ? "on" : "off"));
  one("#help").addEventListener("click", () => keys.showModal());
  one("#keys-close").addEventListener("click", () => keys.close());
  const steps = all("[data-step]");
  let at = -1;
  const step = (by) => {
    const known = steps.indexOf(document.activeElement?.closest("[data-step]") || linked());
    at = Math.min(Math.max((known >= 0 ? known : at) + by, 0), steps.length - 1);
    const target = steps[at];
    if (!target) return;
    target.tabIndex = -1;
    if (target.id) location.replace(`#${target.id}`);
    show(target);
    target.focus({ preventScroll: true });
  };
  addEventListener("keydown", (event) => {
    if (!on.checked || event.ctrlKey || event.altKey || event.metaKey || keys.open) return;
    if (event.target.closest("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]")) return;
    const action = {
      "/": () => search.focus(),
      "?": () => keys.showModal(),
      j: () => step(1),
      k: () => step(-1),
      Escape: close,
    }[event.key];
    if (!action) return;
    if (event.key !== "Escape") event.preventDefault();
    action();
  });
})();
