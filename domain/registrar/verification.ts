import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import type { Registrar } from '../../providers/registrar/registrar.ts';
import type { Domain } from '../../table/entities/registrar.ts';
import { DAY_MS, timestampBefore } from '../time.ts';

/**
 * The registrar emails a registrant whose address it does not know yet, and suspends the domain if the registrant does not follow the
 * link in that email. The account is notified while the confirmation is pending (docs/decisions/0032-names.md).
 */
export interface VerificationCheck {
  /** The value to store; undefined if nothing has to be confirmed. */
  verification: Domain['verification'];
  /** Error of a request that the registrar did not answer; the known value is kept. */
  error?: unknown;
}

/** Interval at which the account is reminded, in milliseconds. The registrar allows 3 to 15 days. */
const REMINDER_INTERVAL_MS = 3 * DAY_MS;
/** One short attempt, because the next check asks again. */
const QUESTION_OPTIONS = { attempts: 1, timeout: TIMEOUTS_S.registrar.sweep * 1000 };

/** Asks the registrar whether it waits for a domain's registrant. Never throws, because the rest of the check does not depend on the answer. */
export async function checkVerification(
  { registrar }: { registrar: Pick<Registrar, 'verification'> },
  { name, verification: known }: Domain,
  now: Date,
): Promise<VerificationCheck> {
  try {
    const status = await registrar.verification(name, QUESTION_OPTIONS);
    if (status === undefined) return { verification: undefined };
    const at = now.toISOString();
    const isReminderDue = status === 'PENDING' && known && known.noticeAt <= timestampBefore(at, REMINDER_INTERVAL_MS);
    const isNew = known?.status !== status;
    return { verification: { status, noticeAt: known && !isNew && !isReminderDue ? known.noticeAt : at } };
  } catch (error) {
    return { verification: known, error };
  }
}
