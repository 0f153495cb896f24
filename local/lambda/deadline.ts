/**
 * Calls a function after a time unless the deadline is cleared before. Node runs timers before it reads messages: if this process was busy,
 * the message that clears the deadline may have arrived in time, so it is read first.
 * @returns clears the deadline
 */
export function setDeadline(ms: number, onMissed: () => void): () => void {
  let missed: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    missed = setImmediate(onMissed);
  }, ms);
  return () => {
    clearTimeout(timer);
    clearImmediate(missed);
  };
}
