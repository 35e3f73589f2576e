// One topic: its words, when or where it is found, typical documents, similar topics.

const shownWords = 20;
let allWords = false;

function renderTopic() {
  const panel = byId('topic');
  panel.hidden = state.topic === null;
  byId('list').classList.toggle('behind', state.topic !== null);
  if (state.topic === null) return;
  const topic = topics[state.topic];
  const step = (by) => () => showTopic(byShare[(topic.place + by + K) % K].k);
  panel.replaceChildren(
    html('nav', {'aria-label': 'Topics'},
      button('← All topics', () => showAll(), {class: 'quiet'}),
      html('span', {class: 'steps'},
        button('‹', step(-1), {'aria-label': 'Previous topic by size', title: 'Previous (←)'}),
        button('›', step(1), {'aria-label': 'Next topic by size', title: 'Next (→)'}))),
    html('h2', {}, ...(topic.label ? [isolated(topic.label)] : wordList(wordsOf(topic, 3)))),
    html('p', {class: 'sub'},
      `Topic ${topic.k} · ${percentOf(topic.share)} of all tokens · ${ordinal(topic.place + 1)} of ${grouped(K)}`),
    ...wordSection(topic), ...groupSection(topic), ...documentSection(topic), ...similarSection(topic));
}

function wordSection(topic) {
  if (topic.words.length === 0) return [html('p', {class: 'sub'}, 'This topic has no tokens.')];
  const rows = html('ol', {class: 'words'});
  const slider = html('input', {
    id: 'lambda', type: 'range', min: 0, max: 1, step: 0.05, value: state.lambda,
    'aria-label': 'Rank words by: 0, exclusive to the topic, to 1, frequent in the topic',
    oninput: (event) => {
      state.lambda = Number(event.target.value);
      drawWords(rows, topic);
    },
  });
  drawWords(rows, topic);
  const more = topic.words.length > shownWords && button(allWords ? 'Fewer words' : 'More words', () => {
    allWords = !allWords;
    drawWords(rows, topic);
    more.textContent = allWords ? 'Fewer words' : 'More words';
  }, {class: 'quiet'});
  return [
    html('div', {class: 'slider'}, html('span', {}, 'exclusive'), slider, html('span', {}, 'frequent'),
      html('output', {id: 'lambda-value', for: 'lambda', title: 'LDAvis’ relevance'})),
    html('div', {class: 'columns', 'aria-hidden': 'true'}, html('span'), html('span', {}, 'tokens in this topic'),
      html('span', {}, 'of the word’s')),
    rows, more || null];
}

function drawWords(rows, topic) {
  const words = ranked(topic, state.lambda).slice(0, allWords ? topic.words.length : shownWords);
  const most = Math.max(...words.map(([, n]) => n));
  rows.replaceChildren(...words.map(([w, n]) => {
    const share = exclusiveness(w, n);
    return html('li', {},
      html('button', {
        type: 'button', class: w === state.word ? 'word chosen' : 'word', 'data-w': w,
        'aria-label': `${data.words[w]}: ${grouped(n)} tokens in this topic, ${percentOf(share)} of the word’s`,
        title: 'Show where this word is used',
        onclick: () => showWord(w),
        onpointerenter: () => colourMap(w), onpointerleave: () => colourMap(),
        onfocus: () => colourMap(w), onblur: () => colourMap(),
      },
      html('span', {class: 'name'}, isolated(data.words[w])), bar(n / most),
      html('span', {class: 'number'}, grouped(n)), bar(share, 'gauge'),
      html('span', {class: 'number'}, percentOf(share))));
  }));
  requestAnimationFrame(() => {
    const output = byId('lambda-value');
    if (output) output.textContent = `λ ${state.lambda.toFixed(2)}`;
  });
}

function groupSection(topic) {
  if (!data.groups) return [];
  return data.groups.dates ? [html('h3', {}, 'Over time'), timeChart(topic)] : groupBars(topic);
}

function timeChart(topic) {
  const {names} = data.groups;
  const values = topic.groups;
  const width = 400, height = 110, base = 90, top = 18;
  const most = Math.max(1, ...values);
  const step = width / names.length;
  const peak = values.indexOf(Math.max(...values));
  const columns = values.map((value, i) => {
    const tall = (base - top) * value / most;
    const column = svg('rect', {x: (i * step).toFixed(2), y: (base - tall).toFixed(2),
      width: Math.max(step - 1, step * 0.7).toFixed(2), height: Math.max(tall, value > 0 ? 0.7 : 0).toFixed(2)});
    column.append(svg('title', {}, `${names[i]}: ${percentOf(value / 10000)}`));
    return column;
  });
  const text = (x, y, anchor, words) => svg('text', {x, y, 'text-anchor': anchor}, words);
  const peakX = Math.min(width - 60, Math.max(60, (peak + 0.5) * step));
  return svg('svg', {class: 'time', viewBox: `0 0 ${width} ${height}`, role: 'img',
    'aria-label': `Share of the tokens of each period, from ${names[0]} to ${names[names.length - 1]}; ` +
      `largest in ${names[peak]}: ${percentOf(values[peak] / 10000)}`},
  ...columns, svg('line', {x1: 0, x2: width, y1: base + 0.5, y2: base + 0.5}),
  text(0, height - 5, 'start', names[0]), names.length > 1 ? text(width, height - 5, 'end', names[names.length - 1]) : null,
  text(peakX, top - 6, 'middle', `${names[peak]}: ${percentOf(values[peak] / 10000)}`));
}

function groupBars(topic) {
  const {name, names} = data.groups;
  const order = names.map((_, g) => g).filter((g) => topic.groups[g] > 0)
      .sort((a, b) => topic.groups[b] - topic.groups[a] || a - b).slice(0, 10);
  const most = order.length ? topic.groups[order[0]] : 1;
  return [html('h3', {}, name ? ['By ', isolated(name)] : 'By group'),
    html('ol', {class: 'groups', title: 'Share of the tokens of each group'}, ...order.map((g) => html('li', {},
      html('span', {class: 'name'}, isolated(names[g])), bar(topic.groups[g] / most),
      html('span', {class: 'number'}, percentOf(topic.groups[g] / 10000)))))];
}

// The text, with the topic's words marked.
function marked(text, topic) {
  const words = new Set(topic.words.map(([w]) => folded(data.words[w])));
  return text.split(/([\p{L}\p{M}]+)/u).map((part, i) =>
    i % 2 && words.has(folded(part)) ? html('mark', {}, part) : part);
}

function documentSection(topic) {
  if (topic.docs.length === 0) return [];
  return [html('h3', {}, 'Typical documents'), html('ol', {class: 'documents'}, ...topic.docs.map((place) => {
    const {d, name, text, t} = data.documents[place];
    const shares = pairs(t);
    const own = shares.find(([k]) => k === topic.k);
    return html('li', {},
      html('p', {class: 'source'}, html('b', {}, own ? percentOf(own[1] / 1000) : ''), ' of ',
        name ? isolated(name) : `document ${d}`),
      html('p', {class: data.wordy ? 'text wordy' : 'text'}, html('bdi', {}, ...marked(text, topic))),
      html('p', {class: 'others'}, ...shares.filter(([k, share]) => k !== topic.k && share >= 50).map(([k, share]) =>
        button([`${percentOf(share / 1000)} `, isolated(labelOf(topics[k], 2))], () => showTopic(k),
          {class: 'chip'}))));
  }))];
}

function similarSection(topic) {
  if (topic.near.length === 0) return [];
  return [html('h3', {}, 'Similar topics'), html('p', {class: 'similar'}, ...topic.near.map(([k, bits]) =>
    button([isolated(labelOf(topics[k], 3))], () => showTopic(k), {
      class: 'chip', title: `Topic ${k}; divergence ${(bits / 1000).toFixed(2)} of at most 1 bit`,
    })))];
}
