// Colours as the system has them, or as the player chose. It runs before the page is
// drawn, so that it does not flash.
"use strict";
(() => {
  const root = document.documentElement;
  const order = ["system", "light", "dark"];
  const names = { system: "as the system", light: "light", dark: "dark" };
  let theme = "system";
  try {
    theme = localStorage.getItem("theme") ?? "system";
  } catch {} // no storage: the choice lasts for this page
  const show = () => {
    if (!order.includes(theme)) theme = "system";
    if (theme === "system") delete root.dataset.theme;
    else root.dataset.theme = theme;
    const name = document.getElementById("theme-name");
    if (name) name.textContent = names[theme];
  };
  show();
  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    button.hidden = false;
    show();
    button.addEventListener("click", () => {
      theme = order[(order.indexOf(theme) + 1) % order.length];
      try {
        localStorage.setItem("theme", theme);
      } catch {}
      show();
    });
  });
})();
