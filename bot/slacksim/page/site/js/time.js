// Times as the viewer reads them. Every function takes the viewer's time zone (an
// IANA name), because the page shows one workspace through several people's eyes.

const formats = new Map();

function format(zone, options) {
  const key = zone + JSON.stringify(options);
  if (!formats.has(key)) formats.set(key, new Intl.DateTimeFormat('en-GB', { timeZone: safeZone(zone), ...options }));
  return formats.get(key);
}

function safeZone(zone) {
  try {
    new Intl.DateTimeFormat('en-GB', { timeZone: zone });
    return zone;
  } catch {
    return 'UTC';
  }
}

/** Milliseconds since the epoch for a Slack timestamp such as "1772914711.127119". */
export function tsMillis(ts) {
  return Number(ts) * 1000;
}

/** "14:05". */
export function clock(millis, zone) {
  return format(zone, { hour: '2-digit', minute: '2-digit' }).format(millis);
}

/** "Saturday 21 November 2026, 14:05:09". */
export function fullDate(millis, zone) {
  return format(zone, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit' }).format(millis);
}

/** The calendar day in the zone, "2026-11-21": equal strings are one day. */
export function dayKey(millis, zone) {
  const parts = Object.fromEntries(format(zone, { year: 'numeric', month: '2-digit', day: '2-digit' }).formatToParts(millis).map((p) => [p.type, p.value]));
  return `${parts.year}-${parts.month}-${parts.day}`;
}

/** "Today", "Yesterday" or "Saturday 21 November". */
export function dayName(millis, zone, now = Date.now()) {
  const key = dayKey(millis, zone);
  if (key === dayKey(now, zone)) return 'Today';
  if (key === dayKey(now - 86400000, zone)) return 'Yesterday';
  const year = key.slice(0, 4) === dayKey(now, zone).slice(0, 4) ? {} : { year: 'numeric' };
  return format(zone, { weekday: 'long', day: 'numeric', month: 'long', ...year }).format(millis);
}

/** "just now", "5 minutes ago", "today at 14:05", "21 Nov at 14:05". */
export function ago(millis, zone, now = Date.now()) {
  const minutes = Math.round((now - millis) / 60000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} minute${minutes === 1 ? '' : 's'} ago`;
  const day = dayKey(millis, zone) === dayKey(now, zone) ? 'today' : format(zone, { day: 'numeric', month: 'short' }).format(millis);
  return `${day} at ${clock(millis, zone)}`;
}

const TOKENS = {
  date_num: { year: 'numeric', month: '2-digit', day: '2-digit' },
  date: { day: 'numeric', month: 'long', year: 'numeric' },
  date_short: { day: 'numeric', month: 'short', year: 'numeric' },
  date_long: { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
  time: { hour: '2-digit', minute: '2-digit' },
  time_secs: { hour: '2-digit', minute: '2-digit', second: '2-digit' },
};

/** Fills Slack's date tokens, `{date_short} at {time}`, for Unix `seconds`. */
export function formatDateToken(seconds, template, zone, now = Date.now()) {
  const millis = seconds * 1000;
  return template.replace(/\{(\w+)\}/g, (whole, token) => {
    if (token === 'ago') return ago(millis, zone, now);
    if (token === 'date_num') return dayKey(millis, zone);
    const pretty = token.endsWith('_pretty');
    const options = TOKENS[token.replace(/_pretty$/, '')];
    if (!options) return whole;
    if (pretty && dayKey(millis, zone) === dayKey(now, zone)) return 'today';
    if (pretty && dayKey(millis, zone) === dayKey(now - 86400000, zone)) return 'yesterday';
    return format(zone, options).format(millis);
  });
}

/** "UTC+5:30" for an offset in seconds. */
export function offsetName(seconds) {
  const sign = seconds < 0 ? '−' : '+';
  const minutes = Math.abs(Math.round(seconds / 60));
  const rest = minutes % 60;
  return `UTC${sign}${Math.floor(minutes / 60)}${rest ? `:${String(rest).padStart(2, '0')}` : ''}`;
}
