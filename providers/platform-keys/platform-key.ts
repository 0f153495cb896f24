/** A key of the platform at an external service. Operators may replace it at any time. */
export interface PlatformKey {
  /** Returns the key; undefined while operators have not stored one. */
  current(): Promise<string | undefined>;
  /**
   * Reads the current key immediately, after the service refused a key. Returns undefined if the key has not been replaced, so that the
   * refusal is final.
   */
  replacementOf(refused: string): Promise<string | undefined>;
}

/** Returns true if a text means that there is no key. Operators may store a dash, because some tools do not accept an empty value. */
export const isUnset = (value: string | undefined): value is '' | '-' | undefined =>
  value === undefined || value.trim() === '' || value.trim() === '-';
