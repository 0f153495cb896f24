import { expect, test } from 'vitest';
import type { Zone } from '../../local/emulators/route53/zones.ts';
import { startDnsServer } from '../../local/engines/dns-server.ts';
import { createDelegations } from './delegations.ts';

const SOA = 'NS1.own.example. hostmaster.own.example. 1 7200 900 1209600 300';
const zoneOf = (name: string, type: string, ttl: number, ...values: string[]): Zone => ({
  id: 'Z',
  name,
  reference: '',
  sets: [
    { name, type, ttl, values },
    { name, type: 'SOA', ttl: 900, values: [SOA] },
  ],
});
const ZONES: Record<string, Zone> = {
  'served.example': zoneOf('served.example', 'NS', 60, 'NS2.own.example.', 'ns3.own.example.'),
  // Whose owner gave the name servers other names: its SOA record has their own still.
  'renamed.example': zoneOf('renamed.example', 'NS', 60, 'ns.renamed.example.'),
  'without.example': zoneOf('without.example', 'TXT', 60, '"no name servers"'),
  example: zoneOf('example', 'TXT', 60, '"the registry"'),
};

test('reads the name servers of a name and the first one of its zone; none of a name that does not exist', async () => {
  const closest = (name: string) => ZONES[name] ?? (name.endsWith('.example') ? ZONES.example : undefined);
  const server = await startDnsServer({ port: 0, zoneOf: closest });
  try {
    const delegations = createDelegations([`${server.host}:${server.port}`]);
    expect(await delegations.of('served.example')).toEqual(['ns2.own.example', 'ns3.own.example', 'ns1.own.example']);
    expect(await delegations.of('renamed.example')).toContain('ns1.own.example');
    expect(await delegations.of('without.example')).toEqual(['ns1.own.example']);
    expect(await delegations.of('absent.example')).toEqual([]);
    // The server refuses names outside of its zones, which says nothing about where resolvers are sent.
    await expect(delegations.of('other.test')).rejects.toMatchObject({ code: 'EREFUSED' });
  } finally {
    await server.stop();
  }
});
