import type { Usage } from '../../providers/ai/usage.ts';
import type { AiCall } from '../../table/entities/ai.ts';
import type { Deps } from '../deps.ts';
import type { Call } from './call.ts';
import { type CallOutcome, newCall, recordCall } from './calls.ts';
import { release } from './credits.ts';
import type { Funding } from './funding.ts';
import { calculateCost, priceFor } from './prices.ts';
import type { Report } from './report.ts';
import { type Settlement, settle } from './settlement.ts';

/** The end of a call to a model: its hold is settled or given back, and the request log gets its line. */
export class CallEnd {
  /** The one who pays, once that is known; undefined again when nothing is held any more. */
  funding: Funding | undefined;
  readonly #deps: Deps;
  readonly #call: Call;
  readonly #report: Report;

  constructor(deps: Deps, call: Call, report: Report) {
    this.#deps = deps;
    this.#call = call;
    this.#report = report;
  }

  /**
   * Settles or releases the hold, exactly once, and keeps the call for the request log. Throws where the call could not be kept;
   * what else fails is in the report.
   */
  async finish(outcome: CallOutcome): Promise<void> {
    const { usage } = this.#report;
    const funding = this.funding;
    const line = newCall(this.#deps, this.#call, this.#report, outcome);
    if (usage && funding?.kind === 'credits') {
      const settlement = await this.#attempt(this.#charge(funding, usage, line));
      this.#report.settlementFailed = settlement === undefined;
      if (settlement?.recorded) return;
    }
    const recording = recordCall(this.#deps, { ...line, amountMicroRand: this.#report.chargedMicroRand });
    // Both end before the process may: neither waits for the other, whatever becomes of it.
    const [, recorded] = await Promise.allSettled([this.release(), recording]);
    if (recorded.status === 'rejected') throw recorded.reason;
  }

  /** Gives the hold of a call that costs nothing back, once. */
  async release(): Promise<void> {
    const funding = this.funding;
    if (!funding || (this.#report.usage && funding.kind === 'credits')) return;
    this.funding = undefined;
    await this.#attempt(release(this.#deps, funding.hold));
  }

  /** Returns the result of a call's end; of one that fails, the hold comes back when its window's calls are over (closing.ts). */
  async #attempt<T>(work: Promise<T>): Promise<T | undefined> {
    try {
      return await work;
    } catch (error) {
      this.#report.unwritten.push(String(error));
      return undefined;
    }
  }

  async #charge(
    { hold, rate }: Extract<Funding, { kind: 'credits' }>,
    usage: Usage,
    line: AiCall,
  ): Promise<Settlement> {
    const { requestId, request } = this.#call;
    const cost = calculateCost(rate, usage);
    // An estimate may be wrong in both directions: it makes no debt.
    const due = this.#report.estimated ? Math.min(cost, hold.granted) : cost;
    const used = {
      requestId,
      keyId: this.#call.keyId,
      model: request.model,
      inputTokens: usage.input,
      cachedTokens: usage.cached,
      cacheWriteTokens: usage.cacheWrite,
      outputTokens: usage.output,
      price: { ...priceFor(rate, usage.input + usage.cached + usage.cacheWrite), randPerDollar: rate.randPerDollar },
      estimated: this.#report.estimated,
    };
    const settlement = await settle(this.#deps, hold, due, used, line);
    const { charged, writtenOff, failures } = settlement;
    this.#report.chargedMicroRand = charged;
    this.#report.writtenOffMicroRand = writtenOff;
    this.#report.unwritten.push(...failures.map(String));
    return settlement;
  }
}
