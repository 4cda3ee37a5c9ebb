// One cursor for all plots over time. Values are read back from the drawn paths, so the page carries no second copy.
(function () {
  "use strict";
  var UNITS = 10000;
  var areas = Array.prototype.map.call(document.querySelectorAll(".area.time"), function (area) {
    var cursor = document.createElement("span");
    cursor.className = "cursor";
    cursor.hidden = true;
    area.appendChild(cursor);
    return { area: area, cursor: cursor, entries: null };
  });
  var flag = document.createElement("span");
  flag.hidden = true;

  // Relative path data to a list of [x, y]; a new piece starts with null.
  function points(d) {
    var out = [], x = 0, y = 0, part, match = /([Mlh])(-?\d+)(?:[ ]?(-?\d+))?/g;
    while ((part = match.exec(d))) {
      if (part[1] === "M") { x = +part[2]; y = +part[3]; out.push(null); }
      else { x += +part[2]; y += part[1] === "l" ? +part[3] : 0; }
      out.push([x, y]);
    }
    return out;
  }

  function numbers(text) { return text.split(" ").map(Number); }

  function entries(item) {
    if (item.entries) return item.entries;
    var area = item.area, figure = area.closest("figure"), list = [];
    if (figure) {
      var range = numbers(area.dataset.y), log = area.classList.contains("log");
      figure.querySelectorAll(".k[data-s]").forEach(function (key) {
        var path = area.querySelector('path[data-s="' + key.dataset.s + '"]'), shown = key.querySelector("b");
        list.push({ points: points(path.getAttribute("d")), shown: shown, rest: shown.textContent, range: range, log: log });
      });
    }
    return (item.entries = list);
  }

  function heightAt(list, x) {
    for (var i = 0, before = null; i < list.length; before = list[i++]) {
      var here = list[i];
      if (!here || here[0] < x) continue;
      if (here[0] === x) return here[1];
      if (!before) return null;
      return before[1] + (here[1] - before[1]) * (x - before[0]) / (here[0] - before[0]);
    }
    return null;
  }

  function show(entry, x) {
    var y = heightAt(entry.points, x), low = entry.range[0], high = entry.range[1];
    if (y === null) return "–";
    var value = low + (high - low) * (1 - y / UNITS);
    if (entry.log) return (y >= UNITS ? "≤ " : "") + String(+Math.pow(10, value).toPrecision(2));
    // No more digits than the drawing resolves.
    var unit = Math.pow(10, Math.floor(Math.log10((high - low) / UNITS)));
    var rounded = Math.round(value / unit) * unit;
    var digits = Math.ceil(Math.log10(Math.max(Math.abs(rounded), unit) / unit)) || 1;
    return String(+rounded.toPrecision(Math.min(15, digits))).replace("-", "−");
  }

  function move(event, area) {
    var box = area.getBoundingClientRect();
    var part = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
    var left = 100 * part + "%", source = area.dataset.x ? area : document.querySelector(".area.time[data-x]");
    areas.forEach(function (item) {
      item.cursor.hidden = false;
      item.cursor.style.left = left;
      entries(item).forEach(function (entry) { entry.shown.textContent = show(entry, Math.round(part * UNITS)); });
    });
    if (!source) return;
    var range = numbers(source.dataset.x);
    flag.hidden = false;
    flag.className = part > 0.6 ? "at left" : "at";
    flag.style.left = left;
    flag.textContent = "t = " + +(range[0] + (range[1] - range[0]) * part).toPrecision(5) + " s";
    area.appendChild(flag);
  }

  function leave() {
    flag.hidden = true;
    areas.forEach(function (item) {
      item.cursor.hidden = true;
      (item.entries || []).forEach(function (entry) { entry.shown.textContent = entry.rest; });
    });
  }

  areas.forEach(function (item) {
    var pending = null;
    item.area.addEventListener("pointermove", function (event) {
      if (!pending) requestAnimationFrame(function () { if (pending) move(pending, item.area); pending = null; });
      pending = event;
    });
    item.area.addEventListener("pointerleave", function () { pending = null; leave(); });
  });
})();
