import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/** The dialogue of a command with the person who runs it. */
export interface Conversation {
  say(text: string): void;
  /** Asks a question and returns the next line of the input. A secret answer is not echoed. Throws at the end of the input. */
  ask(question: string, options?: { secret: boolean }): Promise<string>;
  close(): void;
}

/**
 * Opens the conversation at a terminal, or reads the lines of the input if it is not a terminal. The caller passes stderr as the output,
 * because stdout contains the command's report and may be redirected to a file.
 */
export function openConversation(
  input: NodeJS.ReadableStream & { isTTY?: boolean },
  output: NodeJS.WritableStream,
): Conversation {
  let isEchoed = false;
  const echo = new Writable({
    write(chunk, _encoding, written) {
      if (isEchoed) output.write(chunk);
      written();
    },
  });
  // No history: the arrow keys would show a password again.
  const lines = createInterface({ input, output: echo, terminal: input.isTTY === true, historySize: 0 });
  const answers = lines[Symbol.asyncIterator]();
  return {
    say: (text) => void output.write(`${text}\n`),
    async ask(question, { secret } = { secret: false }) {
      isEchoed = true;
      lines.setPrompt(`${question}: `);
      lines.prompt();
      isEchoed = !secret;
      const { value, done } = await answers.next();
      if (secret || !input.isTTY) output.write('\n');
      isEchoed = false;
      if (done) throw new Error('The input ended before the command was done.');
      return value;
    },
    close: () => lines.close(),
  };
}
