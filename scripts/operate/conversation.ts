import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/** Questions of a command to the person who runs it. */
export interface Conversation {
  say(text: string): void;
  /** Returns the next line of the input, which is not shown as it is typed if it is secret. Throws at the end of the input. */
  ask(question: string, options?: { secret: boolean }): Promise<string>;
  close(): void;
}

/**
 * Opens the conversation at a terminal, or over lines of the input where that is none. Everything is said on the output for errors: the
 * standard output, with the command's report, may go into a file.
 */
export function openConversation(
  input: NodeJS.ReadableStream & { isTTY?: boolean },
  output: NodeJS.WritableStream,
): Conversation {
  let shown = false;
  const echo = new Writable({
    write(chunk, _encoding, written) {
      if (shown) output.write(chunk);
      written();
    },
  });
  // A history would bring a password back with the key for the line before.
  const lines = createInterface({ input, output: echo, terminal: input.isTTY === true, historySize: 0 });
  const answers = lines[Symbol.asyncIterator]();
  return {
    say: (text) => void output.write(`${text}\n`),
    async ask(question, { secret } = { secret: false }) {
      shown = true;
      lines.setPrompt(`${question}: `);
      lines.prompt();
      shown = !secret;
      const { value, done } = await answers.next();
      if (secret || !input.isTTY) output.write('\n');
      shown = false;
      if (done) throw new Error('The input ended before the command was done.');
      return value;
    },
    close: () => lines.close(),
  };
}
