import { resolve } from 'node:path';
import type { AddDnsRecordInput, Domain, Registrant } from '../../client/index.ts';
import { DNS_TYPES } from '../../contract/enums.ts';
import { type Command, CommandError, type Context, UsageError, YES } from '../command.ts';
import { listing } from '../listing.ts';
import { readTextFile } from '../text.ts';

const DOMAIN = { name: 'domain', description: 'Name or id of the domain' } as const;

/** Returns true for the record types with a priority, in which 0 is a meaningful value. */
const isRanked = (type: string): boolean => type === 'MX' || type === 'SRV';

async function named({ client, argument, signal }: Context): Promise<Domain> {
  const wanted = argument('domain').toLowerCase().replace(/\.$/, '');
  for await (const domain of client().listDomains({ limit: 100 }, { signal }))
    if (domain.name === wanted || domain.id === argument('domain')) return domain;
  throw new CommandError(`You have no domain ${wanted}. hosting domains lists them.`);
}

const list = listing({
  name: 'domains list',
  summary: 'List your domains',
  read: ({ client, signal }) => client().listDomains({ limit: 100 }, { signal }).all(),
  columns: {
    name: ({ name }) => name,
    status: ({ status }) => status,
    expires: ({ expiresAt }) => expiresAt,
    dns: ({ dnsProvider }) => dnsProvider,
    id: ({ id }) => id,
  },
  none: 'No domains yet. hosting domains check <name> looks for one.',
});

const check = listing({
  name: 'domains check',
  summary: 'Check whether a name is available, and its price',
  arguments: [{ name: 'name', description: 'A name with or without its extension' }],
  read: ({ client, argument, signal }) => client().checkDomain({ q: argument('name') }, { signal }),
  columns: {
    domain: ({ domain }) => domain,
    '': ({ available, premium }) => (available ? (premium ? 'premium, not sold here' : 'free') : 'taken'),
    'rand per year, excl. VAT': ({ available, price }) => (available ? price.toFixed(2) : null),
  },
  none: 'Nothing found.',
});

const order: Command = {
  name: 'domains order',
  summary: 'Order a domain and pay it from the wallet',
  arguments: [{ name: 'domain', description: 'The full name' }],
  options: [
    { name: 'registrant', value: 'file', description: 'JSON file: name, email, contactNumber, address1, city, …' },
    { name: 'years', value: 'years', description: '1 to 10. Default: 1' },
    YES,
  ],
  examples: ['hosting domains order my-shop.co.za --registrant me.json'],
  async run({ client, argument, option, out, cwd, confirm, signal }) {
    const file = option('registrant');
    if (file === undefined) throw new UsageError('An order needs the owner’s details: --registrant me.json');
    let registrant: Registrant;
    try {
      registrant = JSON.parse(readTextFile(resolve(cwd, file))) as Registrant;
    } catch (error) {
      throw new CommandError(`${file} could not be read: ${error instanceof Error ? error.message : error}`);
    }
    const domain = argument('domain');
    await confirm(`Order ${domain} and pay for it from the wallet?`);
    const years = option('years');
    const input = { domain, registrant, ...(years ? { years: Number(years) } : {}) };
    const ordered = await client().orderDomain(input, { signal });
    const { invoice, unpaidReason } = ordered;
    out.result(ordered, () => {
      out.line(`Invoice ${invoice.number} of R${invoice.amount}: ${invoice.status}.`);
      if (unpaidReason !== undefined) out.line(unpaidReason);
      if (invoice.status === 'UNPAID')
        out.line('The name is held for a day. The wallet pays the invoice once it has enough available money.');
    });
  },
};

const records: Command = {
  name: 'dns list',
  summary: 'List the DNS records of a domain',
  arguments: [DOMAIN],
  async run(context) {
    const { client, out, signal } = context;
    const { id } = await named(context);
    const { data, provider } = await client().listDnsRecords({ id }, { signal });
    out.result(data, () => {
      out.table(
        ['type', 'name', 'content', 'ttl', 'prio', 'id'],
        data.map((each) => [
          each.type,
          each.name || '@',
          each.content,
          each.ttl,
          isRanked(each.type) ? each.prio : null,
          each.id,
        ]),
        'No records yet.',
      );
      if (provider !== 'PLATFORM') out.note('The domain uses external name servers: records here have no effect.');
    });
  },
};

const add: Command = {
  name: 'dns add',
  summary: 'Add a DNS record',
  arguments: [
    DOMAIN,
    { name: 'type', description: DNS_TYPES.join(', ') },
    { name: 'name', description: 'The host relative to the domain; @ for the domain itself' },
    { name: 'content', description: 'The value: an address, a host name or a text' },
  ],
  options: [
    { name: 'ttl', value: 'seconds', description: '60 to 86400. Default: 3600' },
    { name: 'prio', value: 'number', description: 'Priority of MX and SRV' },
  ],
  examples: [
    'hosting dns add my-shop.co.za A www 192.0.2.7',
    'hosting dns add my-shop.co.za MX @ mail.example.com --prio 10',
  ],
  async run(context) {
    const { client, argument, option, out, signal } = context;
    const type = DNS_TYPES.find((known) => known === argument('type').toUpperCase());
    if (!type) throw new UsageError(`The type must be one of ${DNS_TYPES.join(', ')}.`);
    const number = (name: string) => (option(name) === undefined ? {} : { [name]: Number(option(name)) });
    const { id } = await named(context);
    const name = argument('name') === '@' ? '' : argument('name');
    const input: AddDnsRecordInput = { id, type, name, content: argument('content') };
    const added = await client().addDnsRecord({ ...input, ...number('ttl'), ...number('prio') }, { signal });
    out.result(added, () => out.line('Added.'));
  },
};

const remove: Command = {
  name: 'dns remove',
  summary: 'Remove a DNS record',
  arguments: [DOMAIN, { name: 'record', description: 'Id of the record, from hosting dns list' }],
  options: [YES],
  async run(context) {
    const { client, argument, out, confirm, signal } = context;
    const { id, name } = await named(context);
    await confirm(`Remove the record ${argument('record')} of ${name}?`);
    const removed = await client().deleteDnsRecord({ id, recordId: argument('record') }, { signal });
    out.result(removed, () => out.line('Removed.'));
  },
};

export const domainCommands: readonly Command[] = [list, check, order, records, add, remove];
