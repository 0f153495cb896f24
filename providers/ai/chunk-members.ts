import { isFailure } from './finish-reasons.ts';
import { skipString } from './json-splice.ts';

/** The members of a streamed chunk that the gateway acts on. Positions are those of bytes. */
export interface ChunkMembers {
  /** Start and end of the model's name, with its quotes; both 0 if there is none. */
  model: number;
  modelEnd: number;
  usage: boolean;
  /** True if the chunk reports an error, or a finish reason that is a failure. */
  error: boolean;
  /** True if a choice has a finish reason. */
  finish: boolean;
  /** `calls`: there are tool calls. `parts`: a content consists of parts. */
  calls: boolean;
  parts: boolean;
  /** Bytes that the model wrote. */
  writtenBytes: number;
}

/** Matches the members of interest. A quoted key before a colon cannot be part of a string, because a string's quotes are escaped. */
const MEMBERS =
  /"(model|usage|error|finish_reason|tool_calls|content|text|reasoning_content|reasoning|refusal|arguments)"\s*:\s*(?:(")|(?=[{n[\d]))/g;

/** Records a member whose value is the string between two positions. */
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
      // Some providers send "" in every chunk.
      seen.finish ||= end > from;
      seen.error ||= isFailure(text.slice(from, end));
      break;
    case 'usage':
    case 'tool_calls':
      break;
    case 'text':
      // Outside of content parts, `text` repeats the content: Together's token, OpenRouter's reasoning details.
      if (seen.parts) seen.writtenBytes += end - from;
      break;
    default:
      seen.writtenBytes += end - from;
  }
}

/** Records a member whose value starts at a position and is not a string. */
function readOther(seen: ChunkMembers, key: string, text: string, from: number): void {
  const first = text[from];
  if (key === 'usage') seen.usage ||= first === '{';
  else if (key === 'error') seen.error ||= first === '{';
  else if (key === 'tool_calls') seen.calls ||= first === '[' && text[from + 1] !== ']';
  else if (key === 'content') seen.parts ||= first === '[';
}

/**
 * Finds the members of interest in a chunk, in one pass over its text.
 * @param text decoded as latin1, so that an index into it is a byte offset
 */
export function findMembers(text: string): ChunkMembers {
  const seen: ChunkMembers = {
    model: 0,
    modelEnd: 0,
    usage: false,
    error: false,
    finish: false,
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
