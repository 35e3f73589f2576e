// The model as the page shows it. What the numbers mean is in report_data.h.

const data = JSON.parse(document.getElementById('data').textContent);
const K = data.model.topics;
const firstLambda = 0.6;

const percentOf = (share) => {
  const percent = 100 * share;
  const digits = percent >= 9.95 ? 0 : percent >= 0.095 ? 1 : 2;
  return percent > 0 && percent < 0.005 ? '< 0.01%' : `${percent.toFixed(digits)}%`;
};
const grouped = (number) => number.toLocaleString('en');
const counted = (number, one, many = `${one}s`) => `${grouped(number)} ${number === 1 ? one : many}`;
const ordinal = (n) => {
  const ending = n % 100 > 10 && n % 100 < 14 ? 'th' : ['th', 'st', 'nd', 'rd'][n % 10] || 'th';
  return grouped(n) + ending;
};

// Pairs of a flat list: [[a, b], ...].
const pairs = (flat) => {
  const result = [];
  for (let i = 0; i < flat.length; i += 2) result.push([flat[i], flat[i + 1]]);
  return result;
};

const topics = data.topics.map((topic, k) => ({
  k,
  label: topic.label || '',
  n: topic.n,
  share: data.model.tokens ? topic.n / data.model.tokens : 0,
  x: topic.x,
  y: topic.y,
  r: topic.r,
  words: pairs(topic.w),
  near: pairs(topic.near),
  docs: topic.docs || [],
  groups: topic.g || [],
}));
const byShare = [...topics].sort((a, b) => b.n - a.n || a.k - b.k);
byShare.forEach((topic, place) => { topic.place = place; });

const wordsOf = (topic, count) => topic.words.slice(0, count).map(([w]) => data.words[w]);
// What a topic is called: its label, or else its first words.
const labelOf = (topic, count = 3) => topic.label || wordsOf(topic, count).join(', ') || 'no words';

// The share of a word's tokens that a topic has, as the prior smooths it: what lambda = 0 ranks by.
const exclusiveness = (w, n) => (n + data.model.beta) / (data.totals[w] + K * data.model.beta);

// The words of a topic, most relevant first: ln phi - (1 - lambda) ln p_w, without what is the same for all words.
function ranked(topic, lambda) {
  const beta = data.model.beta;
  const relevance = ([w, n]) => Math.log(n + beta) - (1 - lambda) * Math.log(data.totals[w] + K * beta);
  return topic.words.map((word) => [relevance(word), word]).sort((a, b) => b[0] - a[0] || a[1][0] - b[1][0])
      .map(([, word]) => word);
}

// topic -> its share of a word's tokens.
function spreadOf(w) {
  const result = new Map();
  for (const [k, perMille] of pairs(data.spread[w])) result.set(k, perMille / 1000);
  return result;
}

// Letters without case and marks, for searching.
const folded = (text) => text.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '');
