import { unsubscribe as route, UNSUBSCRIBE_HEADERS } from '../../contract/accounts/unsubscribe.ts';
import { unsubscribe, verifyUnsubscribe } from '../../domain/accounts/unsubscribe.ts';
import { hook } from '../../runtime/http/hook.ts';

/** POST /hooks/mail/unsubscribe/{token} */
export const handler = hook(route, { identify: verifyUnsubscribe, act: unsubscribe }, {}, UNSUBSCRIBE_HEADERS);
