import * as z from 'zod';

/** Replies of the Anthropic and OpenAI emulators: their text, pace and requested faults. */

const Part = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  image_url: z.looseObject({ url: z.string() }).optional(),
  source: z.looseObject({ type: z.string(), data: z.string().optional(), url: z.string().optional() }).optional(),
});
export const Message = z.looseObject({
  role: z.string(),
  content: z.union([z.string(), z.array(Part), z.null()]).optional(),
  tool_calls: z.array(z.looseObject({ id: z.string() })).nullish(),
  tool_call_id: z.string().optional(),
});
export type Message = z.output<typeof Message>;

export const textOf = ({ content }: Message): string =>
  typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join('');

/** A reply, split into pieces of about one word, as models stream tokens. */
export interface Reply {
  tokens: string[];
  /** Reason for the end: complete, token limit, or stop sequence. */
  end: 'end' | 'limit' | 'stop';
  promptTokens: number;
}

const SENTENCES = [
  'That is a good question, and there is more than one answer to it.',
  'In short: begin with the smallest thing that works, look at it, and go on from there.',
  'Most of what looks difficult about it is only unfamiliar.',
  'Ask again with a detail or two more, and I can be more precise.',
];

/** Estimates the number of tokens. */
const countTokens = (text: string): number => Math.max(1, Math.ceil(text.length / 4));
const IMAGE_TOKENS = 765;

/** Returns the text of a reply: the text that the user dictates (`say exactly: …`), the results of tool calls, or a standard text. */
function replyText(messages: readonly Message[]): string {
  const last = textOf(messages.findLast(({ role }) => role === 'user') ?? { role: 'user' });
  const dictated = /say exactly: (.*)/s.exec(last)?.[1];
  if (dictated !== undefined) return dictated;
  const results = messages.slice(messages.findLastIndex(({ role }) => role !== 'tool') + 1).map(textOf);
  if (results.length > 0) return `The tools answered: ${results.join('; ')}.`;
  return `You said “${last.slice(0, 60)}”. ${SENTENCES.join(' ')}`;
}

export function composeReply(
  messages: readonly Message[],
  limit: number,
  stops: readonly string[],
  fullText = replyText(messages),
): Reply {
  const stopPositions = stops.map((stop) => fullText.indexOf(stop)).filter((position) => position >= 0);
  const stoppedText = stopPositions.length > 0 ? fullText.slice(0, Math.min(...stopPositions)) : fullText;
  const tokens = stoppedText.match(/\s*\S{1,6}|\s+$/g) ?? [];
  const images = messages.flatMap(({ content }) =>
    Array.isArray(content) ? content.filter(({ type }) => type !== 'text') : [],
  );
  const words = messages.map(textOf).join('\n');
  return {
    tokens: tokens.slice(0, limit),
    end: tokens.length > limit ? 'limit' : stopPositions.length > 0 ? 'stop' : 'end',
    promptTokens: countTokens(words) + 4 * messages.length + IMAGE_TOKENS * images.length,
  };
}

/** Returns the requested fault: `fault:429` or `fault:hang-mid` in the last message, or a model named `fault-…`. */
export function requestedFault(
  model: string,
  messages: readonly Message[],
): { name: string; value: number | undefined } {
  const last = textOf(messages.at(-1) ?? { role: 'user' });
  const [, name = '', value] = /fault[:-]([a-z0-9-]+)(?:=(\d+))?/.exec(`${last}\n${model}`) ?? [];
  return { name, value: value === undefined ? undefined : Number(value) };
}

const MAGIC = ['89504e47', 'ffd8ff', '47494638', '52494646'];
/** Returns true if base64 data starts like a PNG, JPEG, GIF or WebP file. */
export const isImage = (base64: string): boolean => {
  const start = Buffer.from(base64.slice(0, 16), 'base64').toString('hex');
  return MAGIC.some((magic) => start.startsWith(magic));
};

export interface Pace {
  /** Milliseconds until the first token, and between tokens. */
  first: number;
  next: number;
}
/** The pace of a fast model. */
export const HUMAN_PACE: Pace = { first: 150, next: 12 };

/** Returns the pace of a reply: the requested one (`fault:pace=100` for 100 milliseconds between tokens), or the emulator's. */
export const requestedPace = ({ name, value }: { name: string; value: number | undefined }, pace: Pace): Pace =>
  name === 'pace' && value !== undefined ? { ...pace, next: value } : pace;
