#include "insight/teaching/page_assets.h"

namespace posenc::teaching {

std::string_view page_style() noexcept {
  return R"css(
body{margin:0;background:var(--posenc-paper);color:var(--posenc-text);
  font:16px/1.6 system-ui,"Segoe UI",Helvetica,Arial,"DejaVu Sans",sans-serif}
header,main,nav.contents,footer{max-width:56rem;margin:0 auto;padding:0 1rem;box-sizing:border-box}
h1{font-size:1.9rem;line-height:1.25;margin:1.6rem 0 .5rem}
h2{font-size:1.4rem;line-height:1.3;margin:2.6rem 0 .6rem;padding-top:.6rem;border-top:1px solid var(--posenc-grid)}
nav h2{border:0;font-size:1.1rem;margin:1rem 0 .2rem}
h3{font-size:1.12rem;margin:1.6rem 0 .4rem}
h1,h2,h3,h4,h5,p,li,caption{overflow-wrap:anywhere}
a{color:var(--posenc-cool)}
code,pre{font-family:ui-monospace,Consolas,"DejaVu Sans Mono",monospace;font-size:.88em}
pre{overflow-x:auto;padding:.7rem .9rem;border:1px solid var(--posenc-grid);border-radius:6px;line-height:1.45}
nav.contents ol{columns:18rem;margin:.2rem 0 1rem}
.scroll,.drawing{overflow-x:auto}
table{border-collapse:collapse;margin:.6rem 0 1.2rem;font-size:.94rem}
caption{text-align:left;font-weight:600;padding:.3rem 0}
th,td{text-align:left;vertical-align:top;padding:.35rem .7rem .35rem 0;border-bottom:1px solid var(--posenc-grid)}
th[scope=row]{font-weight:600;min-width:8rem}
td code,th code{overflow-wrap:anywhere}
.verdict{display:inline-block;white-space:nowrap;padding:0 .5rem;border-radius:4px;border:2px solid var(--posenc-axis)}
.holds{border-color:var(--posenc-series3)}
.holds-to{border-color:var(--posenc-series1)}
.does-not-hold{border-style:dashed}
.violated{border-color:var(--posenc-warm);color:var(--posenc-warm);font-weight:700}
figure{margin:1.4rem 0 2rem;padding:.8rem;border:1px solid var(--posenc-grid);border-radius:8px}
figure .drawing svg.posenc{display:block;max-width:none;margin:0 auto}
@media (min-width:60rem){figure .drawing svg.posenc{max-width:100%}}
figcaption{color:var(--posenc-muted);font-size:.92rem}
figcaption p{margin:.4rem 0}
.predict{margin-top:0}
aside{margin:1.2rem 0;padding:.2rem 1rem;border-left:4px solid var(--posenc-series1)}
aside.mistake{border-color:var(--posenc-series2)}
details{margin:.5rem 0}
summary{cursor:pointer;font-weight:600}
button,select{font:inherit;font-size:.9rem;color:inherit;background:transparent;border:1px solid var(--posenc-axis);
  border-radius:5px;padding:.15rem .6rem;cursor:pointer}
button:focus-visible,a:focus-visible,summary:focus-visible,[tabindex]:focus-visible{
  outline:3px solid var(--posenc-series1);outline-offset:2px}
math{font-size:1.1rem;margin:.8rem 0}
footer{margin:3rem auto 2rem;color:var(--posenc-muted);border-top:1px solid var(--posenc-grid)}
.skip{position:absolute;left:-999px}
.skip:focus{left:1rem;top:.5rem}
.live-controls{display:flex;flex-wrap:wrap;gap:.4rem;align-items:center}
.live-stage{overflow:auto;margin:.6rem 0}
.live-stage svg{display:block;min-width:34rem}
.live-numbers{font-family:ui-monospace,Consolas,"DejaVu Sans Mono",monospace;font-size:.85rem;overflow-wrap:anywhere}
ol.steps>li{margin-bottom:.6rem}
@media (max-width:30rem){header,main,nav.contents,footer{padding:0 .6rem} h1{font-size:1.5rem} figure{padding:.5rem}}
@media print{
  button,nav.contents,.live-controls,.skip{display:none}
  figure,aside,table{break-inside:avoid}
  figure .drawing svg.posenc{max-width:100%}
  pre{white-space:pre-wrap;overflow:visible;overflow-wrap:anywhere}
  .scroll,.drawing{overflow:visible}
  h2,h3,h4{break-after:avoid}
}
)css";
}

std::string_view page_script() noexcept {
  return R"js(
'use strict';
(() => {
  const root = document.documentElement;
  document.getElementById('theme').addEventListener('click', () => {
    const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
    root.dataset.theme = (root.dataset.theme || system) === 'dark' ? 'light' : 'dark';
  });
  for (const button of document.querySelectorAll('button.save')) {
    button.addEventListener('click', () => {
      const svg = button.closest('figure').querySelector('svg').cloneNode(true);
      const style = document.createElementNS('http://www.w3.org/2000/svg', 'style');
      style.textContent = document.getElementById('posenc-figure-style').textContent;
      svg.prepend(style);
      const blob = new Blob([new XMLSerializer().serializeToString(svg)], {type: 'image/svg+xml'});
      const link = document.createElement('a');
      link.href = URL.createObjectURL(blob);
      link.download = button.dataset.name + '.svg';
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  }
  // Paper is light; what is folded stays folded, so that a handout does not give the answers away.
  let theme;
  addEventListener('beforeprint', () => { theme = root.dataset.theme; root.dataset.theme = 'light'; });
  addEventListener('afterprint', () => {
    if (theme === undefined) delete root.dataset.theme; else root.dataset.theme = theme;
  });
})();
)js";
}

std::string_view live_script() noexcept {
  return R"js(
(() => {
  const stage = document.getElementById('live');
  if (!stage) return;
  const data = JSON.parse(document.getElementById('live-data').textContent);
  const svg = stage.querySelector('svg');
  const at = (id) => document.getElementById('live-' + id);
  const still = matchMedia('(prefers-reduced-motion: reduce)');
  const perPosition = data.frames_per_position;
  const last = data.rows.length - 1;
  let frame = 0, playing = false, speed = 1, zoom = 1, before = 0, carried = 0;
  const make = (name, attributes) => {
    const node = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    svg.append(node);
    return node;
  };
  const radius = 34, cell = 90, pairs = data.pairs, columns = Math.min(pairs, 8);
  const hands = [], bars = [];
  for (let i = 0; i < pairs; ++i) {
    const x = cell * (i % columns) + cell / 2, y = 46 + 104 * Math.floor(i / columns);
    make('circle', {cx: x, cy: y, r: radius, fill: 'none', class: 'posenc-stroke-axis'});
    hands.push([make('line', {x1: x, y1: y, 'stroke-width': 3, class: 'posenc-stroke-series1'}), x, y]);
    make('text', {x, y: y + radius + 15, 'font-size': 11, 'text-anchor': 'middle', class: 'posenc-fill-muted'})
        .textContent = data.labels[i];
  }
  const top = 20 + 104 * Math.ceil(pairs / columns), step = cell * columns / data.rows[0].length;
  make('text', {x: 0, y: top - 4, 'font-size': 11, class: 'posenc-fill-muted'}).textContent =
      'the row of this position, channel by channel';
  for (let c = 0; c < data.rows[0].length; ++c) {
    bars.push([make('rect', {x: c * step, y: top + 2, width: Math.max(step - 1, 1), height: 22}),
               make('rect', {x: c * step, width: Math.max(step - 1, 1), class: 'posenc-fill-series1'})]);
  }
  const middle = top + 74;
  make('line', {x1: 0, x2: cell * columns, y1: middle, y2: middle, class: 'posenc-stroke-axis'});
  svg.setAttribute('viewBox', `0 0 ${cell * columns} ${middle + 46}`);
  const dark = () => {
    const theme = document.documentElement.dataset.theme;
    return theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  };
  const draw = () => {
    const row = data.rows[frame];
    const colors = dark() ? data.dark : data.light;
    for (let i = 0; i < pairs; ++i) {
      const [line, x, y] = hands[i];
      line.setAttribute('x2', x + radius * row[data.cosine[i]]);
      line.setAttribute('y2', y - radius * row[data.sine[i]]);
    }
    row.forEach((value, c) => {
      const [patch, bar] = bars[c];
      patch.setAttribute('fill', colors[data.levels[frame][c]]);
      bar.setAttribute('y', value > 0 ? middle - 40 * value : middle);
      bar.setAttribute('height', Math.abs(40 * value));
    });
    at('position').textContent = data.positions[frame].toFixed(perPosition > 1 ? 2 : 0);
    at('time').textContent = (frame / perPosition).toFixed(2) + ' s';
    at('numbers').textContent = '[' + row.map((v) => v.toFixed(3)).join(', ') + ']';
    at('play').textContent = playing ? 'Pause' : 'Play';
    at('play').setAttribute('aria-pressed', playing);
  };
  const go = (to) => { frame = Math.max(0, Math.min(last, to)); draw(); };
  const stop = () => { playing = false; draw(); };
  const stepBy = (positions) => {
    stop();
    go(positions > 0 ? (Math.floor(frame / perPosition) + 1) * perPosition
                     : (Math.ceil(frame / perPosition) - 1) * perPosition);
  };
  const tick = (now) => {
    if (!playing) return;
    carried += (now - before) / 1000 * speed * perPosition;
    before = now;
    // Without motion a hand jumps from one whole position to the next.
    const unit = still.matches ? perPosition : 1;
    const frames = Math.floor(carried / unit) * unit;
    carried -= frames;
    if (frames > 0) go(frame + frames);
    if (frame >= last) { stop(); return; }
    requestAnimationFrame(tick);
  };
  const play = () => {
    playing = !playing;
    if (playing) {
      if (frame >= last) frame = 0;
      before = performance.now();
      carried = 0;
      requestAnimationFrame(tick);
    }
    draw();
  };
  const magnify = (by) => {
    zoom = Math.max(1, Math.min(4, zoom * by));
    svg.style.width = 100 * zoom + '%';
    svg.style.maxWidth = 'none';
    at('zoom').textContent = Math.round(100 * zoom) + ' %';
  };
  const on = (id, action) => at(id).addEventListener('click', action);
  on('start', () => { stop(); go(0); });
  on('back', () => stepBy(-1));
  on('play', play);
  on('step', () => stepBy(1));
  on('slow', () => { speed = 0.25; at('slow').setAttribute('aria-pressed', true); at('normal').setAttribute('aria-pressed', false); });
  on('normal', () => { speed = 1; at('slow').setAttribute('aria-pressed', false); at('normal').setAttribute('aria-pressed', true); });
  on('in', () => magnify(1.5));
  on('out', () => magnify(1 / 1.5));
  stage.addEventListener('keydown', (event) => {
    const keys = {' ': play, ArrowRight: () => stepBy(1), ArrowLeft: () => stepBy(-1), Home: () => { stop(); go(0); }};
    if (!keys[event.key] || (event.key === ' ' && event.target.tagName === 'BUTTON')) return;
    event.preventDefault();
    keys[event.key]();
  });
  new MutationObserver(draw).observe(document.documentElement, {attributes: true, attributeFilter: ['data-theme']});
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
  magnify(1);
  draw();
})();
)js";
}

}  // namespace posenc::teaching
