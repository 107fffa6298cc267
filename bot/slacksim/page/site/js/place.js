// Where one is, written in the address bar: `#/C123`, `#/C123/1795225600.000123`, `#/home`.

/** The place that a hash names, or null. */
export function parseHash(hash) {
  if (hash === '#/home') return { kind: 'home', channel: '', thread: null };
  const m = hash.match(/^#\/([A-Z0-9]+)(?:\/(\d+\.\d+))?$/);
  return m ? { kind: 'channel', channel: m[1], thread: m[2] ?? null } : null;
}

/** The hash that names a place. */
export function placeHash(place) {
  if (place.kind === 'home') return '#/home';
  return `#/${place.channel}${place.thread ? `/${place.thread}` : ''}`;
}

/**
 * The place that a message's permalink names, when it is one of this workspace, else
 * null: …/archives/C123/p1795225600000123?thread_ts=….
 */
export function permalinkPlace(href, store) {
  const m = href?.match(/\/(C[A-Z0-9]+|D[A-Z0-9]+|G[A-Z0-9]+)\/p(\d{10})(\d{6})(?:\?([^#]*))?/);
  if (!m || !store.channels.has(m[1])) return null;
  const ts = `${m[2]}.${m[3]}`;
  const thread = new URLSearchParams(m[4] ?? '').get('thread_ts') ?? store.message(m[1], ts)?.thread_ts ?? null;
  return { kind: 'channel', channel: m[1], thread, message: ts };
}
