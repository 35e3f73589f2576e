// Search over words and topics, with suggestions.

const search = {found: [], at: -1, index: null};
const mostFound = 12;

function find(text) {
  const wanted = folded(text.trim());
  if (!wanted) return [];
  search.index = search.index || data.words.map(folded);
  const found = [];
  search.labels = search.labels || topics.map((topic) => folded(topic.label));
  const labelled = byShare.filter((topic) => search.labels[topic.k].includes(wanted)).slice(0, 4);
  found.push(...labelled.map((topic) => ({topic: topic.k})));
  const number = /^(?:topic\s*)?#?(\d+)$/.exec(wanted);
  if (number && Number(number[1]) < K && !labelled.includes(topics[number[1]])) found.push({topic: Number(number[1])});
  const words = [];
  for (const matches of [(word) => word === wanted, (word) => word !== wanted && word.startsWith(wanted),
    (word) => !word.startsWith(wanted) && word.includes(wanted)]) {
    for (let w = 0; w < search.index.length && words.length < mostFound; ++w) {
      if (matches(search.index[w])) words.push({word: w});
    }
  }
  const several = wanted.split(/[\s,]+/);
  const fitting = several.length > 1 ? byShare.filter((topic) => {
    const of = new Set(topic.words.map(([w]) => search.index[w]));
    return several.every((word) => of.has(word));
  }) : words.length ? byShare.filter((topic) => topic.words.slice(0, 5).some(([w]) => w === words[0].word)) : [];
  found.push(...words.slice(0, 8),
    ...fitting.filter((topic) => !labelled.includes(topic)).slice(0, 5).map((topic) => ({topic: topic.k})));
  return found.slice(0, mostFound);
}

function suggest() {
  const input = byId('search');
  search.found = find(input.value);
  search.at = search.found.length ? 0 : -1;
  const results = byId('results');
  results.replaceChildren(...search.found.map(({topic, word}, i) => html('li', {
    id: `found-${i}`, role: 'option', 'data-i': i,
  }, topic === undefined
    ? [isolated(data.words[word]), html('small', {}, counted(data.totals[word], 'token'))]
    : [html('span', {}, ...nameOf(topics[topic], topics[topic].label ? 2 : 4)), html('small', {}, `topic ${topic}`)])));
  if (input.value.trim() && search.found.length === 0) {
    results.replaceChildren(html('li', {class: 'none', role: 'option', 'aria-disabled': 'true'},
      'Nothing found among the words of the topics'));
  }
  const open = input.value.trim() !== '';
  results.hidden = !open;
  input.setAttribute('aria-expanded', open ? 'true' : 'false');
  mark();
}

function mark() {
  [...byId('results').children].forEach((item, i) => item.setAttribute('aria-selected', i === search.at ? 'true' : 'false'));
  const input = byId('search');
  if (search.at < 0) input.removeAttribute('aria-activedescendant');
  else input.setAttribute('aria-activedescendant', `found-${search.at}`);
}

function closeSearch() {
  byId('search').value = '';
  suggest();
}

function take(i) {
  const found = search.found[i];
  if (!found) return;
  closeSearch();
  if (found.topic === undefined) showWord(found.word);
  else showTopic(found.topic, {focus: true, scroll: true});
}

function addSearch() {
  const input = byId('search');
  input.addEventListener('input', suggest);
  input.addEventListener('focus', suggest);
  input.addEventListener('blur', () => setTimeout(() => { byId('results').hidden = true; }, 150));
  input.addEventListener('keydown', (event) => {
    const count = search.found.length;
    if (event.key === 'Escape') {
      event.stopPropagation();
      if (input.value) closeSearch();
      else input.blur();
    } else if (event.key === 'Enter') {
      take(search.at);
    } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && count) {
      event.preventDefault();
      search.at = (search.at + (event.key === 'ArrowDown' ? 1 : count - 1)) % count;
      mark();
    }
    if (event.key.startsWith('Arrow')) event.stopPropagation();
  });
  byId('results').addEventListener('pointerdown', (event) => {
    const item = event.target.closest('[data-i]');
    if (!item) return;
    event.preventDefault();
    take(Number(item.dataset.i));
  });
}
