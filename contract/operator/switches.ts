import * as z from 'zod/mini';
import { list, resource, single, Timestamp } from '../envelope.ts';
import { route } from '../route.ts';
import { SWITCH_NAMES } from '../switches/switches.ts';
import { OPERATOR_TAG } from './accounts.ts';
import { Reason } from './actions.ts';

/** A switch for a part of the platform. */
const Switch = resource('Switch', () =>
  z.object({
    name: z.enum(SWITCH_NAMES),
    target: z.nullable(z.string()).register(z.globalRegistry, {
      description: 'The target of a switch that exists several times, for example a provider; null for others',
    }),
    label: z.string(),
    stops: z.string(),
    off: z.boolean(),
    message: z.nullable(z.string()).register(z.globalRegistry, { description: 'The message for customers' }),
    since: z.nullable(Timestamp()),
  }),
);

const access = 'operator';
const tag = OPERATOR_TAG;

export const listSwitches = /* @__PURE__ */ route({
  id: 'listSwitches',
  method: 'GET',
  path: '/operator/v1/switches',
  access,
  summary: 'List the switches with their current state',
  tag,
  response: () => list(Switch()),
});

export const setSwitch = /* @__PURE__ */ route({
  id: 'setSwitch',
  method: 'PUT',
  path: '/operator/v1/switches/{name}',
  access,
  audit: 'switch.set',
  summary: 'Turn a part of the platform off, with a message for customers, or on again',
  tag,
  params: () => z.object({ name: z.enum(SWITCH_NAMES) }),
  body: () =>
    z.object({
      ...Reason(),
      off: z.boolean(),
      target: z.optional(
        z
          .string()
          .check(
            z.minLength(1),
            z.maxLength(100),
            z.regex(/^[\w./:-]+$/, 'must be letters, digits and any of _ . / : -'),
          ),
      ),
      message: z
        .optional(z.string().check(z.trim(), z.minLength(1), z.maxLength(300)))
        .register(z.globalRegistry, { description: 'The message for customers; required to turn the switch off' }),
    }),
  response: () => single(Switch()),
});
