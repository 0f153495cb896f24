import { decode, type Message, readText, type TransactionStatus } from './messages.ts';

/** Parts of the engine’s answer that a session reads. */
export interface Answer {
  messages: readonly Message[];
  /** The transaction's status behind the batch; undefined where the batch is not at its end. */
  status: TransactionStatus | undefined;
  /** Number of rows that the statements changed. */
  rows: number;
  tags: readonly string[];
  failed: boolean;
}

const STATUSES: readonly string[] = ['I', 'T', 'E'] satisfies TransactionStatus[];
const isStatus = (letter: string): letter is TransactionStatus => STATUSES.includes(letter);

export function readAnswer(bytes: Buffer): Answer {
  const { messages } = decode(bytes);
  const tags = messages.filter(({ type }) => type === 'C').map(({ body }) => readText(body)[0]);
  const rows = tags.reduce(
    (sum, tag) => sum + Number(/^(?:INSERT 0|UPDATE|DELETE|MERGE) (\d+)$/.exec(tag)?.[1] ?? 0),
    0,
  );
  const letter = messages.findLast(({ type }) => type === 'Z')?.body.toString('latin1') ?? '';
  return {
    messages,
    tags,
    rows,
    failed: messages.some(({ type }) => type === 'E'),
    status: isStatus(letter) ? letter : undefined,
  };
}

/** Returns the rows of an answer, as text. */
export const rowsOf = ({ messages }: Answer): string[][] =>
  messages
    .filter(({ type }) => type === 'D')
    .map(({ body }) => {
      const row: string[] = [];
      let at = 2;
      for (let column = 0; column < body.readInt16BE(0); column += 1) {
        const length = Math.max(0, body.readInt32BE(at));
        row.push(body.toString('utf8', at + 4, at + 4 + length));
        at += 4 + length;
      }
      return row;
    });
