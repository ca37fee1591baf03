// A choice of colours that was made before holds before the page is drawn. Storage can be shut, above all on file://.
try {
  const kept = localStorage.getItem("fsconform-theme");
  if (kept === "light" || kept === "dark") document.documentElement.dataset.theme = kept;
} catch {}
