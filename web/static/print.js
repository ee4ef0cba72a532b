// The sheet's print button, for browsers with scripts; without them the browser's own print does the same.
"use strict";
for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => window.print());
}
