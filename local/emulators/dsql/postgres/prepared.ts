import type { Turn } from './database.ts';
import { type TransactionState, translate } from './dialect.ts';
import { encode, type Message, readText, text } from './messages.ts';

/** A message of the extended protocol as the engine takes it. */
export interface Step {
  bytes: Buffer;
  /** The statement that it creates, or that must be there. */
  creates?: string;
  needs?: string;
  modifies: boolean;
}

interface Prepared {
  bytes: Buffer;
  modifies: boolean;
}

/**
 * The prepared statements of one session. The sessions of a database share its engine, so names are prefixed, and
 * statements are prepared again where the engine was restarted or the unnamed one is another session's.
 */
export function createPrepared(prefix: string) {
  const prepared = new Map<string, Prepared>();
  const own = (name: string): string => (name === '' ? '' : `${prefix}${name}`);

  return {
    /** Returns a message with the session's names. */
    step({ type, body }: Message, transaction: TransactionState): Step {
      if (type === 'P') {
        const [name, afterName] = readText(body);
        const [sql, afterSql] = readText(body, afterName);
        const { sql: translated, modifies } = translate(sql, transaction);
        const bytes = encode('P', text(own(name)), text(translated), body.subarray(afterSql));
        prepared.set(own(name), { bytes, modifies });
        return { bytes, creates: own(name), modifies };
      }
      if (type === 'B') {
        const [portal, afterPortal] = readText(body);
        const [name, rest] = readText(body, afterPortal);
        const modifies = prepared.get(own(name))?.modifies ?? false;
        return { bytes: encode('B', text(portal), text(own(name)), body.subarray(rest)), needs: own(name), modifies };
      }
      const isStatement = (type === 'D' || type === 'C') && body[0] === 0x53;
      if (!isStatement) return { bytes: encode(type, body), modifies: false };
      const [name] = readText(body, 1);
      if (type === 'C') prepared.delete(own(name));
      return {
        bytes: encode(type, Buffer.from('S'), text(own(name))),
        ...(type === 'D' ? { needs: own(name) } : {}),
        modifies: false,
      };
    },

    /** Returns the messages that prepare what these steps need and the engine does not have. */
    missing(steps: readonly Step[], { statements }: Pick<Turn, 'statements'>, isOther: boolean): Buffer[] {
      const known = new Set<string>();
      const replayed: Buffer[] = [];
      for (const { creates, needs } of steps) {
        if (creates !== undefined) known.add(creates);
        if (needs === undefined || known.has(needs)) continue;
        const found = prepared.get(needs);
        const isThere = statements.has(needs) && !(needs === '' && isOther);
        if (found && !isThere) replayed.push(found.bytes);
        known.add(needs);
      }
      for (const name of known) statements.add(name);
      return replayed;
    },

    names: (): string[] => [...prepared.keys()].filter((name) => name !== ''),
    clear: () => prepared.clear(),
  };
}
