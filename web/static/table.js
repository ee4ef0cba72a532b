// Sorts the offers in place when a column head is chosen; without scripts the link asks the server.
"use strict";
(() => {
  const tables = [...document.querySelectorAll("table[data-sortable]")];
  const compare = { numeric: new Intl.Collator(document.documentElement.lang, { numeric: true }) };

  function sort(name) {
    for (const table of tables) {
      const body = table.tBodies[0];
      const rows = [...body.rows];
      const value = (row) => row.dataset[name] ?? row.querySelector("." + name).textContent.trim();
      const order = (a, b) => compare.numeric.compare(value(a), value(b)) || a.dataset.price - b.dataset.price;
      body.replaceChildren(...rows.sort(order));
      for (const link of table.tHead.querySelectorAll("[data-sort]")) {
        const head = link.closest("th");
        if (link.dataset.sort === name) head.setAttribute("aria-sort", "ascending");
        else head.removeAttribute("aria-sort");
      }
    }
  }

  for (const table of tables) {
    table.tHead.addEventListener("click", (event) => {
      const link = event.target.closest("[data-sort]");
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      sort(link.dataset.sort);
      history.replaceState(null, "", "?sort=" + link.dataset.sort);
    });
  }
})();
