// Draws rich_text blocks: what a person's own message becomes, and what an app may send.
import { el } from './dom.js';
import { textNodes } from './emoji.js';
import { drawLeaf, drawLink, drawList } from './prose.js';

/** Draws a rich_text block. Unknown elements show the text they carry. */
export function drawRichText(block, directory) {
  const out = [];
  const elements = block.elements ?? [];
  for (let i = 0; i < elements.length;) {
    if (elements[i].type === 'rich_text_list') {
      // One visible list may come as several blocks that differ in indent or bullet.
      const run = [];
      while (elements[i]?.type === 'rich_text_list') run.push(elements[i++]);
      out.push(drawLists(run, directory));
    } else out.push(drawSection(elements[i++], directory));
  }
  return el('div', { class: 'prose' }, out);
}

function drawLists(lists, directory) {
  const items = lists.flatMap((list) => (list.elements ?? []).map((item) => ({
    indent: Math.min(8, list.indent ?? 0),
    ordered: list.style === 'ordered',
    nodes: drawElements(item.elements, directory),
  })));
  return drawList(items, lists[0].style === 'ordered', (lists[0].offset ?? 0) + 1);
}

function drawSection(section, directory) {
  const children = section.elements ?? [];
  switch (section.type) {
    case 'rich_text_quote': return el('blockquote', {}, drawElements(children, directory));
    case 'rich_text_preformatted':
      return el('pre', {}, el('code', {}, children.map((c) => c.text ?? c.url ?? '').join('')));
    default: return el('p', {}, drawElements(children, directory));
  }
}

function drawElements(elements, directory) {
  return (elements ?? []).map((e) => styled(drawElement(e, directory), e.style ?? {}));
}

function styled(node, style) {
  const wrap = (on, tag, inner) => (on ? el(tag, {}, inner) : inner);
  let out = wrap(style.code, 'code', node);
  out = wrap(style.strike, 's', out);
  out = wrap(style.italic, 'em', out);
  out = wrap(style.underline, 'u', out);
  return wrap(style.bold, 'strong', out);
}

function drawElement(e, directory) {
  switch (e.type) {
    case 'text': return lines(e.text ?? '');
    case 'link': return drawLink(e.url ?? '', textNodes(e.text || e.url || ''));
    case 'user': return drawLeaf({ kind: 'user', id: e.user_id }, directory);
    case 'channel': return drawLeaf({ kind: 'channel', id: e.channel_id }, directory);
    case 'usergroup': return drawLeaf({ kind: 'group', id: e.usergroup_id }, directory);
    case 'broadcast': return drawLeaf({ kind: 'broadcast', range: e.range }, directory);
    case 'emoji': return drawLeaf({ kind: 'emoji', name: e.name }, directory);
    case 'date': return drawLeaf({ kind: 'date', at: e.timestamp, format: e.format ?? '{date}', fallback: e.fallback }, directory);
    case 'color': return el('code', {}, e.value ?? '');
    default: return document.createTextNode(e.text ?? e.fallback ?? '');
  }
}

function lines(text) {
  return text.split('\n').flatMap((line, i) => (i ? [el('br'), ...textNodes(line)] : textNodes(line)));
}
