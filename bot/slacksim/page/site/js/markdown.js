// Standard Markdown as the `markdown` block carries it, parsed into the tree that
// mrkdwn.js describes. Raw HTML is text here, as it is in Slack.
import { entityAt, unescapeText } from './mrkdwn.js';

const FENCE = /^ {0,3}(```+|~~~+)\s*\S*\s*$/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*$/;
const RULE = /^ {0,3}([-*_])\s*(?:\1\s*){2,}$/;
const QUOTE = /^ {0,3}> ?(.*)$/;
const ITEM = /^(\s*)(?:([-*+•])|(\d{1,9})[.)])\s+(.*)$/;
const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)+\|?\s*$/;

/** Parses Markdown into block nodes. */
export function parseMarkdown(source) {
  return parseBlocks(String(source ?? '').replace(/\r\n?/g, '\n').split('\n'));
}

function parseBlocks(lines) {
  const blocks = [];
  for (let i = 0; i < lines.length;) {
    const [block, next] = fenced(lines, i) ?? singleLine(lines, i) ?? quoted(lines, i) ?? table(lines, i) ?? listed(lines, i) ?? paragraph(lines, i);
    if (block) blocks.push(block);
    i = next;
  }
  return blocks;
}

function fenced(lines, i) {
  const open = lines[i].match(FENCE);
  if (!open) return null;
  let end = i + 1;
  while (end < lines.length && !lines[end].trim().startsWith(open[1])) end++;
  return [{ kind: 'pre', text: lines.slice(i + 1, end).join('\n') }, end + 1];
}

function singleLine(lines, i) {
  if (!lines[i].trim()) return [null, i + 1];
  const heading = lines[i].match(HEADING);
  if (heading) return [{ kind: 'heading', level: heading[1].length, children: inline(heading[2]) }, i + 1];
  return RULE.test(lines[i]) ? [{ kind: 'rule' }, i + 1] : null;
}

function quoted(lines, i) {
  const inner = [];
  let end = i;
  for (let m; end < lines.length && (m = lines[end].match(QUOTE)); end++) inner.push(m[1]);
  return end > i ? [{ kind: 'quote', children: parseBlocks(inner) }, end] : null;
}

function listed(lines, i) {
  const first = lines[i].match(ITEM);
  if (!first) return null;
  const base = first[1].length;
  const list = { kind: 'list', ordered: first[3] !== undefined, start: Number(first[3] ?? 1), items: [] };
  let end = i;
  for (; end < lines.length; end++) {
    const m = lines[end].match(ITEM);
    if (m) {
      const indent = Math.min(4, Math.max(0, Math.floor((m[1].length - base) / 2)));
      if (indent === 0 && (m[3] !== undefined) !== list.ordered) break;
      list.items.push({ indent, ordered: m[3] !== undefined, source: m[4] });
    } else if (lines[end].trim() && /^\s/.test(lines[end]) && list.items.length) list.items.at(-1).source += `\n${lines[end].trim()}`;
    else break;
  }
  list.items = list.items.map(({ source, ...item }) => ({ ...item, children: inline(source) }));
  return [list, end];
}

function table(lines, i) {
  if (!lines[i].includes('|') || !TABLE_RULE.test(lines[i + 1] ?? '')) return null;
  const align = cells(lines[i + 1]).map((c) => (c.startsWith(':') && c.endsWith(':') ? 'center' : c.endsWith(':') ? 'right' : 'left'));
  const head = cells(lines[i]).map(inline);
  const rows = [];
  let end = i + 2;
  for (; end < lines.length && lines[end].includes('|') && lines[end].trim(); end++) {
    const row = cells(lines[end]).map(inline);
    rows.push(head.map((_, c) => row[c] ?? []));
  }
  return [{ kind: 'table', align, head, rows }, end];
}

function cells(line) {
  return line.trim().replace(/^\||\|$/g, '').split(/(?<!\\)\|/).map((c) => c.trim().replace(/\\\|/g, '|'));
}

function paragraph(lines, i) {
  let end = i + 1;
  while (end < lines.length && lines[end].trim() && ![FENCE, HEADING, RULE, QUOTE, ITEM].some((re) => re.test(lines[end]))) end++;
  return [{ kind: 'paragraph', children: inline(lines.slice(i, end).join('\n').trim()) }, end];
}

const DELIMITERS = [['***', 'bold'], ['**', 'bold'], ['__', 'bold'], ['~~', 'strike'], ['*', 'italic'], ['_', 'italic']];
const WORD = /[\p{L}\p{N}]/u;

function inline(text) {
  const out = [];
  let plain = '';
  const flush = () => {
    if (plain) out.push({ kind: 'text', text: unescapeText(plain) });
    plain = '';
  };
  for (let i = 0; i < text.length;) {
    if (text[i] === '\\' && /[\\`*_{}[\]()#+.!|~>-]/.test(text[i + 1] ?? '')) {
      plain += text[i + 1];
      i += 2;
      continue;
    }
    const found = codeSpan(text, i) ?? entityAt(text, i) ?? linkAt(text, i) ?? bareLink(text, i) ?? emojiAt(text, i) ?? emphasis(text, i);
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

function codeSpan(text, i) {
  const ticks = text.slice(i).match(/^`+/)?.[0];
  const end = ticks ? text.indexOf(ticks, i + ticks.length) : -1;
  if (end < 0) return null;
  return { node: { kind: 'code', text: text.slice(i + ticks.length, end).replace(/\n/g, ' ') }, end: end + ticks.length };
}

function linkAt(text, i) {
  if (text[i] !== '[') return null;
  const m = text.slice(i).match(/^\[([^\]\n]+)\]\(\s*<?([^\s)>]+)>?(?:\s+"[^"]*")?\s*\)/);
  return m ? { node: { kind: 'link', href: m[2], children: inline(m[1]) }, end: i + m[0].length } : null;
}

function bareLink(text, i) {
  if (text[i] !== 'h' || (i > 0 && WORD.test(text[i - 1]))) return null;
  const m = text.slice(i).match(/^https?:\/\/[^\s<>"'`*|]+[^\s<>"'`*|.,;:!?)\]]/);
  return m ? { node: { kind: 'link', href: m[0], children: [{ kind: 'text', text: m[0] }] }, end: i + m[0].length } : null;
}

function emojiAt(text, i) {
  const m = text[i] === ':' ? text.slice(i, i + 64).match(/^:([a-z0-9_+'-]+):/) : null;
  return m ? { node: { kind: 'emoji', name: m[1] }, end: i + m[0].length } : null;
}

function emphasis(text, i) {
  const found = DELIMITERS.find(([mark]) => text.startsWith(mark, i));
  if (!found) return null;
  const [mark, kind] = found;
  const start = i + mark.length;
  if (!text[start] || /\s/.test(text[start])) return null;
  // Underscores inside a word belong to the word.
  if (mark[0] === '_' && i > 0 && WORD.test(text[i - 1])) return null;
  for (let end = text.indexOf(mark, start + 1); end > 0; end = text.indexOf(mark, end + 1)) {
    const after = text[end + mark.length];
    if (/\s/.test(text[end - 1]) || (mark.length === 1 && after === mark) || (mark[0] === '_' && after && WORD.test(after))) continue;
    const children = inline(text.slice(start, end));
    const node = mark === '***' ? { kind: 'bold', children: [{ kind: 'italic', children }] } : { kind, children };
    return { node, end: end + mark.length };
  }
  return null;
}
