// A bot with roundtable's outward behaviour, written for Slack's official JavaScript
// framework as its authors would: see README.md for what it does and what it does not.
import { App, LogLevel } from '@slack/bolt';
import { Discussions } from './discussion.mjs';
import { PERSONAS } from './personas.mjs';
import { Store } from './store.mjs';

const { SLACK_BOT_TOKEN: token, SLACK_APP_TOKEN: appToken, SLACK_API_URL: slackApiUrl, REDIS_URL: redisUrl, MAX_TURNS: limit = '10' } = process.env;
const clientOptions = slackApiUrl ? { slackApiUrl } : {};

const store = new Store(redisUrl);
const app = new App({ token, appToken, socketMode: true, clientOptions, installerOptions: { clientOptions }, logLevel: LogLevel.ERROR });
const discussions = new Discussions({ web: app.client, store, limit: Number(limit) });

/** People's own words: not the bot's posts, edits, deletions, joins. */
const spoken = ({ subtype, bot_id: bot, user }) => user && !bot && (!subtype || subtype === 'thread_broadcast' || subtype === 'file_share');

app.event('app_mention', async ({ event, body, context }) => {
  const thread = event.thread_ts ?? event.ts;
  const topic = event.text.replaceAll(`<@${context.botUserId}>`, ' ').trim();
  if (!topic || (event.thread_ts && (await store.knows(`${event.channel}:${thread}`)))) return; // heard as a message
  await discussions.open({ channel: event.channel, thread, user: event.user, topic, event: body.event_id });
});

app.message(async ({ message, body }) => {
  if (!spoken(message) || !message.thread_ts) return;
  await discussions.hear({ channel: message.channel, thread: message.thread_ts, user: message.user, text: message.text ?? '', ts: message.ts, event: body.event_id });
});

app.command('/roundtable', async ({ command, ack, respond }) => {
  const text = command.text.trim();
  switch (text.toLowerCase()) {
    case '':
    case 'help':
      return ack('Type /roundtable and a topic, or mention me with one. /roundtable list, status and personas tell you more.');
    case 'personas':
      return ack(PERSONAS.map((p) => p.identity).join('\n'));
    case 'status':
    case 'list': {
      await ack();
      const open = await store.list(command.channel_id);
      return respond(open.length > 0 ? open.map(([, topic]) => `• ${topic}`).join('\n') : 'No discussion is open in this channel.');
    }
    default:
      await ack(`Opening a roundtable on “${text}”.`);
      return discussions.open({ channel: command.channel_id, user: command.user_id, topic: text, event: command.trigger_id });
  }
});

app.action(/^peer_/, async ({ ack, action, body }) => {
  await ack();
  await discussions.press({ channel: body.channel.id, thread: body.message.thread_ts, user: body.user.id, action: action.action_id, event: body.trigger_id });
});

app.error(async (err) => console.error('not handled:', err.message));

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    await app.stop();
    await store.close();
  });
}

await store.connect();
await discussions.start();
await app.start();
