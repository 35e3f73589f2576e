// All topics, largest first, or those of a word.

function sparkline(topic) {
  const values = topic.groups;
  if (!data.groups || !data.groups.dates || values.length < 3) return null;
  const most = Math.max(1, ...values);
  const points = values.map((value, i) => `${(64 * i / (values.length - 1)).toFixed(1)},${(15 - 14 * value / most).toFixed(1)}`);
  return svg('svg', {class: 'spark', viewBox: '0 0 64 16', 'aria-hidden': 'true'},
    svg('path', {d: `M0,15 L${points.join(' L')} L64,15 Z`}));
}

function rowOf(topic, part, most, label) {
  return html('li', {}, html('button', {
    type: 'button', class: topic.k === state.topic ? 'row chosen' : 'row', 'data-k': topic.k,
    'aria-label': `Topic ${topic.k}: ${labelOf(topic, 5)}; ${label}`,
  },
  html('span', {class: 'number'}, percentOf(part)), bar(part / most),
  html('span', {class: 'name'}, ...nameOf(topic, 9)), sparkline(topic),
  html('span', {class: 'id'}, `${topic.k}`)));
}

function renderList() {
  const list = byId('list');
  if (state.word === null) {
    const most = byShare[0].share || 1;
    list.replaceChildren(
      html('h2', {class: 'unseen'}, 'All topics'),
      html('p', {class: 'columns', 'aria-hidden': 'true'}, html('span', {}, 'of all tokens'), html('span'),
        html('span', {}, 'most relevant words'), html('span', {}, data.groups && data.groups.dates ? spanOfTime() : ''),
        html('span', {}, 'topic')),
      html('ol', {class: 'rows'}, ...byShare.map((topic) =>
        rowOf(topic, topic.share, most, `${percentOf(topic.share)} of the tokens`))));
    return;
  }
  const spread = [...spreadOf(state.word)].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  const most = spread.length ? spread[0][1] : 1;
  const known = spread.reduce((sum, [, share]) => sum + share, 0);
  list.replaceChildren(
    html('nav', {'aria-label': 'Topics'}, button('← All topics', () => showAll(), {class: 'quiet'})),
    html('h2', {}, isolated(data.words[state.word])),
    html('p', {class: 'sub'}, `${counted(data.totals[state.word], 'token')} · topics that use the word, by their share of it`),
    html('ol', {class: 'rows'}, ...spread.map(([k, share]) =>
      rowOf(topics[k], share, most, `${percentOf(share)} of the word’s tokens`))),
    html('p', {class: 'sub'}, known < 0.985 ? `${percentOf(1 - known)} of its tokens are in other topics.` : ''));
}

const spanOfTime = () => `${data.groups.names[0]} – ${data.groups.names[data.groups.names.length - 1]}`;

function addListKeys() {
  byId('list').addEventListener('click', (event) => {
    const row = event.target.closest('.row');
    if (row) showTopic(Number(row.dataset.k), {focus: event.detail === 0});
  });
  byId('list').addEventListener('pointerover', (event) => {
    const row = event.target.closest('.row');
    hover(row ? topics[Number(row.dataset.k)] : null);
  });
  byId('list').addEventListener('pointerleave', () => hover(null));
  byId('panel').addEventListener('keydown', (event) => {
    const to = {ArrowDown: 1, ArrowUp: -1}[event.key];
    const item = event.target.closest && event.target.closest('.row, .word');
    if (!to || !item) return;
    const items = [...item.closest('ol').querySelectorAll('.row, .word')];
    const next = items[items.indexOf(item) + to];
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
}
