// Draws Block Kit: the blocks of messages, of the Home tab and of modals.
//
// The surface a block stands on is given as `place`:
//   {directory, act(element, blockId, change), confirm(object) → Promise<boolean>,
//    people() → [...], channels() → [...], inputs: Map | null}
// act reports that someone used an element; inputs collects a view's values.
import { el } from './dom.js';
import { plainText } from './plaintext.js';
import { drawBlocks } from './prose.js';
import { parseMrkdwn } from './mrkdwn.js';
import { parseMarkdown } from './markdown.js';
import { drawRichText } from './richtext.js';
import { drawElement } from './elements.js';
import { drawInput } from './inputs.js';

/** Draws a list of blocks in order. */
export function drawBlockList(blocks, place) {
  return (blocks ?? []).map((block, i) => {
    const node = drawBlock({ ...block, block_id: block.block_id ?? `block-${i}` }, place);
    return node && el('div', { class: `block block-${String(block.type).replace(/[^a-z_]/g, '')}` }, node);
  });
}

function drawBlock(block, place) {
  switch (block.type) {
    case 'header': return el('h3', { class: 'block-title' }, drawText(block.text, place));
    case 'section': return drawSection(block, place);
    case 'context': return el('div', { class: 'context-row' }, (block.elements ?? []).map((e) => (e.type === 'image' ? drawPicture(e) : el('span', { class: 'prose' }, drawText(e, place)))));
    case 'actions':
    case 'context_actions': return el('div', { class: 'actions-row' }, (block.elements ?? []).map((e) => drawElement(e, block.block_id, place)));
    case 'divider': return el('hr', {});
    case 'markdown': return el('div', { class: 'prose' }, drawBlocks(parseMarkdown(block.text), place.directory));
    case 'rich_text': return drawRichText(block, place.directory);
    case 'image': return drawImage(block, place);
    case 'input': return drawInput(block, place);
    case 'table': return drawTable(block, place);
    case 'alert': return el('div', { class: 'alert prose', role: 'note' }, drawText(block.text, place));
    default: return el('p', { class: 'muted' }, `(This page does not show “${block.type}” blocks.)`);
  }
}

/** Draws a text object, plain_text or mrkdwn. */
export function drawText(text, place) {
  if (!text) return [];
  if (text.type === 'mrkdwn') return drawBlocks(parseMrkdwn(text.text), place.directory);
  return plainText(text.text);
}

function drawSection(block, place) {
  const fields = block.fields?.length
    ? el('div', { class: 'fields' }, block.fields.map((f) => el('div', { class: 'prose' }, drawText(f, place))))
    : null;
  return el('div', { class: 'section-row' },
    el('div', { class: 'section-text' }, block.text && el('div', { class: 'prose' }, drawText(block.text, place)), fields),
    block.accessory && el('div', { class: 'accessory' }, block.accessory.type === 'image' ? drawPicture(block.accessory) : drawElement(block.accessory, block.block_id, place)));
}

// The page makes no request to another origin, so foreign pictures become links.
function drawPicture(image) {
  const url = image.image_url ?? '';
  if (isLocal(url)) return el('img', { class: 'picture', src: url, alt: image.alt_text ?? '' });
  return el('a', { class: 'picture-link', href: /^https?:/i.test(url) ? url : null, target: '_blank', rel: 'noopener noreferrer' }, image.alt_text || 'Picture');
}

/** Whether a picture's address belongs to this page. */
export function isLocal(url) {
  try {
    const parsed = new URL(url, location.href);
    return parsed.origin === location.origin && /^https?:$/.test(parsed.protocol);
  } catch {
    return false;
  }
}

function drawImage(block, place) {
  return el('figure', {}, block.title && el('figcaption', {}, drawText(block.title, place)), drawPicture(block));
}

function drawTable(block, place) {
  const rows = (block.rows ?? []).map((cells) => el('tr', {}, cells.map((cell) => el('td', {}, cell?.type === 'rich_text' ? drawRichText(cell, place.directory) : plainText(cell?.text)))));
  return el('div', { class: 'table-scroll prose', tabindex: '0', role: 'region', 'aria-label': 'Table' }, el('table', {}, el('tbody', {}, rows)));
}
