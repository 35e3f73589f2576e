// How to read the page, and how the model was made.

const readings = [
  ['Map', 'A circle is a topic, and its area the topic’s share of all tokens. Neighbours use similar words, by the ' +
    'Jensen–Shannon divergence. Distances between topics that are far apart, and directions, mean little.'],
  ['Words', 'The bar is how often the topic uses a word; the small gauge is the topic’s share of all uses of the word. ' +
    'The slider (λ, the relevance of LDAvis) ranks words by one or the other.'],
  ['Documents', 'The topics of documents are inferred with the model; typical documents are those with the largest ' +
    'share of a topic.'],
  ['Keys', '/ searches, ← and → go to the next topic by size, arrows on the map go to the next topic in a ' +
    'direction, Esc goes back.'],
];

function likelihoodChart() {
  const points = data.origin.likelihood;
  if (points.length < 2) return null;
  const width = 400, height = 120, left = 4, right = 60, top = 12, bottom = 22;
  const sweeps = points.map(([sweep]) => sweep);
  const values = points.map(([, value]) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const x = (sweep) => left + (width - left - right) * (sweep - sweeps[0]) / Math.max(1, sweeps[sweeps.length - 1] - sweeps[0]);
  const y = (value) => height - bottom - (height - top - bottom) * (value - low) / Math.max(1e-9, high - low);
  const last = points[points.length - 1];
  return [html('h3', {}, 'Training'), svg('svg', {class: 'curve', viewBox: `0 0 ${width} ${height}`, role: 'img',
    'aria-label': `Log likelihood per token: ${values[0].toFixed(3)} after sweep ${sweeps[0]}, ${last[1].toFixed(3)} after sweep ${last[0]}`},
  svg('polyline', {points: points.map(([s, v]) => `${x(s).toFixed(1)},${y(v).toFixed(1)}`).join(' ')}),
  svg('circle', {cx: x(last[0]).toFixed(1), cy: y(last[1]).toFixed(1), r: 3}),
  svg('text', {x: x(last[0]) + 7, y: y(last[1]) + 4}, last[1].toFixed(3)),
  svg('text', {x: left, y: height - 6}, `sweep ${sweeps[0]}`),
  svg('text', {x: x(last[0]), y: height - 6, 'text-anchor': 'middle'}, `${last[0]}`)),
  html('p', {class: 'sub'}, 'Log likelihood of words and topics, in nats per token')];
}

function buildAbout() {
  const {facts, command} = data.origin;
  const table = html('table', {}, html('tbody', {}, ...facts.map(([name, value]) =>
    html('tr', {}, html('th', {scope: 'row'}, isolated(name)), html('td', {}, isolated(value))))));
  byId('about').append(
    html('details', {}, html('summary', {}, 'How to read this page'),
      html('dl', {}, ...readings.map(([name, text]) => [html('dt', {}, name), html('dd', {}, text)]).flat())),
    html('details', {}, html('summary', {}, 'How this model was made'),
      ...(command ? [html('p', {class: 'sub'}, command.includes('\n')
        ? 'These commands make the same model again, byte for byte:'
        : 'This command makes the same model again, byte for byte:'),
        html('pre', {tabindex: 0}, command)] : []),
      facts.length ? table : null, ...(likelihoodChart() || [])));
  addEventListener('beforeprint', () => {
    for (const details of document.querySelectorAll('details')) details.open = true;
  });
}
