import type { Usage } from '../../providers/ai/usage.ts';
import type { AiCall } from '../../table/entities/ai.ts';
import type { Deps } from '../deps.ts';
import type { Call } from './call.ts';
import { type CallOutcome, newCall, recordCall } from './calls.ts';
import { releaseHold } from './credits.ts';
import type { Funding } from './funding.ts';
import { calculateCost, priceFor } from './prices.ts';
import type { Report } from './report.ts';
import { type Settlement, settle } from './settlement.ts';

/** Ends a call to a model: settles or releases its hold, and records the call in the request log. */
export class CallEnd {
  /** Undefined until the payer is known, and again after the hold is released. */
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
   * Settles or releases the hold, exactly once, and records the call in the request log. Throws if the call could not be recorded.
   * The report lists all other failed writes.
   */
  async finish(outcome: CallOutcome): Promise<void> {
    const { usage } = this.#report;
    const funding = this.funding;
    const record = newCall(this.#deps, this.#call, this.#report, outcome);
    if (usage && funding?.kind === 'credits') {
      const settlement = await this.#collectFailure(this.#charge(funding, usage, record));
      this.#report.settlementFailed = settlement === undefined;
      if (settlement?.recorded) return;
    }
    const recording = recordCall(this.#deps, { ...record, amountMicroRand: this.#report.chargedMicroRand });
    // Waits for both, also if one fails: the process may end after this.
    const [, recorded] = await Promise.allSettled([this.release(), recording]);
    if (recorded.status === 'rejected') throw recorded.reason;
  }

  /** Releases the hold of a call that costs nothing, once. */
  async release(): Promise<void> {
    const funding = this.funding;
    if (!funding || (this.#report.usage && funding.kind === 'credits')) return;
    this.funding = undefined;
    await this.#collectFailure(releaseHold(this.#deps, funding.hold));
  }

  /** Returns the result of a write, or undefined if it fails. The report then has the error, and the close of the window ends the hold. */
  async #collectFailure<T>(work: Promise<T>): Promise<T | undefined> {
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
    record: AiCall,
  ): Promise<Settlement> {
    const { requestId, request } = this.#call;
    const cost = calculateCost(rate, usage);
    // An estimate may be too high, so it never creates a debt.
    const due = this.#report.estimated ? Math.min(cost, hold.granted) : cost;
    const chargedUsage = {
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
    const settlement = await settle(this.#deps, hold, due, chargedUsage, record);
    const { charged, writtenOff, failures } = settlement;
    this.#report.chargedMicroRand = charged;
    this.#report.writtenOffMicroRand = writtenOff;
    this.#report.unwritten.push(...failures.map(String));
    return settlement;
  }
}
