import { showUnsubscribe as route, UNSUBSCRIBE_HEADERS } from '../../contract/accounts/unsubscribe.ts';
import { showUnsubscribe, verifyUnsubscribe } from '../../domain/accounts/unsubscribe.ts';
import { hook } from '../../runtime/http/hook.ts';

/** GET /hooks/mail/unsubscribe/{token} */
export const handler = hook(route, { identify: verifyUnsubscribe, act: showUnsubscribe }, {}, UNSUBSCRIBE_HEADERS);
