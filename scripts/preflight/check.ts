import { AwsError, type Clients } from './clients.ts';

/** The assessment of a found value. */
export interface Assessment {
  ok: boolean;
  /** The value in words, for the table. */
  found: string;
  /** Commands or steps that fix the problem, one line each; empty if there is none. */
  remedy?: string[];
}

/** Defines a check: `find` reads a value from AWS, and `assess` decides without further calls. */
interface Definition<T> {
  /** Subject of the check. */
  what: string;
  /** The value that the platform needs. */
  needed: string;
  /** Region of the check. The check is skipped if the account cannot use the region. */
  region?: string;
  find(clients: Clients): Promise<T>;
  assess(value: T): Assessment;
  /** Steps that help if `find` fails, for example because the service does not exist in the region. */
  remedy: string[];
}

/** A line of the result. */
export interface Row {
  what: string;
  needed: string;
  found: string;
  ok: boolean;
  remedy: string[];
}

export interface Check {
  what: string;
  needed: string;
  region: string | undefined;
  run(clients: Clients): Promise<Row>;
}

/** Matches the names of errors for a missing right of the caller, which differ between services. */
const DENIED = /AccessDenied|Unauthorized|NotAuthorized|Forbidden/;

/** Describes a failed call. The remedy is the right that the caller lacks, or else the check's own. */
function failed(error: unknown, remedy: string[]): Pick<Row, 'found' | 'remedy'> {
  if (!(error instanceof Error)) throw error;
  const found = `${error.name}: ${error.message}`;
  const operation = error instanceof AwsError ? error.operation : undefined;
  const right = operation ? `Allow the caller ${operation}, or let an administrator run the preflight.` : undefined;
  return { found, remedy: right && DENIED.test(error.name) ? [right, ...remedy] : remedy };
}

/** Creates a check. An error of `find` is a finding and does not end the other checks. */
export function check<T>({ what, needed, region, find, assess, remedy }: Definition<T>): Check {
  return {
    what,
    needed,
    region,
    run: async (clients) => {
      try {
        const { ok, found, remedy: steps = [] } = assess(await find(clients));
        return { what, needed, found, ok, remedy: ok ? [] : steps };
      } catch (error) {
        return { what, needed, ok: false, ...failed(error, remedy) };
      }
    },
  };
}

/** Maps items with limited concurrency, because AWS's control planes accept few requests per second. */
export async function mapLimited<T, R>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const worker = async () => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return results;
}
