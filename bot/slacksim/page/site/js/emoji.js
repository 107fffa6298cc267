// Emoji: names, characters, and the pictures the page brings along so that the
// common ones look the same on a machine without an emoji font.
import { el } from './dom.js';

// name: [character, has a picture in /emoji, further names].
const TABLE = {
  white_check_mark: ['✅', true, ['check']],
  question: ['❓', true, []],
  pushpin: ['📌', true, ['pin']],
  '+1': ['👍', true, ['thumbsup']],
  '-1': ['👎', true, ['thumbsdown']],
  eyes: ['👀', true, []],
  tada: ['🎉', true, ['party']],
  heart: ['❤️', true, []],
  rocket: ['🚀', true, []],
  bulb: ['💡', true, ['idea']],
  thinking_face: ['🤔', true, ['thinking']],
  smile: ['😄', true, ['happy', 'smiley', 'grinning']],
  wave: ['👋', true, []],
  warning: ['⚠️', true, []],
  memo: ['📝', true, ['pencil', 'note']],
  speech_balloon: ['💬', true, []],
  hourglass_flowing_sand: ['⏳', true, ['hourglass']],
  mag: ['🔍', true, []],
  x: ['❌', true, []],
  bell: ['🔔', true, []],
  no_bell: ['🔕', true, ['mute']],
  fire: ['🔥', true, []],
  star: ['⭐', true, []],
  clock3: ['🕒', true, ['clock']],
  page_facing_up: ['📄', true, ['page']],
  bar_chart: ['📊', true, []],
  raised_hands: ['🙌', false, []],
  clap: ['👏', false, []],
  pray: ['🙏', false, []],
  ok_hand: ['👌', false, []],
  joy: ['😂', false, []],
  blush: ['😊', false, []],
  wink: ['😉', false, []],
  sweat_smile: ['😅', false, []],
  neutral_face: ['😐', false, []],
  confused: ['😕', false, []],
  cry: ['😢', false, []],
  sunglasses: ['😎', false, []],
  muscle: ['💪', false, []],
  brain: ['🧠', false, []],
  coffee: ['☕', false, []],
  calendar: ['📅', false, []],
  chart_with_upwards_trend: ['📈', false, []],
  gear: ['⚙️', false, []],
  hammer_and_wrench: ['🛠️', false, []],
  wrench: ['🔧', false, []],
  building_construction: ['🏗️', false, []],
  triangular_ruler: ['📐', false, []],
  art: ['🎨', false, []],
  package: ['📦', false, []],
  link: ['🔗', false, []],
  lock: ['🔒', false, []],
  key: ['🔑', false, []],
  bug: ['🐛', false, []],
  zap: ['⚡', false, []],
  sparkles: ['✨', false, []],
  dart: ['🎯', false, []],
  seedling: ['🌱', false, []],
  ear: ['👂', false, []],
  robot_face: ['🤖', false, ['robot']],
  busts_in_silhouette: ['👥', false, []],
  books: ['📚', false, []],
  bookmark: ['🔖', false, []],
  clipboard: ['📋', false, []],
  scales: ['⚖️', false, []],
  handshake: ['🤝', false, []],
  heavy_plus_sign: ['➕', false, []],
  arrow_right: ['➡️', false, []],
  fast_forward: ['⏩', false, []],
  double_vertical_bar: ['⏸️', false, ['pause_button']],
  octagonal_sign: ['🛑', false, []],
  checkered_flag: ['🏁', false, []],
  one: ['1️⃣', false, []],
  two: ['2️⃣', false, []],
  three: ['3️⃣', false, []],
  100: ['💯', false, []],
};

/** The handful that the picker offers first, in this order; ✅ ❓ 📌 mean something to the discussion. */
export const PICKER = [
  'white_check_mark', 'question', 'pushpin', '+1', 'eyes', 'tada', 'heart', 'rocket', 'bulb', 'thinking_face',
  'smile', 'wave', 'fire', 'star', 'memo', 'warning', 'hourglass_flowing_sand', '-1',
];

/** What marking a message with this reaction does in a discussion, for tooltips. */
export const MEANING = { white_check_mark: 'mark as a decision', question: 'mark as an open question', pushpin: 'mark as an insight' };

const byName = new Map();
const byChar = new Map();
for (const [name, [char, art, aliases]] of Object.entries(TABLE)) {
  const entry = { name, char, art };
  for (const n of [name, ...aliases]) byName.set(n, entry);
  byChar.set(char, entry);
  byChar.set(char.replace('\uFE0F', ''), entry);
}

/** The entry for `name` (skin tones ignored), or undefined. */
export function emojiByName(name) {
  return byName.get(String(name).split('::')[0]);
}

/** A node for an emoji given by name; an unknown name shows as `:name:`. */
export function emojiNode(name) {
  const entry = emojiByName(name);
  return entry ? entryNode(entry) : document.createTextNode(`:${name}:`);
}

function entryNode(entry) {
  if (entry.art) {
    return el('img', { class: 'emoji', src: `/emoji/${encodeURIComponent(entry.name.replace('+', 'plus').replace('-1', 'minus1'))}.svg`, alt: entry.char, title: `:${entry.name}:`, draggable: 'false' });
  }
  return el('span', { class: 'emoji-char', title: `:${entry.name}:` }, entry.char);
}

const drawable = [...byChar].filter(([, e]) => e.art).map(([c]) => c).sort((a, b) => b.length - a.length);
const DRAWN = new RegExp(`(${drawable.join('|')})\uFE0F?`, 'gu');

/** Splits text into text nodes and pictures for the emoji that the page can draw. */
export function textNodes(text) {
  const out = [];
  let last = 0;
  for (const m of text.matchAll(DRAWN)) {
    if (m.index > last) out.push(document.createTextNode(text.slice(last, m.index)));
    out.push(entryNode(byChar.get(m[1])));
    last = m.index + m[0].length;
  }
  if (last < text.length) out.push(document.createTextNode(text.slice(last)));
  return out;
}

/** Up to `limit` entries whose name contains `query`, those that begin with it first. */
export function searchEmoji(query, limit = 8) {
  const q = query.toLowerCase();
  const found = new Map();
  for (const starts of [true, false]) {
    for (const [name, entry] of byName) {
      if (starts ? name.startsWith(q) : name.includes(q)) found.set(entry.name, entry);
    }
  }
  return [...found.values()].slice(0, limit);
}
