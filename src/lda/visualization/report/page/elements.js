// Elements. Text is only ever set as text; nothing on this page is parsed as markup.

const byId = (id) => document.getElementById(id);
const svgNamespace = 'http://www.w3.org/2000/svg';

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (name === 'class') element.setAttribute('class', value);
    else if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined) element.append(child);
  }
  return element;
}
const html = (name, properties = {}, ...children) => fill(document.createElement(name), properties, children);
const svg = (name, properties = {}, ...children) =>
  fill(document.createElementNS(svgNamespace, name), properties, children);

// Words of a corpus in any direction of writing; one's marks of direction end with it.
const isolated = (text) => html('bdi', {}, text);

// Words, separated, each isolated.
function wordList(words) {
  const parts = [];
  words.forEach((word, i) => parts.push(i ? ', ' : '', isolated(word)));
  return parts;
}

// A topic's label, if it has one, before its words.
const nameOf = (topic, count) => [
  ...(topic.label ? [html('b', {}, isolated(topic.label)), ' '] : []), ...wordList(wordsOf(topic, count))];

const button = (label, action, properties = {}) =>
  html('button', {type: 'button', onclick: action, ...properties}, label);

// A bar that takes part of its track.
function bar(part, kind = '') {
  const filled = html('i');
  filled.style.width = `${100 * Math.min(1, part)}%`;
  return html('span', {class: `bar ${kind}`, 'aria-hidden': 'true'}, filled);
}

const announce = (text) => { byId('status').textContent = text; };
const isWide = () => matchMedia('(min-width: 60rem)').matches;
