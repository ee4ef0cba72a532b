// Numbers that renew themselves while nobody types, and one box that ticks all.
"use strict";
(() => {
  const live = document.querySelector("[data-live]");
  const busy = () => document.hidden || document.activeElement?.closest("[data-live] form, [data-live] a");

  async function renew() {
    if (busy()) return;
    try {
      const answer = await fetch(location.href, { cache: "no-store", signal: AbortSignal.timeout(8000) });
      if (!answer.ok || answer.redirected) return;
      const next = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-live]");
      if (!next) return location.reload(); // it has ended: the page that stays is another one
      if (!busy()) document.querySelector("[data-live]").replaceWith(document.adoptNode(next));
    } catch { /* the next turn asks again; the time beside the title shows how old the numbers are */ }
  }

  if (live) setInterval(renew, Number(live.dataset.live) * 1000);

  const form = document.getElementById("cancel");
  const head = form?.querySelector("thead th");
  const boxes = form ? [...form.querySelectorAll("tbody input[type=checkbox]")] : [];
  if (head && boxes.length > 1) {
    const all = document.createElement("input");
    all.type = "checkbox";
    all.setAttribute("aria-label", head.textContent);
    all.addEventListener("change", () => boxes.forEach((box) => { box.checked = all.checked; }));
    head.append(all);
  }
})();
