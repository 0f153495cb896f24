/** One shell block of a page, with the answer that the page shows for it. */
export interface TourStep {
  heading: string;
  /** Line of the block in the page, counted from 1. */
  line: number;
  script: string;
  expected?: { language: string; text: string };
}

const FENCE = /^```(\w*)$/;

/**
 * Returns the `sh` blocks of a Markdown page in order. A `json` or `text` block that follows one, before the next heading or
 * shell block, is its answer. Blocks in other languages are for reading only. Throws where a fence is not closed or an answer
 * has no shell block.
 */
export function tourSteps(markdown: string): TourStep[] {
  const steps: TourStep[] = [];
  const lines = markdown.split('\n');
  let heading = '';
  let answerable: TourStep | undefined;
  for (let index = 0; index < lines.length; index++) {
    const title = /^##+ (.+)$/.exec(lines[index] ?? '')?.[1];
    if (title) {
      heading = title;
      answerable = undefined;
    }
    const language = FENCE.exec(lines[index] ?? '')?.[1];
    if (language === undefined) continue;
    const end = lines.indexOf('```', index + 1);
    if (end < 0) throw new Error(`line ${index + 1}: the block is not closed`);
    const text = lines.slice(index + 1, end).join('\n');
    if (language === 'sh') {
      answerable = { heading, line: index + 1, script: text };
      steps.push(answerable);
    } else if (language === 'json' || language === 'text') {
      if (!answerable) throw new Error(`line ${index + 1}: an answer without a shell block before it`);
      answerable.expected = { language, text };
      answerable = undefined;
    }
    index = end;
  }
  return steps;
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
const trimmed = (text: string): string => text.replaceAll(/[ \t]+$/gm, '').trim();
/** JSON with its line breaks and indentation removed: they are for reading only. */
const joined = (text: string): string => trimmed(text).replaceAll(/\s*\n\s*/g, '');

/** Regular expression for a `json` answer: `…` in a string is any text of that string, elsewhere any text. */
function jsonPattern(text: string): string {
  const parts = joined(text).split(/("(?:[^"\\]|\\.)*")/);
  return parts
    .map((part, index) => escaped(part).replaceAll('…', index % 2 === 1 ? String.raw`(?:[^"\\]|\\.)*` : '[^]*?'))
    .join('');
}

/** Regular expression for a `text` answer: `…` is any text of its line, or any number of lines where it stands alone. */
function textPattern(text: string): string {
  const lines = trimmed(text).split('\n');
  return lines.map((line) => (line === '…' ? '(?:.*\n)*?' : `${escaped(line).replaceAll('…', '.*?')}\n`)).join('');
}

/** Tells whether a shell's output is the answer that a page shows, where `…` stands for text that varies. */
export function matchesAnswer(actual: string, { language, text }: { language: string; text: string }): boolean {
  return language === 'json'
    ? new RegExp(`^${jsonPattern(text)}$`).test(joined(actual))
    : new RegExp(`^${textPattern(text)}$`).test(`${trimmed(actual)}\n`);
}
