"use strict";
// Everything can be read without this: it chooses the theme, filters lists, and opens what a link leads to.
(() => {
  const root = document.documentElement;
  const themes = ["system", "light", "dark"];

  const remembered = () => {
    try {
      return localStorage.getItem("relax-lint-theme");
    } catch {
      return null; // pages opened from a file or in a sandbox may have no storage
    }
  };
  const remember = (theme) => {
    try {
      localStorage.setItem("relax-lint-theme", theme);
    } catch {
      // then it holds for this visit
    }
  };
  const show = (theme) => {
    if (theme === "system") delete root.dataset.theme;
    else root.dataset.theme = theme;
  };

  let theme = remembered();
  if (!themes.includes(theme)) theme = "system";
  show(theme);

  const setUpTheme = () => {
    const button = document.getElementById("theme");
    const say = () => {
      button.textContent = `Theme: ${theme}`;
    };
    say();
    button.hidden = false;
    button.addEventListener("click", () => {
      theme = themes[(themes.indexOf(theme) + 1) % themes.length];
      show(theme);
      remember(theme);
      say();
    });
  };

  // ---------------------------------------------------------------- filters

  const setUpToolbar = (toolbar) => {
    const target = document.getElementById(toolbar.dataset.for);
    const field = toolbar.querySelector("input");
    const said = toolbar.querySelector("output");
    const chips = [...toolbar.querySelectorAll("button")];
    const items = [...target.querySelectorAll("[data-item]")].map((item) => [item, item.textContent.toLowerCase()]);
    const holders = [...target.querySelectorAll("[data-holder], .migrated .scroll:has([data-item])")];
    const titles = new Map(holders.map((holder) => [holder, holder.previousElementSibling]));
    const folds = [...target.querySelectorAll(":scope > details")].map((fold) => [fold, fold.open]);

    const apply = () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      const wanted = new Map();
      for (const chip of chips) {
        if (chip.getAttribute("aria-pressed") !== "true") continue;
        const { group, value } = chip.dataset;
        wanted.set(group, [...(wanted.get(group) || []), value]);
      }
      let shown = 0;
      for (const [item, text] of items) {
        const fits =
          words.every((word) => text.includes(word)) &&
          [...wanted].every(([group, values]) => values.includes(item.dataset[group]));
        item.hidden = !fits;
        if (fits) shown += 1;
      }
      for (const holder of holders) {
        holder.hidden = !holder.querySelector("[data-item]:not([hidden])");
        const title = titles.get(holder); // of a table in MIGRATION.md: a paragraph of its own
        if (title && title.matches("p:has(> strong:only-child)")) title.hidden = holder.hidden;
      }
      const filtered = words.length > 0 || wanted.size > 0;
      for (const [fold, wasOpen] of folds) {
        fold.open = filtered ? Boolean(fold.querySelector("[data-item]:not([hidden])")) : wasOpen;
      }
      said.textContent = filtered ? `${shown} of ${items.length}` : "";
    };

    for (const chip of chips) {
      chip.addEventListener("click", () => {
        chip.setAttribute("aria-pressed", String(chip.getAttribute("aria-pressed") !== "true"));
        apply();
      });
    }
    field.addEventListener("input", apply);
    field.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        field.value = "";
        apply();
      }
    });
    toolbar.hidden = false;
  };

  // ---------------------------------------------------------------- links

  const reach = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let above = target; above; above = above.parentElement) {
      if (above.tagName === "DETAILS") above.open = true;
      if (above.hidden) above.hidden = false;
    }
    target.scrollIntoView({ block: target.matches(".l") ? "center" : "start" });
  };

  // Which launch the others are compared with: the first one, or the one whose button is pressed.
  const setUpComparison = (table) => {
    const buttons = [...table.querySelectorAll("button.base")];
    const compareWith = (chosen) => {
      buttons.forEach((button, at) => button.setAttribute("aria-pressed", String(at === chosen)));
      for (const row of table.querySelectorAll("tr[data-item]")) {
        const cells = [...row.querySelectorAll("td")];
        const base = cells[chosen].dataset.like; // none where a launch breaks off: then it is not known
        for (const { classList, dataset: { like } } of cells) classList.toggle("differs", !!base && !!like && like !== base);
      }
    };
    buttons.forEach((button, at) => {
      button.hidden = buttons.length < 3; // of two, either differs from the other
      button.addEventListener("click", () => compareWith(at));
    });
    compareWith(0);
  };

  // Only what does scroll is a stop of the Tab key; without scripts every table is.
  const setUpStops = () => {
    const regions = [...document.querySelectorAll(".scroll")];
    const look = () => {
      const scrolls = regions.map(
        (one) => one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight, // read all, then write all
      );
      regions.forEach((one, at) => {
        if (scrolls[at]) one.tabIndex = 0;
        else one.removeAttribute("tabindex");
      });
    };
    look();
    addEventListener("resize", look);
    document.addEventListener("toggle", look, true);
  };

  const setUpPrint = () => {
    let opened = [];
    addEventListener("beforeprint", () => {
      opened = [...document.querySelectorAll("main details:not([open]):not(.file)")];
      for (const fold of opened) fold.open = true;
    });
    addEventListener("afterprint", () => {
      for (const fold of opened) fold.open = false;
    });
  };

  addEventListener("DOMContentLoaded", () => {
    setUpTheme();
    document.querySelectorAll(".toolbar").forEach(setUpToolbar);
    document.querySelectorAll("table.sides").forEach(setUpComparison);
    setUpStops();
    setUpPrint();
    addEventListener("hashchange", reach);
    document.addEventListener("click", (event) => {
      const link = event.target.closest("a[href^='#']");
      if (link && link.getAttribute("href") === location.hash) reach(); // no change of the hash, no event
    });
    document.addEventListener("keydown", (event) => {
      const typing = event.target.matches("input, textarea");
      if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
      const fields = [...document.querySelectorAll(".toolbar input")];
      const next = fields.find((field) => field.getBoundingClientRect().bottom > 0) || fields[0];
      if (!next) return;
      event.preventDefault();
      next.focus();
    });
    reach();
  });
})();
