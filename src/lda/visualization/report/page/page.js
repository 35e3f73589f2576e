// What is shown, and how one gets there. The address keeps it: #topic-17, #word-network.

const state = {topic: null, word: null, lambda: firstLambda};

function remember() {
  const fragment = state.topic !== null ? `#topic-${state.topic}`
    : state.word !== null ? `#word-${encodeURIComponent(data.words[state.word])}` : ' ';
  try {
    history.replaceState(null, '', fragment);
  } catch {
    // A page inside another one may have no address of its own.
  }
}

function render() {
  renderTopic();
  renderList();
  colourMap();
  drawLabels();
  byId('caption').textContent = state.word === null
    ? 'Area: share of all tokens. Neighbours use similar words.'
    : `Colour: share of the uses of “\u2068${data.words[state.word]}\u2069”.`;
  remember();
}

function showTopic(k, {focus = false, scroll = false} = {}) {
  state.topic = k;
  render();
  reveal(topics[k]);
  const panel = byId('panel');
  if (isWide()) panel.scrollTop = 0;
  else if (scroll) panel.scrollIntoView({block: 'start'});
  if (focus) panel.focus({preventScroll: true});
  announce(`Topic ${k}: ${labelOf(topics[k], 5)}; ${percentOf(topics[k].share)} of the tokens`);
}

function showWord(w) {
  state.word = w;
  state.topic = null;
  render();
  byId('panel').scrollTop = 0;
  announce(`${data.words[w]}: ${counted(data.totals[w], 'token')} in ${counted(spreadOf(w).size, 'topic')}`);
}

function showAll() {
  const from = state.topic;
  state.topic = null;
  if (from === null || state.word === null) state.word = null;
  render();
  const row = from !== null && byId('list').querySelector(`[data-k="${from}"]`);
  if (row) {
    row.focus({preventScroll: true});
    if (isWide()) row.scrollIntoView({block: 'center'});
  }
  announce(state.word === null ? `All ${counted(K, 'topic')}` : `Topics of ${data.words[state.word]}`);
}

function addKeys() {
  addEventListener('keydown', (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const typing = event.target instanceof HTMLInputElement;
    if (event.key === '/' && !typing) {
      event.preventDefault();
      byId('search').focus();
    } else if (event.key === 'Escape') {
      if (state.topic !== null || state.word !== null) showAll();
    } else if ((event.key === 'ArrowRight' || event.key === 'ArrowLeft') && !typing) {
      const place = state.topic === null ? -1 : topics[state.topic].place;
      const by = event.key === 'ArrowRight' ? 1 : -1;
      event.preventDefault();
      showTopic(byShare[place < 0 ? (by > 0 ? 0 : K - 1) : (place + by + K) % K].k);
    }
  });
}

function openAddress() {
  let fragment = '';
  try {
    fragment = decodeURIComponent(location.hash.slice(1));
  } catch {
    return;
  }
  const topic = /^topic-(\d+)$/.exec(fragment);
  if (topic && Number(topic[1]) < K) state.topic = Number(topic[1]);
  if (fragment.startsWith('word-')) {
    const w = data.words.indexOf(fragment.slice(5));
    if (w >= 0) state.word = w;
  }
}

document.title = data.title;
byId('title').replaceChildren(isolated(data.title));
byId('sizes').textContent = [counted(K, 'topic'), counted(data.model.words, 'word'),
  counted(data.model.tokens, 'token')].join(' · ');
buildMap();
buildAbout();
addListKeys();
addSearch();
addKeys();
openAddress();
render();
addEventListener('hashchange', () => {
  state.topic = state.word = null;
  openAddress();
  render();
});
document.documentElement.dataset.ready = 'true';
