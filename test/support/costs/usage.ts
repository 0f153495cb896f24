/**
 * Computes what a million requests cost, and a gigabyte of storage. Prices are Amazon's list prices in us-east-1, November 2026, without free
 * allowances; docs/costs.md names their sources.
 */

/** US dollars for each. */
const PRICE = {
  edgeRequest: 1e-6,
  edgeFunction: 0.1e-6,
  routeRead: 0.03e-6,
  firewallRequest: 0.6e-6,
  httpApiRequest: 1e-6,
  invocation: 0.2e-6,
  gigabyteSecond: 13.3334e-6,
  writeUnit: 0.625e-6,
  readUnit: 0.125e-6,
  logGigabyte: 0.5,
  transferGigabyte: 0.085,
};

/** US dollars for a gigabyte in a month. */
const STORED = [
  ['table, including its continuous backup', 0.25 + 0.2],
  ['code of releases, archives and exports', 0.023],
  ['logs, in addition to $0.50 when they are written', 0.03],
] as const;

/** Assumed of a request: kilobytes that leave the edge, and kilobytes of log. */
const SIZE = {
  api: { transfer: 2, log: 1 },
  page: { transfer: 10, log: 0.6 },
  file: { transfer: 10, log: 0 },
};

/** Counts of the code and its templates. */
interface Usage {
  /** MiB of the function, and seconds of a request. */
  api: { memory: number; seconds: number; writeUnits: number };
  application: { memory: number; seconds: number };
}

const GIGABYTE = 1e9;
const MILLION = 1e6;
const dollars = (value: number): string => `$${value.toFixed(2)}`;
const row = (...cells: string[]) => `| ${cells.join(' | ')} |`;

/** Returns the tables of docs/costs.md: a million requests of each kind, and storage. */
export function usageTables({ api, application }: Usage): string {
  const invoked = ({ memory, seconds }: Usage['application']) =>
    PRICE.invocation + (memory / 1024) * seconds * PRICE.gigabyteSecond;
  const kilobytes = (count: number, price: number) => ((count * 1000) / GIGABYTE) * price;
  const parts: [part: string, api: number, page: number, file: number][] = [
    ['request at the edge', PRICE.edgeRequest, PRICE.edgeRequest, PRICE.edgeRequest],
    [
      'edge function and route of the host',
      PRICE.edgeFunction,
      PRICE.edgeFunction + PRICE.routeRead,
      PRICE.edgeFunction + PRICE.routeRead,
    ],
    ['web ACL and HTTP API', PRICE.firewallRequest + PRICE.httpApiRequest, 0, 0],
    ['function', invoked(api), invoked(application), 0],
    // The read of what the request asks for, up to 4 KB, consistent.
    ['table: authentication and one read', api.writeUnits * PRICE.writeUnit + PRICE.readUnit, 0, 0],
    [
      'log',
      kilobytes(SIZE.api.log, PRICE.logGigabyte),
      kilobytes(SIZE.page.log, PRICE.logGigabyte),
      kilobytes(SIZE.file.log, PRICE.logGigabyte),
    ],
    [
      'transfer to the internet',
      kilobytes(SIZE.api.transfer, PRICE.transferGigabyte),
      kilobytes(SIZE.page.transfer, PRICE.transferGigabyte),
      kilobytes(SIZE.file.transfer, PRICE.transferGigabyte),
    ],
  ];
  const sumOf = (column: 1 | 2 | 3) => parts.reduce((sum, part) => sum + part[column], 0) * MILLION;
  const headings = [
    `API request, ${SIZE.api.transfer} kB, ${api.memory} MB for ${api.seconds} s`,
    `page of an application, ${SIZE.page.transfer} kB, ${application.memory} MB for ${application.seconds} s`,
    `file from the edge cache, ${SIZE.file.transfer} kB`,
  ];
  return [
    row('a million requests', ...headings),
    row('---', '---', '---', '---'),
    ...parts.map(([part, ...each]) => row(part, ...each.map((value) => (value > 0 ? dollars(value * MILLION) : '–')))),
    row('**total**', ...([1, 2, 3] as const).map((column) => `**${dollars(sumOf(column))}**`)),
    '',
    row('a gigabyte for a month', 'dollars'),
    row('---', '---'),
    ...STORED.map(([what, price]) => row(what, `$${price.toFixed(3)}`)),
  ].join('\n');
}
