// The map: a circle per topic, and as many labels as have room.

const mapState = {width: 0, height: 0, scale: 1, x: 0, y: 0, circles: [], hovered: null};
const mapElement = byId('map');
const circleLayer = svg('g');
const labelLayer = svg('g', {class: 'labels', 'aria-hidden': 'true'});
const measuring = document.createElement('canvas').getContext('2d');
const widths = new Map();

function widthOf(text) {
  if (!widths.has(text)) widths.set(text, measuring.measureText(text).width);
  return widths.get(text);
}

// From the map's units to pixels.
function placed(topic) {
  const unit = mapState.unit * mapState.scale;
  return {
    x: mapState.left + mapState.x + topic.x * unit,
    y: mapState.top + mapState.y + topic.y * unit,
    r: topic.r * unit,
  };
}

function buildMap() {
  mapElement.append(circleLayer, labelLayer);
  for (const topic of byShare) {
    const circle = svg('circle', {
      id: `circle-${topic.k}`, 'data-k': topic.k, role: 'option', 'aria-selected': 'false',
      'aria-label': `Topic ${topic.k}: ${labelOf(topic, 4)}; ${percentOf(topic.share)} of the tokens`,
    });
    mapState.circles[topic.k] = circle;
    circleLayer.append(circle);
  }
  const topicAt = (event) => {
    const k = event.target.dataset && event.target.dataset.k;
    return k === undefined ? null : topics[Number(k)];
  };
  mapElement.addEventListener('click', (event) => {
    if (mapState.dragged) return;
    const topic = topicAt(event);
    if (topic) showTopic(topic.k, {scroll: true});
    else if (state.topic !== null) showAll();
  });
  mapElement.addEventListener('pointerover', (event) => hover(topicAt(event)));
  mapElement.addEventListener('pointerleave', () => hover(null));
  mapElement.addEventListener('keydown', walkMap);
  addZoom();
  new ResizeObserver(layOutMap).observe(mapElement);
}

function layOutMap() {
  const box = mapElement.getBoundingClientRect();
  if (box.width === 0) return;
  const margin = Math.min(28, box.width / 20);
  const [width, height] = data.map;
  mapState.width = box.width;
  mapState.height = box.height;
  mapState.unit = Math.min((box.width - 2 * margin) / width, (box.height - 2 * margin) / height);
  mapState.left = (box.width - width * mapState.unit) / 2;
  mapState.top = (box.height - height * mapState.unit) / 2;
  mapElement.setAttribute('viewBox', `0 0 ${box.width} ${box.height}`);
  drawMap();
}

function drawMap() {
  mapState.places = topics.map(placed);
  for (const topic of topics) {
    const {x, y, r} = mapState.places[topic.k];
    const circle = mapState.circles[topic.k];
    circle.setAttribute('cx', x.toFixed(1));
    circle.setAttribute('cy', y.toFixed(1));
    circle.setAttribute('r', r.toFixed(2));
  }
  drawLabels();
}

// Colours: the chosen topic, or where a word is used.
function colourMap(word = state.word) {
  const spread = word === null ? null : spreadOf(word);
  const most = spread ? Math.max(0.01, ...spread.values()) : 1;
  mapElement.classList.toggle('by-word', spread !== null);
  for (const topic of topics) {
    const circle = mapState.circles[topic.k];
    const chosen = topic.k === state.topic;
    circle.setAttribute('class', chosen ? 'chosen' : '');
    circle.setAttribute('aria-selected', chosen ? 'true' : 'false');
    const share = spread ? spread.get(topic.k) || 0 : 0;
    circle.style.fillOpacity = spread ? (share > 0 ? 0.2 + 0.75 * share / most : 0.04) : '';
  }
  if (state.topic === null) mapElement.removeAttribute('aria-activedescendant');
  else mapElement.setAttribute('aria-activedescendant', `circle-${state.topic}`);
}

function hover(topic) {
  if (mapState.hovered === topic) return;
  mapState.hovered = topic;
  drawLabels();
}

// Labels: words inside a circle that has room for them, otherwise beside it; large topics choose first.
const fontSize = 12;
const lineHeight = 14;
const mostTried = 400;  // topics that may have a label

// A label inside a circle has a word per line, and all of them or none; beside one it is cut where it is long.
const longestLabel = 40;
const shortLabel = (topic) =>
  topic.label.length > longestLabel ? `${topic.label.slice(0, longestLabel - 1)}…` : topic.label;

function linesInside(topic, r) {
  if (r < 16) return null;
  const words = topic.label ? shortLabel(topic).split(' ') : wordsOf(topic, r > 44 ? 4 : r > 30 ? 3 : 2);
  const fits = (line, i) => {
    const y = Math.abs(i - (words.length - 1) / 2) * lineHeight + lineHeight / 2;
    return y < r && widthOf(line) <= 2 * Math.sqrt(r * r - y * y) - 2;
  };
  if (topic.label) return words.length <= 4 && words.every(fits) ? words : null;
  while (words.length > 1 && !words.every(fits)) words.pop();
  return words.length > 0 && words.every(fits) ? words : null;
}

const overlaps = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

function boxesBeside(text, {x, y, r}) {
  const width = widthOf(text) + 4;
  const height = lineHeight + 2;
  const box = (left, top) => ({left, top, right: left + width, bottom: top + height});
  return [box(x + r + 3, y - height / 2), box(x - r - 3 - width, y - height / 2),
    box(x - width / 2, y + r + 2), box(x - width / 2, y - r - 2 - height)];
}

function labelFor(topic, taken, must) {
  const place = mapState.places[topic.k];
  const {x, y, r} = place;
  const {width, height} = mapState;
  const lines = linesInside(topic, r);
  if (lines) {
    const half = Math.max(...lines.map(widthOf)) / 2;
    const box = {left: x - half, right: x + half, top: y - lines.length * lineHeight / 2,
      bottom: y + lines.length * lineHeight / 2};
    if (must || !taken.some((other) => overlaps(box, other))) return {lines, box, inside: true};
  }
  // A word that is a little too long for a large circle stands on it all the same.
  const [word = ''] = topic.label ? [shortLabel(topic)] : wordsOf(topic, 1);
  const half = widthOf(word) / 2;
  const over = {left: x - half, right: x + half, top: y - lineHeight / 2, bottom: y + lineHeight / 2};
  if (word && r >= 16 && half < 1.7 * r && !taken.some((other) => overlaps(over, other)) &&
      topics.every((other) => other === topic || !covers(over, other))) {
    return {lines: [word], box: over, inside: true, wide: true};
  }
  for (const count of topic.label ? [1] : must ? [3, 2, 1] : [2, 1]) {
    const text = topic.label ? shortLabel(topic) : wordsOf(topic, count).join(', ');
    if (!text) return null;
    for (const box of boxesBeside(text, place)) {
      const within = box.left >= 0 && box.right <= width && box.top >= 0 && box.bottom <= height;
      const free = must || !taken.some((other) => overlaps(box, other));
      const clear = must || topics.every((other) => other === topic || !covers(box, other));
      if (within && free && clear) return {lines: [text], box, inside: false};
    }
  }
  return null;
}

// Whether a label would hide much of a circle.
function covers(box, topic) {
  const {x, y, r} = mapState.places[topic.k];
  if (r <= 4 || x + r < box.left || x - r > box.right || y + r < box.top || y - r > box.bottom) return false;
  const dx = Math.max(box.left - x, 0, x - box.right);
  const dy = Math.max(box.top - y, 0, y - box.bottom);
  return dx * dx + dy * dy < r * r / 4;
}

function isInSight({k}) {
  const {x, y, r} = mapState.places[k];
  return x > -r && y > -r && x < mapState.width + r && y < mapState.height + r;
}

function drawLabels() {
  if (!mapState.places) return;
  const style = getComputedStyle(mapElement);
  measuring.font = `${fontSize}px ${style.fontFamily}`;
  const taken = [];
  const labels = [];
  const add = (topic, must) => {
    const label = topic && labelFor(topic, taken, must);
    if (!label) return;
    taken.push(label.box);
    labels.push([topic, label]);
  };
  const chosen = state.topic === null ? null : topics[state.topic];
  const first = new Set([mapState.hovered, chosen]);
  for (const topic of first) if (topic && isInSight(topic)) add(topic, true);
  for (const topic of byShare.filter(isInSight).slice(0, mostTried)) if (!first.has(topic)) add(topic, false);
  labelLayer.replaceChildren(...labels.map(([topic, {lines, box, inside, wide}]) => svg('text', {
    class: [inside && !wide ? 'inside' : 'beside', topic === chosen ? 'chosen' : ''].join(' '),
    'text-anchor': 'middle',
  }, ...lines.map((line, i) => svg('tspan', {
    x: ((box.left + box.right) / 2).toFixed(1),
    y: (inside ? box.top + (i + 0.78) * lineHeight : box.top + 0.8 * lineHeight).toFixed(1),
  }, line)))));
}

// Arrow keys: the nearest topic within 45 degrees of the direction, as far as there is one.
function walkMap(event) {
  const directions = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
  const direction = directions[event.key];
  if (!direction || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  event.stopPropagation();
  if (state.topic === null) {
    showTopic(byShare[0].k);
    return;
  }
  const from = topics[state.topic];
  let best = null;
  let bestCost = Infinity;
  for (const topic of topics) {
    const along = (topic.x - from.x) * direction[0] + (topic.y - from.y) * direction[1];
    const aside = Math.abs((topic.x - from.x) * direction[1]) + Math.abs((topic.y - from.y) * direction[0]);
    const cost = along + 2 * aside;
    if (along > 0 && aside <= along && cost < bestCost) [best, bestCost] = [topic, cost];
  }
  if (best) showTopic(best.k);
}
