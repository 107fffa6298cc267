// Everything that the person can do, as calls to the workspace. A refusal becomes a
// notice with the server's own sentence; nothing here draws.
import { post, Refusal, upload } from './api.js';
import { confirmDialog } from './modal.js';
import { drawQuote } from './messages.js';
import { openPicker } from './toolbar.js';
import { toast } from './notices.js';

/**
 * Makes the actions. `app`: {store, directory, expectThread(channel, eager), openThread,
 * openChannel, openHome, become, suggest, startEdit}.
 */
export function makeActions(app) {
  const me = () => app.store.me;

  // Does one thing; true when it worked.
  async function attempt(action, body) {
    try {
      await post(action, { as: me(), ...body });
      return true;
    } catch (err) {
      complain(err);
      return false;
    }
  }

  return {
    openThread: app.openThread,
    openChannel: app.openChannel,
    openHome: app.openHome,
    become: app.become,
    suggest: app.suggest,
    toggleTheme: app.toggleTheme,
    jump: app.jump,
    edit: app.startEdit,

    /** Sends what was typed in a channel or thread, as a message or as a command. */
    async send(channel, threadTs, text, { files = [], broadcast = false } = {}) {
      app.expectThread(channel, true);
      const command = commandIn(text, app.store.commands);
      if (command && !files.length) return attempt('command', { channel, ...command, ...(threadTs ? { thread_ts: threadTs } : {}) });
      return attempt('say', { channel, text, ...(threadTs ? { thread_ts: threadTs, broadcast } : {}), ...(files.length ? { files } : {}) });
    },

    react: (channel, message, name, remove = false) => attempt('react', { channel, ts: message.ts, name, ...(remove ? { remove: true } : {}) }),

    pickReaction(channel, message, anchor) {
      openPicker(anchor, (name) => attempt('react', { channel, ts: message.ts, name }));
    },

    saveEdit: (channel, ts, text) => attempt('edit', { channel, ts, text }),

    async remove(channel, message) {
      const sure = await confirmDialog({ title: 'Delete this message?', text: 'It disappears for everybody, and from what the personas know.', confirm: 'Delete', style: 'danger' }, app.directory, drawQuote(message, app.store));
      if (sure) await attempt('delete', { channel, ts: message.ts });
    },

    dismiss: (message) => attempt('dismiss', { channel: message.channel, ts: message.ts }),

    shortcut(channel, message, shortcut) {
      app.expectThread(channel, true);
      return attempt('shortcut', { callback_id: shortcut.callback_id, channel, ts: message.ts });
    },

    /** Runs a shortcut that belongs to no message. */
    globalShortcut: (shortcut) => attempt('shortcut', { callback_id: shortcut.callback_id }),

    /** Uses a button or menu. `where` is {channel, message_ts} or {view_id}. */
    use(where, element, blockId, change, values) {
      if (where.channel) app.expectThread(where.channel, false);
      return attempt('act', { ...where, block_id: blockId, action_id: element.action_id, ...change, ...(values ? { values } : {}) });
    },

    confirm: (object) => confirmDialog(object, app.directory),

    /** Submits a modal; gives the server's answer, or {refused: sentence}. */
    async submit(view, values) {
      try {
        for (const channel of app.store.channels.keys()) app.expectThread(channel, true);
        return await post('submit', { as: me(), view_id: view.id, values });
      } catch (err) {
        return { refused: sentence(err) };
      }
    },

    closeView: (view, clear) => attempt('close_view', { view_id: view.id, ...(clear ? { clear: true } : {}) }),

    openedHome: () => attempt('home', { tab: 'home' }),

    async upload(file) {
      try {
        return (await upload(me(), file)).file;
      } catch (err) {
        complain(err);
        return null;
      }
    },
  };
}

// A text that begins with a known command is that command; the server decides what it may do where.
function commandIn(text, commands) {
  const [, name, rest] = text.match(/^(\/\S+)\s*([\s\S]*)$/) ?? [];
  return commands.some((c) => c.command === name) ? { command: name, text: rest } : null;
}

function complain(err) {
  toast(sentence(err));
}

function sentence(err) {
  if (err instanceof Refusal) return err.message;
  console.error(err);
  return 'Something went wrong on this page. Reloading it usually helps.';
}
