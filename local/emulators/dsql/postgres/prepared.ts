import type { EngineLease } from './database.ts';
import { type TransactionState, translate as translateSql } from './dialect.ts';
import { encode, type Message, readText, text } from './messages.ts';

/** A message of the extended protocol, translated for the engine. */
export interface Step {
  bytes: Buffer;
  /** Name of the prepared statement that the message creates. */
  creates?: string;
  /** Name of the prepared statement that the message requires. */
  needs?: string;
  modifies: boolean;
}

interface Prepared {
  bytes: Buffer;
  modifies: boolean;
}

/**
 * Creates the registry of one session's prepared statements. The sessions of a database share its engine. So names get a
 * prefix, and a statement is prepared again after a restart of the engine, or if another session replaced the unnamed one.
 */
export function createPrepared(prefix: string) {
  const prepared = new Map<string, Prepared>();
  const qualified = (name: string): string => (name === '' ? '' : `${prefix}${name}`);

  return {
    /** Translates a message: its SQL to the engine's dialect, and its statement names to the session's. */
    translate({ type, body }: Message, transaction: TransactionState): Step {
      if (type === 'P') {
        const [name, afterName] = readText(body);
        const [sql, afterSql] = readText(body, afterName);
        const { sql: translated, modifies } = translateSql(sql, transaction);
        const bytes = encode('P', text(qualified(name)), text(translated), body.subarray(afterSql));
        prepared.set(qualified(name), { bytes, modifies });
        return { bytes, creates: qualified(name), modifies };
      }
      if (type === 'B') {
        const [portal, afterPortal] = readText(body);
        const [name, rest] = readText(body, afterPortal);
        const modifies = prepared.get(qualified(name))?.modifies ?? false;
        return {
          bytes: encode('B', text(portal), text(qualified(name)), body.subarray(rest)),
          needs: qualified(name),
          modifies,
        };
      }
      const isStatement = (type === 'D' || type === 'C') && body[0] === 0x53;
      if (!isStatement) return { bytes: encode(type, body), modifies: false };
      const [name] = readText(body, 1);
      if (type === 'C') prepared.delete(qualified(name));
      return {
        bytes: encode(type, Buffer.from('S'), text(qualified(name))),
        ...(type === 'D' ? { needs: qualified(name) } : {}),
        modifies: false,
      };
    },

    /**
     * Returns the messages that prepare the statements which the steps need and the engine lacks.
     * @param isShared true if another session has used the engine since
     */
    missing(steps: readonly Step[], { statements }: Pick<EngineLease, 'statements'>, isShared: boolean): Buffer[] {
      const known = new Set<string>();
      const replayed: Buffer[] = [];
      for (const { creates, needs } of steps) {
        if (creates !== undefined) known.add(creates);
        if (needs === undefined || known.has(needs)) continue;
        const found = prepared.get(needs);
        const isPrepared = statements.has(needs) && !(needs === '' && isShared);
        if (found && !isPrepared) replayed.push(found.bytes);
        known.add(needs);
      }
      for (const name of known) statements.add(name);
      return replayed;
    },

    names: (): string[] => [...prepared.keys()].filter((name) => name !== ''),
    clear: () => prepared.clear(),
  };
}
