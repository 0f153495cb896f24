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
  /"(model|usage|error|finish_reason|tool_calls|content|text|reasoning_content|reasoning|refusal|arguments)"\s*:\s*(?:(")|(?=[{n[\d]))/g;

/** Notes a member whose value is a text between two positions. */
function readText(seen: ChunkMembers, key: string, text: string, from: number, end: number): void {
  switch (key) {
    case 'model':
      if (seen.modelEnd > 0) return;
      seen.model = from - 1;
      seen.modelEnd = end + 1;
      break;
    case 'error':
      seen.error = true;
      break;
    case 'finish_reason':
      // Some providers say "" in every chunk.
      seen.finish ||= end > from;
      seen.stops ||= end - from === 4 && text.startsWith('stop', from);
      break;
    case 'usage':
    case 'tool_calls':
      break;
    case 'text':
      // Outside the content's parts, a text repeats the content: Together's token, OpenRouter's details of the reasoning.
      if (seen.parts) seen.writtenBytes += end - from;
      break;
    default:
      seen.writtenBytes += end - from;
  }
}

/** Notes a member whose value begins at a position and is no text. */
function readOther(seen: ChunkMembers, key: string, text: string, from: number): void {
  const begins = text[from];
  if (key === 'usage') seen.usage ||= begins === '{';
  else if (key === 'error') seen.error ||= begins === '{';
  else if (key === 'tool_calls') seen.calls ||= begins === '[' && text[from + 1] !== ']';
  else if (key === 'content') seen.parts ||= begins === '[';
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
    const [, key = '', quote] = found;
    const from = MEMBERS.lastIndex;
    if (quote) {
      const end = skipString(text, from - 1) - 1;
      MEMBERS.lastIndex = end + 1;
      readText(seen, key, text, from, end);
    } else readOther(seen, key, text, from);
  }
  return seen;
}
