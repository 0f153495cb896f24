import * as z from 'zod';

/** What both AI stand-ins say, how fast, and how they fail when asked to. */

const Part = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  image_url: z.looseObject({ url: z.string() }).optional(),
  source: z.looseObject({ type: z.string(), data: z.string().optional(), url: z.string().optional() }).optional(),
});
export const Message = z.looseObject({
  role: z.string(),
  content: z.union([z.string(), z.array(Part), z.null()]).optional(),
});
type Message = z.output<typeof Message>;

export const textOf = ({ content }: Message): string =>
  typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join('');

/** A word or so each, as tokens come. */
export interface Reply {
  tokens: string[];
  /** Why it ends: by itself, at the limit, at a stop sequence. */
  end: 'end' | 'limit' | 'stop';
  promptTokens: number;
}

const SENTENCES = [
  'That is a good question, and there is more than one answer to it.',
  'In short: begin with the smallest thing that works, look at it, and go on from there.',
  'Most of what looks difficult about it is only unfamiliar.',
  'Ask again with a detail or two more, and I can be more precise.',
];

/** About as many tokens as a real tokenizer would find. */
const countTokens = (text: string): number => Math.max(1, Math.ceil(text.length / 4));
const PICTURE_TOKENS = 765;

export function replyTo(messages: readonly Message[], limit: number, stops: readonly string[]): Reply {
  const last = textOf(messages.findLast(({ role }) => role === 'user') ?? { role: 'user' });
  const said = /say exactly: (.*)/s.exec(last)?.[1] ?? `You said “${last.slice(0, 60)}”. ${SENTENCES.join(' ')}`;
  const cut = stops.map((stop) => said.indexOf(stop)).filter((at) => at >= 0);
  const whole = cut.length > 0 ? said.slice(0, Math.min(...cut)) : said;
  const tokens = whole.match(/\s*\S{1,6}|\s+$/g) ?? [];
  const pictures = messages.flatMap(({ content }) =>
    Array.isArray(content) ? content.filter(({ type }) => type !== 'text') : [],
  );
  const words = messages.map(textOf).join('\n');
  return {
    tokens: tokens.slice(0, limit),
    end: tokens.length > limit ? 'limit' : cut.length > 0 ? 'stop' : 'end',
    promptTokens: countTokens(words) + 4 * messages.length + PICTURE_TOKENS * pictures.length,
  };
}

/** What was asked to go wrong: `fault:429`, `fault:hang-mid` in the last message, or a model named `fault-…`. */
export function faultOf(model: string, messages: readonly Message[]): { name: string; value: number | undefined } {
  const last = textOf(messages.at(-1) ?? { role: 'user' });
  const [, name = '', value] = /fault[:-]([a-z0-9-]+)(?:=(\d+))?/.exec(`${last}\n${model}`) ?? [];
  return { name, value: value === undefined ? undefined : Number(value) };
}

const MAGIC = ['89504e47', 'ffd8ff', '47494638', '52494646'];
/** Whether base64 holds the beginning of a PNG, JPEG, GIF or WebP. */
export const isPicture = (base64: string): boolean => {
  const start = Buffer.from(base64.slice(0, 16), 'base64').toString('hex');
  return MAGIC.some((magic) => start.startsWith(magic));
};

export interface Pace {
  /** Milliseconds until the first token, and between tokens. */
  first: number;
  next: number;
}
/** About as a quick model does. */
export const HUMAN_PACE: Pace = { first: 150, next: 12 };
