// Who is who: names, faces, local times, for people, the app and its personas.
import { el } from './dom.js';
import { emojiNode, emojiByName } from './emoji.js';
import { isLocal } from './blocks.js';
import { clock, offsetName } from './time.js';

// The personas that the page has portraits of, by full name in lower case.
const PORTRAITS = { 'maya chen': 'maya', 'alex rivera': 'alex', 'jordan park': 'jordan' };
const APP_FACE = '/faces/roundtable.svg';

/** Answers what the drawing code asks about ids. */
export function directoryOf(store) {
  return {
    userName: (id) => displayName(store.people.get(id)),
    channelName: (id) => store.channels.get(id)?.name,
    isViewer: (id) => id === store.me,
    zone: () => zoneOf(store),
  };
}

/** The viewer's time zone. */
function zoneOf(store) {
  return store.people.get(store.me)?.tz || Intl.DateTimeFormat().resolvedOptions().timeZone;
}

export function displayName(person) {
  return person ? person.real_name || person.name : undefined;
}

/** "Priya" for "Priya Nair". */
export function firstName(person) {
  return (displayName(person) ?? '').split(' ')[0];
}

/**
 * Who a message is from: {key, name, role, isApp, face(size)}. `key` is equal for
 * messages of the same author; a persona's name "Maya Chen (Business Analyst)" is
 * told apart into name and role.
 */
export function authorOf(message, store) {
  const isApp = Boolean(message.bot_id) || message.user === store.app.user_id;
  if (message.username) {
    const [, name, role] = message.username.match(/^(.+?)\s*\(([^()]+)\)$/) ?? [null, message.username, ''];
    return { key: `as:${message.username}`, name, role, isApp, face: (size) => personaFace(name, message.icons, size) };
  }
  if (isApp) return { key: 'app', name: message.bot_profile?.name || store.app.name, role: '', isApp, face: (size) => appFace(store.app, size) };
  const person = store.people.get(message.user);
  return { key: message.user ?? '?', name: displayName(person) ?? message.user ?? 'Unknown', role: '', isApp: false, face: (size) => personFace(person, size) };
}

function picture(src, size) {
  return el('img', { class: 'face', src, alt: '', width: size, height: size, draggable: 'false' });
}

/** The face for a persona: its own picture, a portrait the page knows, an emoji, or initials. */
export function personaFace(name, icons = {}, size = 36) {
  const own = icons?.image_72 ?? icons?.image_64 ?? icons?.image_48 ?? icons?.icon_url;
  if (own && isLocal(own)) return picture(own, size);
  const portrait = PORTRAITS[name.replace(/\s*\(.*$/, '').trim().toLowerCase()];
  if (portrait) return picture(`/faces/${portrait}.svg`, size);
  const emoji = String(icons?.emoji ?? '').replaceAll(':', '');
  if (emojiByName(emoji)) return disc(size, 'face-emoji', hue(name), emojiNode(emoji));
  return disc(size, 'face-initials', hue(name), initials(name));
}

export function appFace(app, size = 36) {
  return picture(app.icon_url && isLocal(app.icon_url) ? app.icon_url : APP_FACE, size);
}

/** The face for a person: initials on the colour that is theirs. */
export function personFace(person, size = 36) {
  if (person?.is_bot) return picture(APP_FACE, size);
  const name = displayName(person) ?? '?';
  return disc(size, 'face-initials', hueOf(person?.color) ?? hue(person?.id ?? name), person?.initials || initials(name));
}

function disc(size, kind, angle, content) {
  return el('span', { class: `face ${kind}`, 'aria-hidden': 'true', style: { '--hue': String(angle), '--face': `${size}px` } }, content);
}

function initials(name) {
  const words = name.split(/\s+/).filter(Boolean);
  return [...(words.length > 1 ? words[0][0] + words.at(-1)[0] : name.slice(0, 2))].join('').toUpperCase();
}

// The angle of a six-digit colour such as "9f69e7", or undefined for a grey or none.
function hueOf(color) {
  const m = /^#?([0-9a-f]{6})$/i.exec(color ?? '');
  if (!m) return undefined;
  const [r, g, b] = [0, 2, 4].map((i) => parseInt(m[1].slice(i, i + 2), 16));
  const angle = Math.atan2(Math.sqrt(3) * (g - b), 2 * r - g - b) * (180 / Math.PI);
  return r === g && g === b ? undefined : Math.round((angle + 390) % 360);
}

// A stable angle on the colour wheel; lightness and chroma are the style sheet's.
function hue(key) {
  let h = 0;
  for (const c of String(key)) h = (h * 31 + c.codePointAt(0)) % 3600;
  return Math.round(h * 0.1 * 47) % 360;
}

/** "09:32 · UTC+5:30" for a person, now. */
export function localTime(person) {
  return `${clock(Date.now(), person.tz)} · ${offsetName(person.tz_offset ?? 0)}`;
}

/** The people one can be, in a stable order. */
export function switchable(store) {
  return [...store.people.values()].filter((p) => !p.is_bot && !p.deleted);
}
