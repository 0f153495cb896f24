import { TopUp } from '../../table/entities/billing.ts';
import { chargeTopUp, type PaymentDeps } from '../billing/top-ups.ts';
import { jobAbout } from './jobs.ts';

/** Jobs at the payment provider. */
export const PAYMENT_JOBS = {
  'wallet.charge-card': jobAbout(TopUp, (deps: PaymentDeps, { id }) => chargeTopUp(deps, id)),
};
