// Zooming and moving the map.

function zoomBy(factor, x = mapState.width / 2, y = mapState.height / 2) {
  const scale = Math.min(24, Math.max(1, mapState.scale * factor));
  const ratio = scale / mapState.scale;
  mapState.x = x - mapState.left - (x - mapState.left - mapState.x) * ratio;
  mapState.y = y - mapState.top - (y - mapState.top - mapState.y) * ratio;
  mapState.scale = scale;
  if (scale === 1) mapState.x = mapState.y = 0;
  mapElement.classList.toggle('zoomed', scale > 1);
  drawSoon();
}

let drawing = false;
function drawSoon() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    drawMap();
  });
}

// Brings a topic into sight where the map is zoomed.
function reveal(topic) {
  if (mapState.scale === 1) return;
  const {x, y} = placed(topic);
  if (x > 40 && y > 40 && x < mapState.width - 40 && y < mapState.height - 40) return;
  mapState.x += mapState.width / 2 - x;
  mapState.y += mapState.height / 2 - y;
  drawSoon();
}

function addZoom() {
  byId('zoom-in').addEventListener('click', () => zoomBy(1.6));
  byId('zoom-out').addEventListener('click', () => zoomBy(1 / 1.6));
  byId('zoom-all').addEventListener('click', () => zoomBy(0));
  mapElement.addEventListener('wheel', (event) => {
    if (!isWide() && !event.ctrlKey) return;
    event.preventDefault();
    const box = mapElement.getBoundingClientRect();
    zoomBy(Math.exp(-event.deltaY / 400), event.clientX - box.left, event.clientY - box.top);
  }, {passive: false});
  let from = null;
  mapElement.addEventListener('pointerdown', (event) => {
    mapState.dragged = false;
    if (mapState.scale > 1) from = {x: event.clientX - mapState.x, y: event.clientY - mapState.y, at: event};
  });
  addEventListener('pointermove', (event) => {
    if (!from) return;
    const moved = Math.hypot(event.clientX - from.at.clientX, event.clientY - from.at.clientY);
    if (moved > 4) mapState.dragged = true;
    mapState.x = event.clientX - from.x;
    mapState.y = event.clientY - from.y;
    drawSoon();
  });
  addEventListener('pointerup', () => { from = null; });
  addEventListener('pointercancel', () => { from = null; });
}
