import { createHash } from 'node:crypto';
import { type FlagName, flagRule } from '../../contract/switches/flags.ts';
import type { SwitchState } from '../../table/entities/switches.ts';

/** Operators' settings of flags, by the flag's name. */
export type FlagStates = NonNullable<SwitchState['flags']>;

/** Reads operators' settings of flags, from the same cached read as the switches. */
export type ReadFlags = () => Promise<FlagStates>;

/** Returns an account's bucket for a flag, from 0 to 99. It is stable, and independent of the account's buckets for other flags. */
const bucketOf = (name: string, accountId: string): number =>
  createHash('sha256').update(`${name} ${accountId}`).digest().readUInt32BE() % 100;

/** Returns true if a flag is on for an account: by the account's setting, otherwise by the share of accounts, otherwise by default. */
export function isOn(states: FlagStates, name: FlagName, accountId: string): boolean {
  const { accounts = {}, share } = states[name] ?? {};
  return accounts[accountId] ?? (share === undefined ? flagRule(name).default : bucketOf(name, accountId) < share);
}
