/**
 * Changes members of a JSON object in its text. Everything else stays as written: order, spacing, and numbers that JavaScript cannot
 * represent. This also avoids serializing a long text with images again.
 */
interface Member {
  key: string;
  /** Offset of the key's start. */
  start: number;
  /** Offsets of the value's start and end. */
  value: number;
  end: number;
}

/** Returns the index after the string whose opening quote is at `from`. */
export function skipString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
  return text.length;
}

/** Matches the characters that matter outside of strings: only they change the depth or end a member. */
const MARK = /["{}[\],]/g;

/** Returns the change of the depth at a mark. */
function depthChange(sign: string): number {
  if (sign === '{' || sign === '[') return 1;
  return sign === '}' || sign === ']' ? -1 : 0;
}

/** Returns the index after a value, which is that of the following `,` or `}`. */
function skipValue(text: string, from: number): number {
  let depth = 0;
  MARK.lastIndex = from;
  for (let mark = MARK.exec(text); mark; mark = MARK.exec(text)) {
    const [sign] = mark;
    if (sign === '"') MARK.lastIndex = skipString(text, mark.index);
    else if (depth === 0 && (sign === ',' || sign === '}')) return mark.index;
    else depth += depthChange(sign);
  }
  return text.length;
}

/** Returns true if all brackets and strings of a JSON object are closed at its end, so that nothing was cut off. Does not parse the text. */
export function isWhole(text: string): boolean {
  let depth = 0;
  let end = 0;
  MARK.lastIndex = 0;
  for (let mark = MARK.exec(text); mark; mark = MARK.exec(text)) {
    const [sign] = mark;
    end = sign === '"' ? skipString(text, mark.index) : mark.index + 1;
    depth += depthChange(sign);
    MARK.lastIndex = end;
  }
  return depth === 0 && text.slice(end).trim() === '';
}

/** Adds a quoted key to the keys of its object. Returns false if the key makes the object ambiguous. */
function addKey(keys: Set<string>, quoted: string): boolean {
  const key = quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
  if (keys.has(key) || key === '__proto__') return false;
  keys.add(key);
  return true;
}

/**
 * Returns true if any object in this valid JSON text has a duplicate key or the key `__proto__`: parsers may read different values from
 * such a text.
 */
export function isAmbiguous(text: string): boolean {
  /** The keys of each enclosing object; undefined for an array. */
  const enclosing: (Set<string> | undefined)[] = [];
  let keys: Set<string> | undefined;
  let atKey = false;
  MARK.lastIndex = 0;
  for (let mark = MARK.exec(text); mark; mark = MARK.exec(text)) {
    const [sign] = mark;
    if (sign === '"') {
      const end = skipString(text, mark.index);
      if (atKey && keys && !addKey(keys, text.slice(mark.index, end))) return true;
      atKey = false;
      MARK.lastIndex = end;
    } else if (sign === ',') atKey = keys !== undefined;
    else if (sign === '{' || sign === '[') {
      enclosing.push(keys);
      keys = sign === '{' ? new Set() : undefined;
      atKey = sign === '{';
    } else keys = enclosing.pop();
  }
  return false;
}

/** Returns the members of a valid JSON object. */
function parseMembers(text: string): Member[] {
  const members: Member[] = [];
  let at = text.indexOf('{') + 1;
  for (;;) {
    const start = text.indexOf('"', at);
    if (start < 0) return members;
    const keyEnd = skipString(text, start);
    const value = text.indexOf(':', keyEnd) + 1;
    // If the text is invalid after all, continuing at index 0 would loop forever.
    if (value === 0) return members;
    const end = skipValue(text, value);
    members.push({ key: String(JSON.parse(text.slice(start, keyEnd))), start, value, end });
    if (text[end] !== ',') return members;
    at = end + 1;
  }
}

/**
 * Sets members of a valid JSON object: existing members in place, new ones at the end. `undefined` removes a member. Both occurrences of a
 * duplicate key are set, so that every parser sees the intended value.
 */
export function setMembers(text: string, values: Record<string, unknown>): string {
  const members = parseMembers(text);
  const unwanted = ({ key }: Member) => Object.hasOwn(values, key) && values[key] === undefined;
  if (members.some(unwanted)) {
    const kept = members.filter((member) => !unwanted(member)).map(({ start, end }) => text.slice(start, end));
    return setMembers(`{${kept.join(',')}}`, values);
  }
  const has = (key: string) => members.some((member) => member.key === key);
  let out = '';
  let from = 0;
  for (const { key, value, end } of members) {
    if (!Object.hasOwn(values, key)) continue;
    out += `${text.slice(from, value)}${JSON.stringify(values[key])}`;
    from = end;
  }
  const added = Object.entries(values)
    .filter(([key, value]) => !has(key) && value !== undefined)
    .map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  const close = text.lastIndexOf('}');
  const comma = members.length > 0 && added.length > 0 ? ',' : '';
  return `${out}${text.slice(from, close)}${comma}${added.join(',')}${text.slice(close)}`;
}
