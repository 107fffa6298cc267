// What the composer can complete at the cursor: commands, people and personas,
// channels, emoji. Pure apart from the faces it hands out.
import { emojiNode, searchEmoji } from './emoji.js';
import { appFace, displayName, localTime, personaFace, personFace, switchable } from './people.js';

const MOST = 8;

/**
 * The completions for `text` with the cursor at `at`, or null:
 * {range: [from, to], options: [{label, detail, insert, face}]}.
 */
export function completionsFor(text, at, store) {
  const before = text.slice(0, at);
  if (/^\/\S*$/.test(before)) return answer(0, at, commands(before, store));
  const m = before.match(/(^|[\s(])([@#:])([^\s@#:]{0,30}(?: [^\s@#:]{0,20})?)$/);
  if (!m || (m[2] === ':' && (m[3].length < 2 || m[3].includes(' ')))) return null;
  const from = at - m[3].length - 1;
  const find = { '@': names, '#': channels, ':': emoji }[m[2]];
  return answer(from, at, find(m[3].toLowerCase(), store, from));
}

function answer(from, to, options) {
  return options.length ? { range: [from, to], options: options.slice(0, MOST) } : null;
}

function commands(typed, store) {
  return store.commands.filter((c) => c.command.startsWith(typed.toLowerCase())).map((c) => ({
    label: `${c.command} ${c.usage_hint ?? ''}`.trim(), detail: c.description, insert: `${c.command} `, face: () => appFace(store.app, 24),
  }));
}

// A persona is nobody whom Slack can mention, so a name at the start is written as an address.
function names(query, store, from) {
  const people = switchable(store).filter((p) => p.id !== store.me).map((p) => ({ label: displayName(p), detail: localTime(p), insert: `@${displayName(p)} `, face: () => personFace(p, 24) }));
  const app = { label: store.app.name, detail: 'App', insert: `@${store.app.name} `, face: () => appFace(store.app, 24) };
  const personas = store.personaNames().map((full) => {
    const [, name, role] = full.match(/^(.+?)\s*\(([^()]+)\)$/) ?? [null, full, 'Persona'];
    return { label: name, detail: role, insert: from === 0 ? `${name.split(' ')[0]}, ` : `@${name.split(' ')[0]} `, face: () => personaFace(name, {}, 24) };
  });
  const unique = new Map([...personas, app, ...people].map((o) => [o.label, o]));
  return [...unique.values()].filter((o) => o.label.toLowerCase().split(' ').some((w) => w.startsWith(query)) || o.label.toLowerCase().startsWith(query));
}

function channels(query, store) {
  return store.listedChannels().filter((c) => c.name.startsWith(query)).map((c) => ({ label: `#${c.name}`, detail: c.topic, insert: `#${c.name} ` }));
}

function emoji(query) {
  return searchEmoji(query, MOST).map((e) => ({ label: `:${e.name}:`, insert: `:${e.name}: `, face: () => emojiNode(e.name) }));
}
