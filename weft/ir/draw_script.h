// The script of HTML drawings: opens and closes scopes, pans and zooms. C++ computes the layout of
// every scope with all scopes inside it folded; opening a scope moves the boxes to its right and
// below it, so their order stays.
#pragma once

#include <string_view>

namespace weft::ir {

inline constexpr std::string_view kDrawScript = R"js(
'use strict';

// Where everything in scope `s` stands while the scopes of the set `open` are open.
function arrange(s, open) {
  const scope = data.scopes[s];
  const inner = scope.items.map(item => open.has(item.inside) ? arrange(item.inside, open) : null);
  const more = scope.rows.map(() => 0);  // height of rows
  scope.items.forEach((item, i) => {
    const [top, bottom] = scope.rows[item.row];
    if (inner[i]) more[item.row] = Math.max(more[item.row], inner[i].h - (bottom - top));
  });
  const rowsAbove = row => more.slice(0, row).reduce((a, b) => a + b, 0);
  const down = y => scope.rows.reduce((sum, row, r) => row[1] <= y + 0.01 ? sum + more[r] : sum, 0);
  const cuts = [];  // where the scope grows wider, and how much
  const wider = scope.items.map((item, i) => inner[i] ? inner[i].w - item.w : 0);
  scope.items.map((_, i) => i).filter(i => wider[i] > 0).sort((a, b) => wider[b] - wider[a]).forEach(i => {
    const {x, w} = scope.items[i];
    const has = cuts.reduce((sum, cut) => x < cut.x && cut.x < x + w ? sum + cut.by : sum, 0);
    if (wider[i] > has) cuts.push({x: x + w / 2, by: wider[i] - has});
  });
  const right = x => cuts.reduce((sum, cut) => sum + (x > cut.x + 0.5 ? cut.by : x > cut.x - 0.5 ? cut.by / 2 : 0), 0);
  const items = scope.items.map((item, i) => {
    const w = inner[i] ? inner[i].w : item.w, h = inner[i] ? inner[i].h : item.h;
    const middle = item.x + item.w / 2, left = item.x + right(item.x), end = item.x + item.w + right(item.x + item.w);
    const x = Math.min(Math.max(middle + right(middle) - w / 2, left), Math.max(left, end - w));
    const [top, bottom] = scope.rows[item.row];
    return {x, y: top + rowsAbove(item.row) + (bottom - top + more[item.row] - h) / 2, w, h};
  });
  const height = scope.h + rowsAbove(more.length);
  const endX = ([kind, index, port], x, ways) => kind !== 0 ? x + right(x) :
      inner[index] ? items[index].x + inner[index][ways][port] : items[index].x + x - scope.items[index].x;
  const lines = scope.edges.map(edge => {
    const last = edge.route.length - 1;
    const from = endX(edge.from, edge.route[0][0], 'out'), to = endX(edge.to, edge.route[last][0], 'in');
    const points = edge.route.map(([x, y], k) =>
        [k <= 1 ? from : k >= last - 1 ? to : x + right(x), y + down(y)]);
    points[0][1] = edge.from[0] === 0 ? items[edge.from[1]].y + items[edge.from[1]].h : 0;
    points[last][1] = edge.to[0] === 0 ? items[edge.to[1]].y : height;
    return {points, line: edge.line, ends: edge.to[0] === 0 && !inner[edge.to[1]]};
  });
  return {w: scope.w + cuts.reduce((sum, cut) => sum + cut.by, 0), h: height, items, inner, lines,
          in: scope.in.map(x => x + right(x)), out: scope.out.map(x => x + right(x))};
}

function linePath(points, x, y) {
  const bends = [];
  for (const [px, py] of points) {
    const n = bends.length, near = (a, b) => Math.abs(a - b) < 0.05;
    if (n && near(bends[n - 1][0], px) && near(bends[n - 1][1], py)) continue;
    if (n > 1 && (near(bends[n - 2][0], bends[n - 1][0]) && near(bends[n - 1][0], px) ||
                  near(bends[n - 2][1], bends[n - 1][1]) && near(bends[n - 1][1], py))) bends.pop();
    bends.push([px, py]);
  }
  let out = '';
  bends.forEach((b, k) => {
    const at = (px, py) => (px + x).toFixed(1) + ',' + (py + y).toFixed(1);
    if (k === 0 || k === bends.length - 1) { out += (k ? 'L' : 'M') + at(b[0], b[1]); return; }
    const towards = other => {
      const length = Math.abs(other[0] - b[0]) + Math.abs(other[1] - b[1]), r = Math.min(5, length / 2) / length;
      return at(b[0] + (other[0] - b[0]) * r, b[1] + (other[1] - b[1]) * r);
    };
    out += 'L' + towards(bends[k - 1]) + 'Q' + at(b[0], b[1]) + ' ' + towards(bends[k + 1]);
  });
  return out;
}

function escaped(text) { return text.replace(/&/g, '&amp;').replace(/</g, '&lt;'); }

// The drawing of a scope as SVG.
function drawn(s, at, x, y) {
  const scope = data.scopes[s];
  let out = s === 0 ? '' : `<rect class="${scope.function ? 'function' : 'frame'}" x="${x}" y="${y}" width="${at.w}" height="${at.h}" rx="8"/>`;
  scope.items.forEach((item, i) => {
    if (at.inner[i]) out += drawn(item.inside, at.inner[i], x + at.items[i].x, y + at.items[i].y);
  });
  const done = new Set();
  for (const {points, line, ends} of at.lines) {
    const path = linePath(points, x, y);
    if (done.has(path)) continue;
    done.add(path);
    out += `<path class="way ${['', 'order', 'saved'][line]}" d="${path}"${ends ? ' marker-end="url(#weft-arrow)"' : ''}/>`;
  }
  scope.items.forEach((item, i) => {
    if (at.inner[i]) return;
    const opens = item.inside >= 0 ? ` data-open="${item.inside}"` : '';
    out += `<g transform="translate(${(x + at.items[i].x).toFixed(1)},${(y + at.items[i].y).toFixed(1)})" data-tip="${s},${i}"${opens}>${item.svg}</g>`;
  });
  if (s !== 0) {
    out += `<g data-close="${s}"><rect x="${x}" y="${y}" width="${at.w}" height="22" fill="transparent" stroke="none"/>` +
        `<text class="frame-name" x="${x + 10}" y="${y + 16}">\u2212 ${escaped(scope.title)}</text></g>`;
  }
  return out;
}

if (typeof document !== 'undefined') {
  const svg = document.querySelector('svg'), tip = document.querySelector('#tip');
  const all = data.scopes.map((_, s) => s).slice(1);
  let open = new Set(data.open), view = {x: 0, y: 0, w: 0}, at = null;
  const show = () => {
    const height = view.w * svg.clientHeight / svg.clientWidth;
    svg.setAttribute('viewBox', `${view.x} ${view.y} ${view.w} ${height}`);
  };
  const fit = () => {
    view.w = Math.max(at.w + 40, svg.clientWidth);
    view.x = (at.w - view.w) / 2;
    view.y = -20;
    show();
  };
  const draw = () => {
    at = arrange(0, open);
    document.querySelector('#drawing').innerHTML = drawn(0, at, 0, 0);
    show();
  };
  draw();
  fit();
  let from = null, moved = false;
  svg.onpointerdown = event => { from = {x: event.clientX, y: event.clientY}; moved = false; };
  window.onpointerup = () => { from = null; };
  window.onpointermove = event => {
    if (!from) return;
    const scale = view.w / svg.clientWidth, dx = event.clientX - from.x, dy = event.clientY - from.y;
    if (!moved && Math.abs(dx) + Math.abs(dy) < 4) return;
    moved = true;
    view.x -= dx * scale;
    view.y -= dy * scale;
    from = {x: event.clientX, y: event.clientY};
    show();
  };
  svg.onwheel = event => {
    event.preventDefault();
    const box = svg.getBoundingClientRect(), before = view.w / box.width;
    const after = before * Math.exp(event.deltaY * 0.0012);
    if (after < 0.05 || after > 40) return;
    view.x += (event.clientX - box.left) * (before - after);
    view.y += (event.clientY - box.top) * (before - after);
    view.w = after * box.width;
    show();
  };
  svg.onclick = event => {
    if (moved) return;
    const folded = event.target.closest('[data-open]'), frame = event.target.closest('[data-close]');
    if (folded) open.add(Number(folded.dataset.open));
    if (frame) open.delete(Number(frame.dataset.close));
    if (folded || frame) draw();
  };
  svg.onmousemove = event => {
    const over = event.target.closest('[data-tip]');
    tip.hidden = !over || from !== null;
    if (!over) return;
    const [s, i] = over.dataset.tip.split(',').map(Number);
    tip.textContent = data.scopes[s].items[i].tip;
    tip.style.left = Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8) + 'px';
    tip.style.top = Math.min(event.clientY + 14, window.innerHeight - tip.offsetHeight - 8) + 'px';
  };
  window.onresize = show;
  document.querySelector('#fold').onclick = () => { open = new Set(); draw(); fit(); };
  document.querySelector('#unfold').onclick = () => { open = new Set(all); draw(); fit(); };
  document.querySelector('#fit').onclick = fit;
}
)js";

}  // namespace weft::ir
