import * as z from 'zod';
import { Session } from '../emulators/sts/sessions.ts';
import { type Emulator, parse, serve } from '../emulators/wire.ts';
import type { Guard } from './guard.ts';

const Question = z.object({
  session: Session,
  isProbe: z.boolean(),
  accesses: z.array(
    z.object({
      action: z.string(),
      resource: z.string(),
      context: z.record(z.string(), z.union([z.string(), z.array(z.string())])).default({}),
    }),
  ),
});

/** Serves the guard's decisions to engines in other processes: `{message}` denies, `{}` allows. */
export const startAuthorizerServer = (port: number, guard: Guard): Promise<Emulator> =>
  serve(port, 'application/json', ({ body }) => {
    const { session, accesses, isProbe } = parse(Question, body);
    return { body: { message: guard.refuse(session, accesses, isProbe)?.message } };
  });
