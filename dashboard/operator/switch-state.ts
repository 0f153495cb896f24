import { type SwitchName, switchRule } from '../../contract/switches/switches.ts';

/** Returns the state of a switch as operators see it: a mode is on while the part that it stops is off. */
export const stateOf = (name: SwitchName, off: boolean): 'On' | 'Off' =>
  off === (switchRule(name).isMode ?? false) ? 'On' : 'Off';
