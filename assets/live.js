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
    // With reduced motion, hands jump from one whole position to the next.
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
