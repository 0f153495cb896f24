import { type SwitchName, switchRule } from '../../contract/switches/switches.ts';

/** Returns the state of a switch as operators read it: a mode is on while what it stops is off. */
export const stateOf = (name: SwitchName, off: boolean): 'On' | 'Off' =>
  off === (switchRule(name).isMode ?? false) ? 'On' : 'Off';
