// What can be done with one message: the bar that appears on it, and the emoji picker.
import { dismissable, el, fill, icon, iconButton, roving } from './dom.js';
import { emojiNode, MEANING, PICKER, searchEmoji } from './emoji.js';
import { openMenu } from './elements.js';

let shown = null;

/** Puts the bar on a message row, taking it from wherever it was. */
export function showToolbar(row, view, channel, surface) {
  if (shown?.row === row && row.contains(shown.bar)) return;
  if (shown?.bar.querySelector('.menu')) return;
  shown?.bar.remove();
  const bar = row.message.is_ephemeral ? ephemeralBar(row, view) : messageBar(row, view, channel, surface);
  shown = { row, bar };
  row.append(bar);
}

function ephemeralBar(row, view) {
  return el('div', { class: 'toolbar', role: 'toolbar', 'aria-label': 'Message actions' }, iconButton('close', 'Dismiss', () => view.act.dismiss(row.message)));
}

function messageBar(row, view, channel, surface) {
  const { message } = row;
  const { act, store } = view;
  const gone = message.subtype === 'tombstone';
  const quick = gone ? [] : ['white_check_mark', 'question', 'pushpin'].map((name) => el('button', {
    type: 'button', class: 'icon-button', 'aria-label': `React with ${name.replaceAll('_', ' ')}: ${MEANING[name]}`, title: `:${name}: ${MEANING[name]}`,
    on: { click: () => act.react(channel, message, name, hasReacted(message, name, store.me)) },
  }, emojiNode(name)));
  const items = gone ? [] : menuItems(row, view, channel);
  const more = items.length && el('span', { class: 'menu-anchor' }, iconButton('more', 'More actions', (e) => openMenu(e.currentTarget.parentNode, e.currentTarget, items), { 'aria-haspopup': 'menu' }));
  return el('div', { class: 'toolbar', role: 'toolbar', 'aria-label': 'Message actions' }, quick,
    !gone && iconButton('smile', 'Add a reaction', (e) => act.pickReaction(channel, message, e.currentTarget)),
    surface === 'channel' && iconButton('thread', 'Reply in thread', () => act.openThread(channel, message.thread_ts ?? message.ts, true)),
    more || null);
}

function menuItems(row, view, channel) {
  const { message } = row;
  const { act, store } = view;
  const items = store.shortcuts.filter((s) => s.type === 'message' || s.type === 'message_action').map((s) => ({ label: [icon('table', 16), s.name], run: () => act.shortcut(channel, message, s) }));
  if (message.user === store.me) {
    items.push({ label: [icon('edit', 16), 'Edit message'], run: () => act.edit(channel, message, row) });
    items.push({ label: [icon('trash', 16), 'Delete message'], run: () => act.remove(channel, message), danger: true });
  }
  return items;
}

function hasReacted(message, name, me) {
  return Boolean(message.reactions?.find((r) => r.name === name)?.users?.includes(me));
}

/** Opens the picker near `anchor`; calls pick(name) once. */
export function openPicker(anchor, pick) {
  const grid = el('div', { class: 'picker-grid', role: 'listbox', 'aria-label': 'Emoji' });
  const search = el('input', { type: 'search', class: 'text-field', placeholder: 'Find an emoji', 'aria-label': 'Find an emoji' });
  const panel = el('div', { class: 'picker', role: 'dialog', 'aria-label': 'Emoji picker' }, search, grid);
  const close = () => {
    release();
    panel.remove();
    if (anchor.isConnected) anchor.focus();
  };
  const choose = (name) => {
    close();
    pick(name);
  };
  const list = (names) => fill(grid, names.map((name) => el('button', { type: 'button', role: 'option', 'aria-label': name.replaceAll('_', ' '), title: MEANING[name] ? `:${name}: ${MEANING[name]}` : `:${name}:`, on: { click: () => choose(name) } }, emojiNode(name))));
  search.addEventListener('input', () => list(search.value ? searchEmoji(search.value, 24).map((e) => e.name) : PICKER));
  search.addEventListener('keydown', (e) => { if (e.key === 'Enter') grid.querySelector('button')?.click(); });
  roving(grid, 'button');
  list(PICKER);
  document.body.append(panel);
  placeNear(panel, anchor);
  const release = dismissable(panel, close);
  search.focus();
}

function placeNear(panel, anchor) {
  const at = anchor.getBoundingClientRect();
  const { width, height } = panel.getBoundingClientRect();
  const top = at.bottom + height + 8 > innerHeight ? Math.max(8, at.top - height - 6) : at.bottom + 6;
  panel.style.setProperty('top', `${top}px`);
  panel.style.setProperty('left', `${Math.max(8, Math.min(at.left, innerWidth - width - 8))}px`);
}
