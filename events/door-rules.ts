import { startKeeping } from '../domain/door-keeping.ts';
import { Door } from '../table/entities/custom-domains.ts';
import { follow, type Rule } from './consume.ts';

export type DoorRuleDeps = Parameters<typeof startKeeping>[0];

/** How the doors of proven domains come to be opened and closed. */
export function doorRules(deps: DoorRuleDeps): Rule[] {
  const keep =
    (name: (door: Door) => string): Rule['act'] =>
    ({ event }) => {
      const door = Door.parse(event.raw.new);
      return startKeeping(deps, door, name(door));
    };
  return [
    {
      id: 'door-of-a-proven-domain-is-opened',
      flavor: follow,
      eventType: 'door-created',
      act: keep(({ token }) => token),
    },
    {
      id: 'door-is-looked-at-for-its-owner',
      flavor: follow,
      eventType: 'door-updated',
      filters: [({ event: { raw } }) => raw.new?.askedAt !== undefined && raw.new.askedAt !== raw.old?.askedAt],
      act: keep(({ token, askedAt = '' }) => `${token}-${Date.parse(askedAt)}`),
    },
    {
      id: 'door-that-nobody-needs-is-closed',
      flavor: follow,
      eventType: 'door-updated',
      filters: [({ event: { raw } }) => raw.new?.status === 'CLOSING' && raw.old?.status !== 'CLOSING'],
      act: keep(({ token }) => `${token}-close`),
    },
  ];
}
