import { chat } from '../../runtime/http/chat.ts';
import { streaming } from '../../runtime/http/lambda-stream.ts';

/** POST /ai/v1/chat/completions, behind a function URL that streams its responses. */
export const handler = streaming(chat);
