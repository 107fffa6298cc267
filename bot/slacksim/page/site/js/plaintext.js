// Draws Slack's plain_text: what buttons, labels and headers carry.
import { el } from './dom.js';
import { textNodes } from './emoji.js';
import { drawBlocks } from './prose.js';
import { parseMrkdwn } from './mrkdwn.js';

/** Plain text with its line breaks and emoji (both `:name:` and characters). */
export function plainText(text) {
  return String(text ?? '').split('\n').flatMap((line, i) => (i ? [el('br'), ...named(line)] : named(line)));
}

function named(line) {
  return line.split(/(:[a-z0-9_+-]+:)/).flatMap((part) => {
    const name = part.match(/^:([a-z0-9_+-]+):$/)?.[1];
    return name ? drawBlocks(parseMrkdwn(part)).flatMap((p) => [...p.childNodes]) : textNodes(part);
  });
}
