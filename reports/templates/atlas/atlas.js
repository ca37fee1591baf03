"use strict";
(() => {
  const HITS = 20;
  const root = document.documentElement;
  const one = (selector) => document.querySelector(selector);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const fold = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (text, terms) => terms.every((term) => text.includes(term));
  const store = (name, value) => {
    try {
      if (value === undefined) return localStorage.getItem(name);
      localStorage.setItem(name, value);
    } catch {}
    return null;
  };
  // Data stand in scripts of their own: a page from a folder may load a script, and no other file.
  const loading = new Map();
  const load = (name) => {
    if (!loading.has(name))
      loading.set(name, new Promise((done, failed) => {
        const script = document.createElement("script");
        script.src = root.dataset.root + name;
        script.addEventListener("load", done);
        script.addEventListener("error", failed);
        document.head.append(script);
      }));
    return loading.get(name);
  };
  const element = (name, text, kind) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (kind) made.className = kind;
    return made;
  };
  const linked = (text, page) => {
    const link = element("a", text);
    link.href = root.dataset.root + page;
    return link;
  };

  one("#tools").hidden = false;
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

  const search = one("#search");
  const results = one("#results");
  const hits = one("#hits");
  const find = async () => {
    const terms = fold(search.value);
    hits.replaceChildren();
    results.hidden = terms.length === 0;
    if (!terms.length) return;
    await load("search-data.js");
    const found = window.ATLAS_SEARCH.filter(([kind, title, text]) => has(`${kind} ${title} ${text}`.toLowerCase(), terms));
    const titled = (hit) => (has(hit[1].toLowerCase(), terms) ? 0 : 1);
    found.sort((a, b) => titled(a) - titled(b));
    one("#search-status").textContent = found.length > HITS ? `${found.length} found, the first ${HITS} here` : `${found.length} found`;
    hits.replaceChildren();
    for (const [kind, title, text, page] of found.slice(0, HITS)) {
      const link = linked("", page);
      link.append(element("strong", kind), ` ${title}`);
      if (text) link.append(element("span", text, "sub"));
      const item = element("li");
      item.append(link);
      hits.append(item);
    }
  };
  search.addEventListener("input", find);
  search.addEventListener("focus", find);
  one(".search").addEventListener("keydown", (event) => {
    const links = [...hits.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && links.length) {
      event.preventDefault();
      (links[at + step] || search).focus();
    } else if (event.key === "Enter" && event.target === search && links.length) links[0].click();
    else if (event.key === "Escape") {
      results.hidden = true;
      search.value = "";
      search.blur();
    }
  });
  document.addEventListener("click", (event) => {
    if (!event.target.closest(".search")) results.hidden = true;
  });
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target.closest("input, select, textarea")) return;
    event.preventDefault();
    search.focus();
  });

  const narrow = one("#narrow");
  if (narrow) {
    narrow.parentElement.hidden = false;
    const rows = all(".matrix tbody tr");
    const count = () => {
      const terms = fold(narrow.value);
      for (const row of rows) row.hidden = !has(row.textContent.toLowerCase(), terms);
      one("#narrow-status").textContent = `${rows.filter((row) => row.offsetParent !== null).length} of ${rows.length} clauses`;
    };
    narrow.addEventListener("input", count);
    one("[data-filters]").addEventListener("change", count);
    count();
  }

  // What a link leads to is not left folded.
  const show = () => {
    let target = null;
    try {
      target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    } catch {}
    if (!target) return;
    for (let inside = target.closest("details"); inside; inside = inside.parentElement.closest("details")) inside.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", show);
  show();

  // Two stores side by side. The choice stands in the page's address, so that it can be passed on.
  if (one("#compare")) {
    const first = one("#first");
    const second = one("#second");
    const only = one("#only");
    const badge = (verdict) => element("span", verdict || "not judged", verdict ? `badge v-${verdict}` : "muted");
    const cell = ([judged, verdict, shown]) => {
      const made = element("td");
      made.append(badge(verdict), judged ? ` ${judged}` : "");
      for (const [signature, link] of shown.slice(0, 3)) {
        const line = element("span", undefined, "sub");
        line.append(linked(signature, link));
        made.append(line);
      }
      return made;
    };
    const row = (name, page, ...cells) => {
      const made = element("tr");
      const head = element("th");
      head.scope = "row";
      head.append(linked(name, page));
      made.append(head, ...cells);
      return made;
    };
    const draw = () => {
      const data = window.ATLAS_COMPARE;
      const [a, b] = [Number(first.value), Number(second.value)];
      const terms = fold(only.value);
      for (const [kind, number] of [[".first-name", a], [".second-name", b]])
        for (const head of all(kind)) head.textContent = data.columns[number]?.name || "";
      const names = (part) => part[2].map(([signature]) => signature).join("\n");
      const clauses = data.clauses.filter(([id, , , statement, cells]) => {
        if (!cells[a] || !cells[b] || !has(`${id} ${statement}`.toLowerCase(), terms)) return false;
        return cells[a][1] !== cells[b][1] || names(cells[a]) !== names(cells[b]);
      });
      one("#compared-clauses").replaceChildren(
        ...clauses.map(([id, page, level, statement, cells]) =>
          row(id, page, element("td", `${level}: ${statement}`), cell(cells[a]), cell(cells[b]))),
      );
      const says = (value) => (value ? `declared ${value[0]}, observed: ${value[1]}` : "not known there");
      const options = data.options.filter(([name, , values]) => has(name.toLowerCase(), terms) && says(values[a]) !== says(values[b]));
      one("#compared-options").replaceChildren(
        ...options.map(([name, page, values]) => row(name, page, element("td", says(values[a])), element("td", says(values[b])))),
      );
      one("#compared").textContent = `${clauses.length} clauses and ${options.length} options differ`;
    };
    const begin = () => {
      const given = new URLSearchParams(location.hash.slice(1));
      const chosen = (select, name) => {
        const number = window.ATLAS_COMPARE.columns.findIndex((column) => column.name === given.get(name));
        if (number >= 0) select.value = String(number);
      };
      chosen(first, "first");
      chosen(second, "second");
      only.value = given.get("only") || "";
      draw();
    };
    const changed = () => {
      const name = (select) => window.ATLAS_COMPARE.columns[Number(select.value)]?.name || "";
      const given = new URLSearchParams({ first: name(first), second: name(second), only: only.value });
      history.replaceState(null, "", `#${given}`);
      draw();
    };
    load("compare-data.js").then(() => {
      one("#compare").hidden = false;
      begin();
      for (const part of [first, second]) part.addEventListener("change", changed);
      only.addEventListener("input", changed);
      addEventListener("hashchange", begin);
    });
  }
})();
