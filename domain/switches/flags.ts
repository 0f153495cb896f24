import { createHash } from 'node:crypto';
import { type FlagName, flagRule } from '../../contract/switches/flags.ts';
import type { SwitchState } from '../../table/entities/switches.ts';

/** Operators' settings of flags, by the flag's name. */
export type FlagStates = NonNullable<SwitchState['flags']>;

/** Reads operators' settings of flags; as old as the switches, with which it is read. */
export type ReadFlags = () => Promise<FlagStates>;

/** Returns a number from 0 to 99 that an account keeps for a flag, and that says nothing about its number for another one. */
const placeOf = (name: string, accountId: string): number =>
  createHash('sha256').update(`${name} ${accountId}`).digest().readUInt32BE() % 100;

/** Returns true if a flag is on for an account: as set for it, otherwise by the share of accounts, otherwise by default. */
export function isOn(states: FlagStates, name: FlagName, accountId: string): boolean {
  const { accounts = {}, share } = states[name] ?? {};
  return accounts[accountId] ?? (share === undefined ? flagRule(name).default : placeOf(name, accountId) < share);
}
