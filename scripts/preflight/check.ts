import { AwsError, type Clients } from './clients.ts';

/** Assessment of a value that was found. */
export interface Assessment {
  ok: boolean;
  /** The value in words, for the table. */
  found: string;
  /** Commands or steps that mend it, a line each; empty if nothing has to be mended. */
  remedy?: string[];
}

/** One check as data: `find` reads a value from AWS, `assess` decides without any further call. */
interface Definition<T> {
  /** Subject of the check. */
  what: string;
  /** The value that the platform needs. */
  needed: string;
  /** Region of the check. It is left out while the account cannot use that region. */
  region?: string;
  find(clients: Clients): Promise<T>;
  assess(value: T): Assessment;
  /** Steps that help where `find` itself fails, for example because the service does not exist in the region. */
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

/** Errors that mean a missing right of the caller, in the wording of the different services. */
const DENIED = /AccessDenied|Unauthorized|NotAuthorized|Forbidden/;

/** Describes a failed call. The remedy is the right that the caller lacks, or else the check's own. */
function failed(error: unknown, remedy: string[]): Pick<Row, 'found' | 'remedy'> {
  if (!(error instanceof Error)) throw error;
  const found = `${error.name}: ${error.message}`;
  const operation = error instanceof AwsError ? error.operation : undefined;
  const right = operation ? `Allow the caller ${operation}, or let an administrator run the preflight.` : undefined;
  return { found, remedy: right && DENIED.test(error.name) ? [right, ...remedy] : remedy };
}

/** Makes a check that can be run. An error of `find` is a finding, never the end of the other checks. */
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

/** Maps with a limited number of calls at a time, because the control planes of AWS take few requests a second. */
export async function mapLimited<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const worker = async () => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}
