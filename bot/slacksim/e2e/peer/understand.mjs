// What a message in a thread wants, by simple rules: the first that fits.
import { LEAD, PERSONAS } from './personas.mjs';

const EXIT = /^(?:ok(?:ay)?[,.]? )?(?:done|exit|stop|finish(?:ed)?|let'?s wrap up|wrap up|that'?s (?:all|it))(?:[,.!]? ?(?:thanks|thank you))?[.!]*$/i;
const GROUP = /^(?:everyone|everybody|team|all of you)\b|\bwhat do you (?:all )?think\??$/i;
const NAMES = PERSONAS.map((p) => p.first).join('|');
const DIRECT = new RegExp(`^(?:hey |hi |ok )?@?(${NAMES})\\b(?!'s)(?:(?:,| and|,? &) @?(${NAMES})\\b)?(?:[,:]| (?:what|how|why|where|when|who|which|can|could|do|does|is|are|would|should)\\b)`, 'i');
const LAST = new RegExp(`, (${NAMES})\\?$`, 'i');
const MARK = /^(decision|action|question):\s*(.+)/i;

const named = (first) => PERSONAS.find((p) => p.first.toLowerCase() === first.toLowerCase());

/** {intent, personas, mark}. Personas are those who answer. */
export function understand(text, botUser, floor) {
  const words = text.replace(/```[\s\S]*?```|`[^`]*`/g, ' ').replace(/^&gt;.*$/gm, ' ').replaceAll(`<@${botUser}>`, ' ').trim();
  const [, kind, what] = MARK.exec(words) ?? [];
  const mark = kind && { kind: kind.toLowerCase(), what };
  if (!words) return { intent: 'empty', personas: [] };
  if (EXIT.test(words)) return { intent: 'exit', personas: [] };
  const change = { quiet: 'quiet', 'be quiet': 'quiet', mute: 'muted', unmute: 'open' }[words.toLowerCase()];
  if (change) return { intent: 'floor', floor: change, personas: [] };
  const direct = DIRECT.exec(words) ?? LAST.exec(words);
  if (direct) return { intent: 'direct', personas: direct.slice(1).filter(Boolean).map(named), mark };
  if (GROUP.test(words)) return { intent: 'group', personas: PERSONAS, mark };
  if (/^<@U\w+>/.test(words)) return { intent: 'human', personas: [], mark };
  if (floor !== 'open') return { intent: 'default', personas: [], mark };
  return { intent: 'default', personas: [LEAD, ...PERSONAS.filter((p) => p !== LEAD && p.domain.test(words))], mark };
}
