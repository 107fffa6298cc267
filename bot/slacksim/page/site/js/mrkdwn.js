// Slack's mrkdwn, parsed into a small tree. No DOM here; prose.js draws the tree.
//
// Inline nodes: {kind: text|bold|italic|strike|code|link|user|channel|group|broadcast|date|emoji|break}.
// Block nodes:  {kind: paragraph|pre|quote|list|heading|table|rule}, shared with markdown.js.

const ENTITIES = { '&lt;': '<', '&gt;': '>', '&amp;': '&' };

/** Turns Slack's three escapes back into the characters they stand for. */
export function unescapeText(text) {
  return text.replace(/&(lt|gt|amp);/g, (m) => ENTITIES[m]);
}

/** Parses mrkdwn text into block nodes. */
export function parseMrkdwn(text) {
  const blocks = [];
  const parts = String(text ?? '').split('```');
  parts.forEach((part, i) => {
    // An odd last part has no closing fence, so its backticks were only text.
    const isCode = i % 2 === 1 && i < parts.length - 1;
    if (isCode) blocks.push({ kind: 'pre', text: unescapeText(part.replace(/^\n|\n$/g, '')) });
    else {
      const prose = i % 2 === 1 ? '```' + part : part;
      blocks.push(...parseLines(blocks.length ? prose.replace(/^\n/, '') : prose));
    }
  });
  return blocks;
}

const QUOTE = /^(?:&gt;|>) ?(.*)$/;
const ITEM = /^(\s*)(?:([•◦▪])|(\d{1,3})[.)])\s+(.*)$/;

function parseLines(text) {
  const lines = text.split('\n');
  const blocks = [];
  for (let i = 0; i < lines.length;) {
    const quote = lines[i].match(QUOTE);
    if (quote) {
      const quoted = [];
      for (let m; i < lines.length && (m = lines[i].match(QUOTE)); i++) quoted.push(m[1]);
      blocks.push({ kind: 'quote', children: [{ kind: 'paragraph', children: parseInline(quoted.join('\n')) }] });
      continue;
    }
    const item = lines[i].match(ITEM);
    if (item) {
      const list = { kind: 'list', ordered: !item[2], start: Number(item[3] ?? 1), items: [] };
      for (let m; i < lines.length && (m = lines[i].match(ITEM)) && !m[2] === list.ordered; i++) {
        list.items.push({ indent: Math.min(4, Math.floor(m[1].length / 2)), children: parseInline(m[4]) });
      }
      blocks.push(list);
      continue;
    }
    const plain = [];
    while (i < lines.length && !QUOTE.test(lines[i]) && !ITEM.test(lines[i])) plain.push(lines[i++]);
    const joined = plain.join('\n').replace(/^\n+|\n+$/g, '');
    for (const part of joined.split(/\n[ \t]*\n+/)) if (part.trim()) blocks.push({ kind: 'paragraph', children: parseInline(part) });
  }
  return blocks;
}

const MARKS = { '*': 'bold', _: 'italic', '~': 'strike' };
const WORD = /[\p{L}\p{N}]/u;

/** Parses one run of mrkdwn text into inline nodes. */
function parseInline(text) {
  const out = [];
  let plain = '';
  const flush = () => {
    if (plain) out.push({ kind: 'text', text: unescapeText(plain) });
    plain = '';
  };
  for (let i = 0; i < text.length;) {
    const found = entityAt(text, i) ?? codeAt(text, i) ?? emojiAt(text, i) ?? markAt(text, i);
    if (found) {
      flush();
      out.push(found.node);
      i = found.end;
    } else if (text[i] === '\n') {
      flush();
      out.push({ kind: 'break' });
      i++;
    } else plain += text[i++];
  }
  flush();
  return out;
}

function codeAt(text, i) {
  if (text[i] !== '`') return null;
  const end = text.indexOf('`', i + 1);
  if (end <= i + 1 || text.slice(i, end).includes('\n')) return null;
  return { node: { kind: 'code', text: unescapeText(text.slice(i + 1, end)) }, end: end + 1 };
}

function emojiAt(text, i) {
  if (text[i] !== ':') return null;
  const m = text.slice(i, i + 64).match(/^:([a-z0-9_+'-]+)(?:::skin-tone-\d)?:/);
  return m ? { node: { kind: 'emoji', name: m[1] }, end: i + m[0].length } : null;
}

function markAt(text, i) {
  const kind = MARKS[text[i]];
  if (!kind || (i > 0 && WORD.test(text[i - 1])) || !text[i + 1] || /\s/.test(text[i + 1]) || text[i + 1] === text[i]) return null;
  for (let end = text.indexOf(text[i], i + 2); end > 0; end = text.indexOf(text[i], end + 1)) {
    const inner = text.slice(i + 1, end);
    if (inner.includes('\n')) return null;
    if (/\s$/.test(inner) || (text[end + 1] && WORD.test(text[end + 1]))) continue;
    return { node: { kind, children: parseInline(inner) }, end: end + 1 };
  }
  return null;
}

/** Reads one of Slack's `<…>` forms at position i, or returns null. Exported for markdown.js. */
export function entityAt(text, i) {
  if (text[i] !== '<') return null;
  const close = text.indexOf('>', i);
  if (close < 0) return null;
  const [target, ...rest] = text.slice(i + 1, close).split('|');
  const label = unescapeText(rest.join('|'));
  const node = entityNode(target, label);
  return node ? { node, end: close + 1 } : null;
}

function entityNode(target, label) {
  if (/^@[UW][A-Z0-9]+$/.test(target)) return { kind: 'user', id: target.slice(1), label };
  if (/^#[CDG][A-Z0-9]+$/.test(target)) return { kind: 'channel', id: target.slice(1), label };
  if (/^!(here|channel|everyone)$/.test(target)) return { kind: 'broadcast', range: target.slice(1) };
  if (target.startsWith('!subteam^')) return { kind: 'group', id: target.slice(9), label };
  if (target.startsWith('!date^')) return dateNode(target, label);
  if (/^(https?:\/\/|mailto:)/i.test(target)) return { kind: 'link', href: unescapeText(target), children: [{ kind: 'text', text: label || unescapeText(target) }] };
  return null;
}

function dateNode(target, fallback) {
  const [, seconds, format] = target.split('^');
  return { kind: 'date', at: Number(seconds), format: unescapeText(format ?? '{date}'), fallback };
}
