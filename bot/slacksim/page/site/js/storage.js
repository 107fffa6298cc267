// What the browser remembers between visits: drafts, read marks, the theme, who one was.
// Storage may be refused (private windows, full disk); the page then only forgets.

const PREFIX = 'local-workspace.';

/** Reads a remembered value, or gives the fallback. */
export function recall(key, fallback = null) {
  try {
    const text = localStorage.getItem(PREFIX + key);
    return text === null ? fallback : JSON.parse(text);
  } catch {
    return fallback;
  }
}

/** Remembers a value; undefined, null and '' forget it. */
export function remember(key, value) {
  try {
    if (value === undefined || value === null || value === '') localStorage.removeItem(PREFIX + key);
    else localStorage.setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    // Forgetting is the whole consequence.
  }
}
