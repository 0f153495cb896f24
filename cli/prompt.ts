import { createInterface } from 'node:readline/promises';

interface Terminal {
  stdin: NodeJS.ReadStream;
  stderr: NodeJS.WritableStream;
  signal: AbortSignal;
  /** Aborts the signal. */
  interrupt(): void;
}

/** Asks one question at the terminal. Returns the answer; undefined at the end of the input (Ctrl-D). Throws after Ctrl-C. */
export async function ask(question: string, terminal: Terminal): Promise<string | undefined> {
  const { stdin, stderr, signal, interrupt } = terminal;
  // Open only during the question: meanwhile, the terminal delivers Ctrl-C as a key instead of SIGINT.
  const lines = createInterface({ input: stdin, output: stderr });
  lines.on('SIGINT', interrupt);
  const end = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)));
  // At the end of the input, a question rejects or stays pending, depending on the Node version.
  const line = lines.question(question, { signal }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    return end;
  });
  try {
    const answer = await Promise.race([line, end]);
    if (answer === undefined) stderr.write('\n');
    return answer;
  } finally {
    lines.close();
  }
}
