export { type Client, createClient } from './client.ts';
export { ApiError, ConnectionError, type ErrorCode } from './errors.ts';
export { type FollowedEvent, type FollowOptions, followEvents } from './events.ts';
export type * from './operations.generated.ts';
export { EVENT_TYPES } from './operations.generated.ts';
export { List, type Page } from './pages.ts';
export type { CallOptions, ClientOptions } from './request.ts';
export { type Delivery, InvalidSignatureError, verifyWebhook } from './webhooks.ts';
