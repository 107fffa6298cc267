// What the browser remembers between visits: drafts, read marks, theme, who I am.
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

/** Read marks of one person: the newest timestamp seen per channel or thread. */
export class ReadMarks {
  constructor(person) {
    this.key = `read.${person}`;
    this.marks = recall(this.key, {});
  }

  /** The newest ts seen there, or undefined when nothing was ever seen. */
  get(place) {
    return this.marks[place];
  }

  /** Moves a mark forward; true when it moved. */
  advance(place, ts) {
    if (!ts || (this.marks[place] ?? '') >= ts) return false;
    this.marks[place] = ts;
    remember(this.key, this.marks);
    return true;
  }
}
