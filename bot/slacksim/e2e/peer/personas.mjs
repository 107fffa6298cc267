// The three personas and what they say: frames that are filled with the topic and with
// what the person wrote. As with roundtable's offline personas no model speaks.

export const PERSONAS = [
  {
    key: 'maya', first: 'Maya', identity: 'Maya Chen (Business Analyst)', icon: ':bar_chart:', perspective: 'the business',
    domain: /\b(users?|customers?|people|value|need|benefit|adoption|stakeholders?)\b/i,
    frames: [
      'Who notices first when {words} goes wrong? I would write down what that person must be able to do, and test {topic} against it.',
      'People judge {topic} by {words}, whether we like it or not. I would ask three of them before we decide.',
      'Before we settle {words}: what do people do today without {topic}? That is what we will be compared with.',
      'The promise matters more than the mechanism here. With {words} I would promise less and keep it every time.',
      'I hear {words} and wonder whom it serves. If nobody names the person, it can wait.',
    ],
  },
  {
    key: 'alex', first: 'Alex', identity: 'Alex Rivera (Solutions Architect)', icon: ':triangular_ruler:', perspective: 'the architecture',
    domain: /\b(scale|latency|cost|risk|architecture|availability|failure|dependenc\w+)\b/i,
    frames: [
      'Two ways to treat {words}: keep it small and easy to take back, or general and paid for in complexity. For {topic} I would begin with the first.',
      'The risk in {words} is what depends on it. I would give it one owner and a failure that ends at its own border.',
      'What {words} costs us is paid every day. I would price that before comparing solutions for {topic}.',
      'I would split {words}: one half can be reversed and simply tried, the other half deserves a written decision.',
      '{topic} stands or falls with where the truth lives. {words} is easier once that place is named.',
    ],
  },
  {
    key: 'jordan', first: 'Jordan', identity: 'Jordan Park (System Designer)', icon: ':gear:', perspective: 'the design',
    domain: /\b(api|interface|schema|component|module|contract|field|endpoint)\b/i,
    frames: [
      'I would give {words} an interface of its own, with inputs, outputs and what happens on failure, before anything of {topic} is built.',
      'For {words} I need to know who calls whom, and what the caller sees when the answer is late.',
      'One component should own {words}. The others ask it, and get a version with the answer.',
      'The contract for {words} comes first: what may be empty, what may be repeated, what is refused.',
      'I would write down the states of {words} and the ways between them. What is not on that page cannot happen in {topic}.',
    ],
  },
];

export const LEAD = PERSONAS[0];

const DULL = new Set('about after again alex all and are before break breaks could does everyone first from have how into jordan maya more people that the them then there they this today what when where which who will with without would you your'.split(' '));

/** The word of a message that an answer takes up. */
function taken(text) {
  const words = text.toLowerCase().match(/[\p{L}][\p{L}-]{3,}/gu) ?? [];
  return words.filter((word) => !DULL.has(word)).sort((a, b) => b.length - a.length)[0] ?? 'this';
}

/** What a persona answers, never with a frame that it used among the recent ones. */
export function answer(persona, topic, text, recent) {
  const used = new Set(recent.filter((entry) => entry.by === persona.key).map((entry) => entry.frame));
  let at = 0;
  for (const c of `${topic} ${text}`) at = (at * 31 + c.codePointAt(0)) % 9973;
  for (let tries = 0; used.has(at % persona.frames.length) && tries < persona.frames.length; tries++) at++;
  const frame = at % persona.frames.length;
  const filled = persona.frames[frame].replaceAll('{topic}', topic).replaceAll('{words}', taken(text));
  return { by: persona.key, frame, text: filled[0].toUpperCase() + filled.slice(1) };
}
