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
  // Print in the light theme. Folded parts stay folded, so that a handout does not contain the answers.
  let theme;
  addEventListener('beforeprint', () => { theme = root.dataset.theme; root.dataset.theme = 'light'; });
  addEventListener('afterprint', () => {
    if (theme === undefined) delete root.dataset.theme; else root.dataset.theme = theme;
  });
})();
