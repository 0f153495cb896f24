/** A key of the platform at an outside service. Operators may replace it at any time. */
export interface PlatformKey {
  /** Returns the key; undefined while operators have not stored one. */
  current(): Promise<string | undefined>;
  /**
   * Returns the key that has replaced one that the service refused, read at once; undefined if there is none, so that
   * the refusal stands.
   */
  replacementOf(refused: string): Promise<string | undefined>;
}

/** Returns true for text that stands for no key: operators may store a dash, because some tools take no empty value. */
export const isUnset = (value: string | undefined): value is '' | '-' | undefined =>
  value === undefined || value.trim() === '' || value.trim() === '-';
