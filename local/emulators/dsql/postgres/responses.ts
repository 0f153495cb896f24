import { decode, type Message, readText, type TransactionStatus } from './messages.ts';

/** The engine’s response to a batch of messages, with the parts that a session needs. */
export interface EngineResponse {
  messages: readonly Message[];
  /** The transaction's status after the batch; undefined if the response does not end with ReadyForQuery. */
  status: TransactionStatus | undefined;
  /** Number of rows that the statements changed. */
  rows: number;
  tags: readonly string[];
  failed: boolean;
}

const STATUSES: readonly string[] = ['I', 'T', 'E'] satisfies TransactionStatus[];
const isStatus = (letter: string): letter is TransactionStatus => STATUSES.includes(letter);

export function parseResponse(bytes: Buffer): EngineResponse {
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

/** Returns the rows of a response as text. */
export const rowsOf = ({ messages }: EngineResponse): string[][] =>
  messages
    .filter(({ type }) => type === 'D')
    .map(({ body }) => {
      const row: string[] = [];
      let offset = 2;
      for (let column = 0; column < body.readInt16BE(0); column += 1) {
        const length = Math.max(0, body.readInt32BE(offset));
        row.push(body.toString('utf8', offset + 4, offset + 4 + length));
        offset += 4 + length;
      }
      return row;
    });
