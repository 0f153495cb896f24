/** The context of a benchmark's figures. */
export interface Note {
  /** The other side of the comparison, with its version. */
  against: string;
  /** Limits of the figures, as a sentence for readers. */
  omits: string;
}

/** By the benchmark's name; `npm run bench` refuses a benchmark without one. */
export const NOTES: Readonly<Record<string, Note>> = {
  ai: {
    against: 'Portkey’s open gateway 1.15.2, one core each, the same provider',
    omits:
      'The gateway is the function’s code behind a plain server: without Lambda, and without what the local run adds. Portkey neither authenticates nor bills.',
  },
  'ai-local': {
    against: 'Portkey’s open gateway 1.15.2, the same provider, no pinned cores',
    omits:
      'The whole local run on one machine, its table included. On AWS the table, the stream and the function scale apart from each other. Portkey neither authenticates nor bills.',
  },
  'ai-open-calls': {
    against: 'a call of an account without open ones, $15 for a million calls of 10 s, and 1 GiB',
    omits:
      'One process with a provider on the same machine; the price is computed from its processor time and memory, and no managed instance was rented.',
  },
  'aws-client': {
    against: '@aws-sdk/client-dynamodb with lib-dynamodb, as package.json pins them',
    omits: 'One read from the local table; nothing about other services of the SDK.',
  },
  backlog: {
    against:
      'loops of signed POSTs, without and with the table calls of a delivery; the same without a receiver that hangs',
    omits:
      'Two cores share receivers, table, queues and the platform. On AWS the table and the queues scale apart from the function, whose concurrency is the limit.',
  },
  'cold-start': {
    against: 'a function of middy and one zod schema',
    omits:
      'The import of a bundle in a new process. Lambda adds the start of its sandbox and the download of the code.',
  },
  cpu: {
    against: 'one UpdateItem and one GetItem on DynamoDB Local, sent by a plain client',
    omits:
      'Processor time of all processes of the local run, its table included, which AWS charges as requests. It says nothing of durations.',
  },
  deployment: {
    against: 'a shell script that clones, runs npm ci and starts; a first deployment',
    omits: 'Builds run on the same machine, not in CodeBuild, which takes about a minute to begin.',
  },
  edge: {
    against: 'the same program, started by hand',
    omits: 'The local edge is not CloudFront: nothing about distances, TLS or caches.',
  },
  footprint: {
    against: 'fixed bounds',
    omits:
      'Memory is the proportional set size of all processes: pages that several share count once. It includes no hosted application unless the tour has deployed it.',
  },
  install: {
    against: 'fixed bounds',
    omits: 'npm’s cache is what the machine has; an empty one adds the download of some 150 MB, and as much for tests.',
  },
  invoices: { against: 'a fixed bound', omits: 'One invoice at a time, in one process.' },
  isolation: {
    against: 'the same account alone, before each neighbour',
    omits:
      'Two cores are shared by both accounts, so that a neighbour who keeps them busy counts; on AWS each invocation has a processor of its own. The noise comes from a process with the lowest priority.',
  },
  lighthouse: {
    against: 'a score of 95 for performance and 100 for accessibility',
    omits: 'Lighthouse’s simulated network, with the server on the same machine.',
  },
  request: {
    against: 'the table calls that the request cannot do without, on DynamoDB Local in memory',
    omits:
      'DynamoDB Local answers in a millisecond or two; DynamoDB takes about five, and then the platform’s own share is smaller.',
  },
  'safety-net': {
    against: 'a second',
    omits:
      'The deliveries themselves, which are as fast as any. How long AWS takes is assumed, and so is that nothing is throttled.',
  },
  scale: { against: 'nothing: it writes docs/scale.md', omits: 'It is computed from counts and limits, not measured.' },
  screens: {
    against: 'a bound of 100 ms',
    omits: 'A browser and the platform on the same machine: whatever else runs on it counts as slowness of the screen.',
  },
  start: {
    against: 'the start of DynamoDB Local',
    omits: 'Bundles and stacks come from npm ci; after a change of the sources they are built first.',
  },
  'stream-rules': {
    against: 'a loop that parses the same items and makes the same writes',
    omits: 'The writes go nowhere: a change costs some milliseconds of waiting for the table beside this.',
  },
  'webhook-costs': { against: 'the prices of docs/costs.md', omits: 'Requests are counted, not billed.' },
  webhooks: {
    against: 'fixed bounds',
    omits: 'Receivers answer at once from the same machine.',
  },
  zip: {
    against: 'yazl, as package.json pins it',
    omits: 'Sources of a build only; archives of releases are larger and fewer.',
  },
};
