import { skipString } from './json-splice.ts';

/** The members of a streamed chunk that the gateway acts on. Positions are those of bytes. */
export interface ChunkMembers {
  /** Begin and end of the model's name, with its quotes; both 0 where there is none. */
  model: number;
  modelEnd: number;
  usage: boolean;
  error: boolean;
  /** True if a choice says why it ended, and if one says `stop`. */
  finish: boolean;
  stops: boolean;
  /** True if there are tool calls, and if a content consists of parts. */
  calls: boolean;
  parts: boolean;
  /** Bytes of what the model wrote. */
  writtenBytes: number;
}

/** The members that are looked for. A key in quotes before a colon cannot be part of a text, whose quotes are escaped. */
const MEMBERS =
  /"(model|usage|error|finish_reason|tool_calls|content|text|reasoning_content|reasoning|refusal|arguments)"\s*:\s*(?:(")|(?=([{n[\d])))/g;

/** A member's value: a text between two positions, or something that begins with a character. */
interface Value {
  text: string;
  from: number;
  end: number;
  isText: boolean;
  begins: string | undefined;
}

const readers: Readonly<Record<string, (seen: ChunkMembers, value: Value) => void>> = {
  model(seen, { isText, from, end }) {
    if (isText && seen.modelEnd === 0) Object.assign(seen, { model: from - 1, modelEnd: end + 1 });
  },
  usage(seen, { begins }) {
    seen.usage ||= begins === '{';
  },
  error(seen, { isText, begins }) {
    seen.error ||= isText || begins === '{';
  },
  finish_reason(seen, { text, from, end }) {
    // Some providers say "" in every chunk.
    seen.finish ||= end > from;
    seen.stops ||= end - from === 4 && text.startsWith('stop', from);
  },
  tool_calls(seen, { text, from, begins }) {
    seen.calls ||= begins === '[' && text[from + 1] !== ']';
  },
  content(seen, value) {
    seen.parts ||= value.begins === '[';
    addWritten(seen, value);
  },
  text(seen, value) {
    // Outside the content's parts, a text repeats the content: Together's token, OpenRouter's details of the reasoning.
    if (seen.parts) addWritten(seen, value);
  },
};

function addWritten(seen: ChunkMembers, { isText, from, end }: Value): void {
  if (isText) seen.writtenBytes += end - from;
}

/** Finds what matters in a chunk, in one pass over its text. @param text in latin1: an index is a byte's */
export function findMembers(text: string): ChunkMembers {
  const seen: ChunkMembers = {
    model: 0,
    modelEnd: 0,
    usage: false,
    error: false,
    finish: false,
    stops: false,
    calls: false,
    parts: false,
    writtenBytes: 0,
  };
  MEMBERS.lastIndex = 0;
  for (let found = MEMBERS.exec(text); found; found = MEMBERS.exec(text)) {
    const [, key = '', quote, begins] = found;
    const from = MEMBERS.lastIndex;
    const end = quote ? skipString(text, from - 1) - 1 : from;
    if (quote) MEMBERS.lastIndex = end + 1;
    const read = readers[key] ?? addWritten;
    read(seen, { text, from, end, isText: quote !== undefined, begins });
  }
  return seen;
}
