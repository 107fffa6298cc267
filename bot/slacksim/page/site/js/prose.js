// Draws the tree of mrkdwn.js and markdown.js, and the leaves that rich_text shares
// with it: mentions, links, dates, emoji.
import { el } from './dom.js';
import { emojiNode, textNodes } from './emoji.js';
import { formatDateToken } from './time.js';

const SAFE_LINK = /^(https?:|mailto:)/i;

/** Draws block nodes. `directory` names people and channels: see people.js. */
export function drawBlocks(blocks, directory) {
  return blocks.map((b) => drawBlock(b, directory));
}

function drawBlock(block, directory) {
  switch (block.kind) {
    case 'paragraph': return el('p', {}, drawInline(block.children, directory));
    case 'pre': return el('pre', {}, el('code', {}, block.text));
    case 'quote': return el('blockquote', {}, drawBlocks(block.children, directory));
    // The page's own headings stop at h3, so a message's begin below them.
    case 'heading': return el(`h${Math.min(6, block.level + 3)}`, { class: `prose-h${Math.min(4, block.level)}` }, drawInline(block.children, directory));
    case 'list': return drawList(block.items.map((item) => ({ ...item, nodes: drawInline(item.children, directory) })), block.ordered, block.start);
    case 'table': return drawTable(block, directory);
    case 'rule': return el('hr', {});
    default: return document.createTextNode('');
  }
}

/** Draws a list whose items carry `indent` (0 = outermost) and their nodes. */
export function drawList(items, ordered, start = 1) {
  const open = (isOrdered, at) => el(isOrdered ? 'ol' : 'ul', isOrdered && at > 1 ? { start: at } : {});
  const root = open(ordered, start);
  const levels = [root];
  for (const item of items) {
    while (levels.length - 1 > item.indent) levels.pop();
    while (levels.length - 1 < item.indent) {
      const nested = open(item.ordered ?? ordered, 1);
      (levels.at(-1).lastElementChild ?? levels.at(-1).appendChild(el('li'))).append(nested);
      levels.push(nested);
    }
    levels.at(-1).append(el('li', {}, item.nodes));
  }
  return root;
}

function drawTable(block, directory) {
  const cell = (tag) => (children, column) => el(tag, { class: `align-${block.align[column] ?? 'left'}` }, drawInline(children, directory));
  return el('div', { class: 'table-scroll', tabindex: '0', role: 'region', 'aria-label': 'Table' }, el('table', {},
    el('thead', {}, el('tr', {}, block.head.map(cell('th')))),
    el('tbody', {}, block.rows.map((row) => el('tr', {}, row.map(cell('td')))))));
}

const STYLE_TAGS = { bold: 'strong', italic: 'em', strike: 's' };

/** Draws inline nodes. */
function drawInline(nodes, directory) {
  return nodes.flatMap((node) => {
    if (STYLE_TAGS[node.kind]) return el(STYLE_TAGS[node.kind], {}, drawInline(node.children, directory));
    switch (node.kind) {
      case 'text': return textNodes(node.text);
      case 'break': return el('br');
      case 'code': return el('code', {}, node.text);
      case 'link': return drawLink(node.href, drawInline(node.children, directory));
      default: return drawLeaf(node, directory);
    }
  });
}

/** Draws a mention, date or emoji. */
export function drawLeaf(node, directory) {
  switch (node.kind) {
    case 'user': return mention(`@${directory.userName(node.id) ?? (node.label || node.id)}`, directory.isViewer(node.id));
    case 'channel': return mention(`#${directory.channelName(node.id) ?? (node.label || node.id)}`);
    case 'group': return mention(node.label || `@${node.id}`);
    case 'broadcast': return mention(`@${node.range}`, true);
    case 'date': return drawDate(node, directory);
    case 'emoji': return emojiNode(node.name);
    default: return document.createTextNode('');
  }
}

function mention(text, loud = false) {
  return el('span', { class: loud ? 'mention mention-loud' : 'mention' }, text);
}

function drawDate(node, directory) {
  if (!Number.isFinite(node.at)) return document.createTextNode(node.fallback ?? '');
  const shown = formatDateToken(node.at, node.format, directory.zone());
  return el('time', { datetime: new Date(node.at * 1000).toISOString(), title: node.fallback || null }, shown);
}

/** Draws a link, or only its label when the address is not one a browser should follow. */
export function drawLink(href, label) {
  if (!SAFE_LINK.test(href)) return el('span', {}, label);
  return el('a', { href, target: '_blank', rel: 'noopener noreferrer nofollow' }, label);
}
