// Draws one message: face, name, time, body, files, reactions, replies.
import { el, icon } from './dom.js';
import { emojiNode, MEANING } from './emoji.js';
import { drawBlockList } from './blocks.js';
import { plainText } from './plaintext.js';
import { drawBlocks } from './prose.js';
import { parseMrkdwn } from './mrkdwn.js';
import { appFace, authorOf, displayName, firstName, personaFace, personFace } from './people.js';
import { ago, clock, fullDate, tsMillis } from './time.js';
import { isReply } from './store.js';

/**
 * Draws a message row. `view`: {store, directory, place(message), act, grouped, surface: 'channel' | 'thread',
 * channel, unreadReplies, editor}. `act` holds what a person can do with it; see actions.js.
 */
export function drawMessage(message, view) {
  const gone = message.subtype === 'tombstone';
  const author = authorOf(message, view.store);
  const classes = ['message', view.grouped && 'grouped', message.is_ephemeral && 'ephemeral', gone && 'gone'].filter(Boolean).join(' ');
  return el('article', { class: classes, dataset: { ts: message.ts }, tabindex: '-1', 'aria-label': `${author.name}, ${clock(tsMillis(message.ts), view.directory.zone())}` },
    el('div', { class: 'gutter' }, view.grouped ? timeOf(message, view, 'gutter-time') : gone ? el('span', { class: 'face face-gone' }, icon('trash', 16)) : author.face(36)),
    el('div', { class: 'message-main' },
      message.is_ephemeral && el('p', { class: 'only-you' }, icon('eye', 14), 'Only visible to you'),
      message.subtype === 'thread_broadcast' && broadcastMark(message, view),
      !view.grouped && !gone && byline(message, author, view),
      gone ? el('p', { class: 'muted' }, 'This message was deleted.') : drawBody(message, view),
      drawFiles(message.files),
      drawReactions(message, view),
      view.surface === 'channel' && drawReplies(message, view)));
}

function byline(message, author, view) {
  return el('header', { class: 'byline' },
    el('span', { class: 'author' }, author.name),
    author.role && el('span', { class: 'role' }, author.role),
    author.isApp && el('span', { class: 'app-badge' }, 'APP'),
    timeOf(message, view, 'time'));
}

function timeOf(message, view, kind) {
  const millis = tsMillis(message.ts);
  const zone = view.directory.zone();
  return el('time', { class: kind, datetime: new Date(millis).toISOString(), title: `${fullDate(millis, zone)} (${zone})` }, clock(millis, zone));
}

function broadcastMark(message, view) {
  if (view.surface === 'thread') return el('p', { class: 'broadcast-mark' }, icon('hash', 13), 'Also sent to the channel');
  return el('button', { type: 'button', class: 'broadcast-mark link-button', on: { click: () => view.act.openThread(view.channel, message.thread_ts) } }, icon('reply', 13), 'replied to a thread');
}

function drawBody(message, view) {
  if (view.editor) return view.editor.root;
  const place = view.place(message);
  const edited = message.edited && el('span', { class: 'edited', title: fullDate(tsMillis(message.edited.ts), view.directory.zone()) }, '(edited)');
  const body = message.blocks?.length
    ? drawBlockList(message.blocks, place)
    : message.text ? el('div', { class: 'prose' }, drawBlocks(parseMrkdwn(message.text), view.directory)) : null;
  const attachments = (message.attachments ?? []).map((a) => el('div', { class: 'attachment' }, a.blocks ? drawBlockList(a.blocks, place) : el('div', { class: 'prose' }, drawBlocks(parseMrkdwn(a.text ?? a.fallback), view.directory))));
  return el('div', { class: message.subtype === 'me_message' ? 'body me-message' : 'body' }, body, attachments, edited);
}

function drawFiles(files) {
  if (!files?.length) return null;
  return el('ul', { class: 'files', 'aria-label': 'Files' }, files.map((f) => el('li', {}, el('a', { href: localHref(f.url_private_download ?? f.url_private), download: f.name, class: 'file' },
    icon('file', 22), el('span', {}, el('strong', {}, f.title || f.name), el('small', {}, [f.filetype?.toUpperCase(), fileSize(f.size)].filter(Boolean).join(' · ')))))));
}

function localHref(url) {
  return /^(https?:\/\/|\/)/i.test(url ?? '') ? url : null;
}

function fileSize(bytes) {
  if (!Number.isFinite(bytes)) return '';
  return bytes < 1024 ? `${bytes} B` : bytes < 1048576 ? `${Math.round(bytes / 1024)} kB` : `${(bytes / 1048576).toFixed(1)} MB`;
}

function drawReactions(message, view) {
  if (!message.reactions?.length) return null;
  return el('div', { class: 'reactions', role: 'group', 'aria-label': 'Reactions' },
    message.reactions.map((r) => {
      const mine = r.users?.includes(view.store.me);
      const who = reactors(r, view);
      const meaning = MEANING[r.name] ? `, ${MEANING[r.name]}` : '';
      return el('button', { type: 'button', class: 'reaction', 'aria-pressed': mine ? 'true' : 'false', title: `${who} reacted with :${r.name}:`, 'aria-label': `${r.name}, ${r.count}, ${who}${meaning}`, on: { click: () => view.act.react(view.channel, message, r.name, mine) } },
        emojiNode(r.name), el('span', {}, String(r.count)));
    }),
    el('button', { type: 'button', class: 'reaction reaction-add', 'aria-label': 'Add a reaction', title: 'Add a reaction', on: { click: (e) => view.act.pickReaction(view.channel, message, e.currentTarget) } }, icon('smile', 15)));
}

function reactors(reaction, view) {
  const names = (reaction.users ?? []).map((id) => (id === view.store.me ? 'You' : view.directory.userName(id) ?? id));
  if (names.length < 2) return names[0] ?? 'Someone';
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

function drawReplies(message, view) {
  const { replies } = view.store.thread(view.channel, message.ts);
  if (isReply(message)) return null;
  const count = message.reply_count ?? replies.length;
  const status = view.store.status(view.channel, message.ts);
  if (!count && !status) return null;
  const faces = [...new Map(replies.filter((r) => !r.is_ephemeral && r.subtype !== 'tombstone').reverse().map((r) => [authorOf(r, view.store).key, r])).values()].slice(0, 5).map((r) => authorOf(r, view.store).face(22));
  const last = message.latest_reply ?? replies.at(-1)?.ts;
  return el('button', { type: 'button', class: 'reply-bar', dataset: { thread: message.ts }, on: { click: () => view.act.openThread(view.channel, message.ts) } },
    el('span', { class: 'reply-faces' }, faces),
    count ? el('strong', {}, `${count} ${count === 1 ? 'reply' : 'replies'}`) : null,
    view.unreadReplies ? el('span', { class: 'count' }, `${view.unreadReplies} new`) : null,
    status ? statusText(status, view.store) : last && el('span', { class: 'muted' }, `Last reply ${ago(tsMillis(last), view.directory.zone())}`),
    el('span', { class: 'reply-open' }, 'View thread'));
}

/** "Maya Chen is thinking …" with moving dots. */
function statusText(status, store) {
  const [, name, role] = (status.username || store.app.name).match(/^(.+?)\s*\(([^()]+)\)$/) ?? [null, status.username || store.app.name, ''];
  const doing = (status.loading_messages?.[0] || status.status || 'is thinking').replace(/[.…\s]+$/, '');
  const sentence = new RegExp(`^${escapeRegExp(name.split(' ')[0])}\\b`, 'i').test(doing) ? [doing] : [el('strong', {}, name), ' ', /^is\b/i.test(doing) ? doing : `is ${doing.charAt(0).toLowerCase()}${doing.slice(1)}`];
  return el('span', { class: 'status-text', title: role || null }, sentence, el('span', { class: 'dots', 'aria-hidden': 'true' }, el('i'), el('i'), el('i')));
}

function escapeRegExp(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** The line at the foot of a thread while somebody of the app thinks. */
export function drawStatus(status, store) {
  const face = status.username ? personaFace(status.username, { emoji: status.icon_emoji, image_48: status.icon_url }, 24) : authorOf({ bot_id: store.app.bot_id }, store).face(24);
  return el('div', { class: 'status-line' }, face, statusText(status, store));
}

/** One line of plain words for announcements, quotes and the switcher. */
export function summary(message, store) {
  const text = String(message.text ?? '').replace(/<@([UW][A-Z0-9]+)(?:\|[^>]*)?>/g, (_, id) => `@${displayName(store.people.get(id)) ?? id}`)
    .replace(/<#([A-Z0-9]+)(?:\|([^>]*))?>/g, (_, id, label) => `#${store.channels.get(id)?.name ?? label ?? id}`)
    .replace(/<(?:https?:[^|>]*\|)?([^>]*)>/g, '$1').replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&amp;/g, '&').replace(/[*_~`]/g, '');
  return text.replace(/\s+/g, ' ').trim();
}

/** The friendly page of a channel in which nobody has written. */
export function drawEmpty(channel, store, act) {
  const command = store.commands[0]?.command ?? '/roundtable';
  const example = `${command} offline mode for notes`;
  const me = firstName(store.people.get(store.me));
  if (channel.kind === 'im') return drawEmptyDirect(store);
  return el('section', { class: 'empty' },
    el('div', { class: 'empty-faces' }, ['Maya Chen', 'Alex Rivera', 'Jordan Park'].map((n) => personaFace(n, {}, 64))),
    el('h2', {}, `Welcome to #${channel.name}, ${me}`),
    el('p', {}, 'Maya, Alex and Jordan are three AI colleagues who discuss a feature with you in a thread. Give them a topic:'),
    el('button', { type: 'button', class: 'try-it', on: { click: () => act.suggest(example) } }, el('code', {}, example), el('span', {}, 'Try it')),
    el('p', { class: 'muted' }, 'You can be any of the people here: choose who at the bottom left, and answer as a colleague in another time zone.'),
    store.app.connections === 0 && el('p', { class: 'alert' }, `${store.app.name} is not connected yet. It answers as soon as it is.`));
}

function drawEmptyDirect(store) {
  return el('section', { class: 'empty' }, el('div', { class: 'empty-faces' }, appFace(store.app, 64)), el('h2', {}, `You and ${store.app.name}`), el('p', {}, 'Only the two of you read what is written here.'));
}

/** A quoted original above an edit or in a confirmation. */
export function drawQuote(message, store) {
  return el('blockquote', { class: 'quoted' }, personFace(store.people.get(message.user), 20), el('span', {}, plainText(summary(message, store).slice(0, 200))));
}
