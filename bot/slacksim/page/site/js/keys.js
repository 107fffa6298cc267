// Keys that work wherever one is on the page.

/** Binds Ctrl/Cmd+K, Alt+↑/↓ and Escape. */
export function bindKeys(app) {
  document.addEventListener('keydown', (e) => {
    if (e.defaultPrevented || e.isComposing) return;
    if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === 'k') {
      e.preventDefault();
      app.jump();
    } else if (e.altKey && (e.key === 'ArrowUp' || e.key === 'ArrowDown')) {
      e.preventDefault();
      step(app, e.key === 'ArrowDown' ? 1 : -1);
    } else if (e.key === 'Escape' && app.place.thread && !document.querySelector('dialog[open]')) app.closeThread();
  });
}

function step(app, by) {
  const channels = app.store.listedChannels();
  if (!channels.length) return;
  const at = channels.findIndex((c) => c.id === app.place.channel && app.place.kind === 'channel');
  app.openChannel(channels[(at + by + channels.length) % channels.length].id);
}
