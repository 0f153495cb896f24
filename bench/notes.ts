/** The context of a benchmark's figures. */
export interface Note {
  /** The other side of the comparison, with its version. */
  baseline: string;
  /** Limits of the figures, as a sentence for readers. */
  notCovered: string;
}

/** By the benchmark's name; `npm run bench` refuses a benchmark without one. */
export const NOTES: Readonly<Record<string, Note>> = {
  ai: {
    baseline: 'Portkey’s open gateway 1.15.2, one core each, the same provider',
    notCovered:
      'The gateway is the function’s code behind a plain server, without Lambda and without the overhead of the local run. Portkey neither authenticates nor bills.',
  },
  'ai-local': {
    baseline: 'Portkey’s open gateway 1.15.2, the same provider, no pinned cores',
    notCovered:
      'It measures the whole local run on one machine, including its table. On AWS the table, the stream and the function scale independently. Portkey neither authenticates nor bills.',
  },
  'ai-open-calls': {
    baseline: 'a call of an account without open ones, $15 for a million calls of 10 s, and 1 GiB',
    notCovered:
      'It measures one process, with a provider on the same machine. The price is computed from its processor time and memory, without a managed instance.',
  },
  'aws-client': {
    baseline: '@aws-sdk/client-dynamodb with lib-dynamodb, as package.json pins them',
    notCovered: 'It measures one read from the local table, and no other service of the SDK.',
  },
  backlog: {
    baseline:
      'loops of signed POSTs, without and with the table calls of a delivery; the same without a receiver that hangs',
    notCovered:
      'Receivers, table, queues and the platform share two cores. On AWS the table and the queues scale independently of the function, whose concurrency is the limit.',
  },
  'cold-start': {
    baseline: 'a function of middy and one zod schema',
    notCovered:
      'It measures the import of a bundle in a new process. Lambda adds the start of its sandbox and the download of the code.',
  },
  cpu: {
    baseline: 'one UpdateItem and one GetItem on DynamoDB Local, sent by a plain client',
    notCovered:
      'It measures the processor time of all processes of the local run, including its table, which AWS charges by request. It does not measure durations.',
  },
  deployment: {
    baseline: 'a shell script that clones, runs npm ci and starts; a first deployment',
    notCovered: 'Builds run on the same machine, not in CodeBuild, which takes about a minute to start a build.',
  },
  edge: {
    baseline: 'the same program, started directly',
    notCovered: 'The local edge is not CloudFront. The result does not include distances, TLS or caches.',
  },
  footprint: {
    baseline: 'fixed bounds',
    notCovered:
      'Memory is the proportional set size of all processes, which counts shared pages once. It includes a hosted application only if the tour has deployed it.',
  },
  install: {
    baseline: 'fixed bounds',
    notCovered:
      'The result depends on the machine’s npm cache. An empty cache adds a download of about 150 MB, and as much again for tests.',
  },
  invoices: { baseline: 'a fixed bound', notCovered: 'It measures one request at a time, in one process.' },
  isolation: {
    baseline: 'the same account alone, before each neighbor',
    notCovered:
      'Both accounts share two cores, so a neighbor that keeps them busy has an effect. On AWS each invocation has its own processor. The noise comes from a process with the lowest priority.',
  },
  lighthouse: {
    baseline: 'a score of 95 for performance and 100 for accessibility',
    notCovered: 'Lighthouse’s simulated network, with the server on the same machine.',
  },
  request: {
    baseline: 'the table calls that the request needs, on DynamoDB Local in memory',
    notCovered:
      'DynamoDB Local answers in one or two milliseconds. DynamoDB takes about five, so that the platform’s share of the time is smaller.',
  },
  'safety-net': {
    baseline: 'one second',
    notCovered:
      'It does not measure the deliveries themselves. The response times of AWS are assumed, without throttling.',
  },
  scale: {
    baseline: 'none, it writes docs/scale.md',
    notCovered: 'It is computed from counts and limits, not measured.',
  },
  screens: {
    baseline: 'a bound of 100 ms',
    notCovered:
      'The browser and the platform run on the same machine. Other load on the machine makes the screens slower.',
  },
  start: {
    baseline: 'the start of DynamoDB Local',
    notCovered: 'Bundles and stacks come from npm ci. After a change of the sources, the start builds them first.',
  },
  'stream-rules': {
    baseline: 'a loop that parses the same items and performs the same writes',
    notCovered: 'The writes are discarded. On a real table, each change waits some additional milliseconds.',
  },
  'webhook-costs': { baseline: 'the prices of docs/costs.md', notCovered: 'Requests are counted, not billed.' },
  webhooks: {
    baseline: 'fixed bounds',
    notCovered: 'Receivers answer immediately, from the same machine.',
  },
  zip: {
    baseline: 'yazl, as package.json pins it',
    notCovered: 'It measures only the sources of a build. Archives of releases are larger and fewer.',
  },
};
