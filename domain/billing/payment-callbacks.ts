import type { receivePayment as ReceiveRoute } from '../../contract/billing/top-ups.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Output } from '../../contract/route.ts';
import { type CallbackSubject, InvalidSignature } from '../../providers/payments/payments.ts';
import { type ReportDispute, settleDispute } from './disputes.ts';
import { type PaymentDeps, paymentProviderUnavailable, settleTopUp, topUpId } from './top-ups.ts';

export type CallbackDeps = PaymentDeps & { reportDispute: ReportDispute };

/** Verifies a callback and returns its subject. Throws 401 if the payment provider did not sign it. */
export async function identifyCallback(
  { payments }: CallbackDeps,
  _input: object,
  { headers, body }: { headers: Record<string, string | undefined>; body: Buffer },
): Promise<CallbackSubject> {
  try {
    return await payments.readCallback(body, headers['x-paystack-signature']);
  } catch (error) {
    if (!(error instanceof InvalidSignature)) return paymentProviderUnavailable(error);
    throw new ApiError('unauthorized', 'The request is not signed by the payment provider.');
  }
}

/**
 * POST /hooks/payments, after verification. Settles the payment or the dispute that the callback names. All other callbacks are acknowledged,
 * so that the provider does not repeat them.
 */
export async function receivePayment(
  deps: CallbackDeps,
  { reference, disputeId }: CallbackSubject,
): Promise<{ status: number; output: Output<typeof ReceiveRoute> }> {
  if (disputeId !== undefined) {
    const dispute = await settleDispute(deps, disputeId).catch(paymentProviderUnavailable);
    return { status: 200, output: { data: { settled: dispute !== undefined } } };
  }
  const status =
    reference === undefined ? undefined : await settleTopUp(deps, topUpId(reference)).catch(paymentProviderUnavailable);
  return { status: 200, output: { data: { settled: status === 'SUCCEEDED' || status === 'FAILED' } } };
}
