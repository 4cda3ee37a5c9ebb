// A point of a map names its trials: a link to the page of one that has been recorded, the command for the others.
(function () {
  "use strict";
  var MOST = 12;
  var source = document.getElementById("trials-data"), out = document.getElementById("trials");
  if (!source || !out) return;
  var data = JSON.parse(source.textContent), pages = new Set(data.pages), chosen = null;

  function element(tag, text, properties) {
    return Object.assign(document.createElement(tag), { textContent: text }, properties || {});
  }

  function entry(trial) {
    var item = element("li", "");
    if (pages.has(trial)) item.append(element("a", "trial " + trial, { href: "trials/" + trial + "/report.html" }));
    else item.append("trial " + trial + ": in this directory ", element("code", "stickslip sweep . --trial " + trial + " --out ."));
    return item;
  }

  function choose(rect) {
    if (chosen) chosen.classList.remove("chosen");
    chosen = rect;
    rect.classList.add("chosen");
    var list = document.createElement("ul"), first = +rect.dataset.cell, count = 0;
    // the grid is gone through once for each repeat; those with pages come first
    var all = [];
    for (var trial = first; trial < data.planned; trial += data.cells) all.push(trial);
    all.sort(function (a, b) { return pages.has(b) - pages.has(a) || a - b; });
    all.slice(0, MOST).forEach(function (trial) { list.append(entry(trial)); count++; });
    var more = all.length > count ? [element("p", "and " + (all.length - count) + " more", { className: "remark" })] : [];
    out.replaceChildren(element("h3", rect.querySelector("title").textContent), list, ...more);
  }

  document.querySelectorAll(".area.map").forEach(function (area) {
    var cells = Array.from(area.querySelectorAll("rect.cell")), at = 0;
    if (!cells.length) return;
    area.tabIndex = 0;
    area.setAttribute("role", "application");
    area.setAttribute("aria-label", "map of " + (area.closest("figure").querySelector(".title").textContent) + ": arrow keys move, Enter names the trials");
    var step = Math.max(1, cells.findIndex(function (c) { return c.getAttribute("y") !== cells[0].getAttribute("y"); }));
    cells.forEach(function (rect, i) { rect.addEventListener("click", function () { at = i; choose(rect); }); });
    area.addEventListener("keydown", function (event) {
      var by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: step, ArrowDown: -step }[event.key];
      if (by === undefined && event.key !== "Enter") return;
      event.preventDefault();
      if (by) at = Math.min(cells.length - 1, Math.max(0, at + by));
      choose(cells[at]);
    });
  });
})();
