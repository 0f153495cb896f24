/** What a write was based on has changed since it was read: somebody else was first. */
export class Overtaken extends Error {}
export const overtaken = () => new Overtaken('this was changed by somebody else meanwhile');

/** What the work gives; undefined where somebody else was first and there is nothing left to do. */
export async function unlessOvertaken<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Overtaken)) throw error;
    return undefined;
  }
}
