// Follows a running search: asks once a second (every ten while the page is hidden), reloads at the end.
"use strict";
(() => {
  const root = document.querySelector("[data-poll]");
  if (!root) return;
  const VISIBLE_MS = 1000, HIDDEN_MS = 10000, MAX_BACKOFF_MS = 15000, ANSWER_MS = 8000;
  const clock = root.querySelector("[data-clock]");
  const bar = root.querySelector("progress");
  const lost = root.querySelector("[data-lost]");
  const list = root.querySelector("[data-stages]");
  const begun = performance.now() - Number(root.dataset.elapsed) * 1000;
  const seconds = (ms) => (ms === null ? "–" : ms > 0 && ms < 100 ? "<0.1" : (ms / 1000).toFixed(1));
  let etag = "", failures = 0, timer = 0, asking = false;

  function set(row, name, value) {
    const cell = row.querySelector(`[data-is="${name}"]`);
    if (cell.textContent !== value) cell.textContent = value;
    return cell;
  }

  function show(job) {
    for (const source of job.sources) {
      const row = root.querySelector(`[data-mall="${source.mall}"]`);
      if (!row) continue;
      row.className = source.tone;
      set(row, "state", source.state_text).className = `chip ${source.tone}`;
      set(row, "offers", source.offers === null ? "–" : String(source.offers));
      set(row, "took", seconds(source.took_ms));
    }
    if (!job.stages.length) return;
    list.replaceChildren(...job.stages.map((stage) => {
      const item = document.createElement("li"), text = document.createElement("span"), took = document.createElement("b");
      item.className = stage.tone;
      text.textContent = stage.text;
      took.textContent = list.dataset.stages.replace("{n}", seconds(stage.took_ms));
      item.append(text, " ", took);
      return item;
    }));
  }

  async function ask() {
    const headers = etag ? { "If-None-Match": etag } : {};
    const answer = await fetch(root.dataset.poll, { headers, cache: "no-store", signal: AbortSignal.timeout(ANSWER_MS) });
    if (answer.status === 304) return false;
    if (!answer.ok) throw new Error(String(answer.status));
    etag = answer.headers.get("ETag") || "";
    const job = await answer.json();
    show(job);
    return job.final;
  }

  async function turn() {
    clearTimeout(timer);
    if (asking) return;
    asking = true;
    try {
      if (await ask()) return location.reload();
      failures = 0;
    } catch {
      failures += 1;
    }
    asking = false;
    lost.hidden = failures < 3;
    const pace = document.hidden ? HIDDEN_MS : VISIBLE_MS;
    timer = setTimeout(turn, Math.min(pace * 2 ** failures, Math.max(pace, MAX_BACKOFF_MS)));
  }

  setInterval(() => {
    const elapsed = Math.round((performance.now() - begun) / 1000);
    clock.textContent = clock.dataset.clock.replace("{n}", elapsed);
    bar.value = Math.min(elapsed, bar.max);
  }, 1000);
  document.addEventListener("visibilitychange", () => { if (!document.hidden) turn(); });
  turn();
})();
