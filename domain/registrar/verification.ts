import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import type { Registrar } from '../../providers/registrar/registrar.ts';
import type { Domain } from '../../table/entities/registrar.ts';
import { DAY_MS, timestampBefore } from '../time.ts';

/**
 * The registrar writes to a registrant whose address it does not know yet, in its own name, and suspends the domain where the link in
 * that email is not followed. The account is told while that is open (docs/decisions/0032-names.md).
 */
export interface VerificationCheck {
  /** The value to store; undefined where nothing is to be confirmed. */
  verification: Domain['verification'];
  /** The reason for which the registrar did not answer: what was known stays. */
  error?: unknown;
}

/** The account is told again after this time, in milliseconds: the registrar gives 3 to 15 days. */
const REMINDER_INTERVAL_MS = 3 * DAY_MS;
/** One short attempt: the next check asks again. */
const QUESTION_OPTIONS = { attempts: 1, timeout: TIMEOUTS_S.registrar.sweep * 1000 };

/** Asks the registrar whether it waits for a domain's registrant. Does not throw: the answer decides nothing else. */
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
