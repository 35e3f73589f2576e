// One number of topics at a time, on all charts and in the table: by the pointer, or by the arrow keys.

const rows = [...document.querySelectorAll('.numbers tbody tr')];
let chosen = -1;

function choose(place) {
  chosen = place;
  const topics = place < 0 ? null : rows[place].dataset.k;
  for (const element of document.querySelectorAll('[data-k]')) {
    element.classList.toggle('chosen', element.dataset.k === topics);
  }
  document.getElementById('status').textContent = place < 0 ? '' : rows[place].dataset.text;
}

const placeOf = (target) => {
  const element = target instanceof Element && target.closest('[data-k]');
  return element ? rows.findIndex((row) => row.dataset.k === element.dataset.k) : -1;
};

addEventListener('click', (event) => {
  const place = placeOf(event.target);
  if (place >= 0) choose(place === chosen ? -1 : place);
});
addEventListener('keydown', (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.key === 'Escape') {
    choose(-1);
  } else if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') {
    event.preventDefault();
    const by = event.key === 'ArrowRight' ? 1 : -1;
    choose(chosen < 0 ? (by > 0 ? 0 : rows.length - 1) : (chosen + by + rows.length) % rows.length);
  }
});
document.documentElement.dataset.ready = 'true';
