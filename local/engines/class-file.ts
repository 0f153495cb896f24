/**
 * Replaces the bodies of methods in compiled Java classes
 * (https://docs.oracle.com/javase/specs/jvms/se17/html/jvms-4.html), without a compiler: users have a Java runtime only.
 */

/** Bytes that each kind of constant takes after its tag. Text (1) has a length of its own. */
const CONSTANT_BYTES: Readonly<Record<number, number>> = {
  ...{ 3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4 },
  ...{ 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2 },
};
const [TEXT, LONG, DOUBLE, METHOD] = [1, 5, 6, 10];
/** Offset of the constant pool, after magic number and version. */
const POOL = 8;

/** Indexes into the constant pool of a class, for instructions. */
export interface Constants {
  /** Returns the index of a text constant, which is added to the pool. */
  text(value: string): number;
  /** Returns the index of a method that the class calls already, by `<class>.<name>`. Throws if it does not call it. */
  method(name: string): number;
}

/** A method's new body: instructions without branches. */
export interface Body {
  maxStack: number;
  code: number[];
}

const u2 = (value: number): number[] => [value >> 8, value & 255];

/** Returns a class with another body of its method `name`. Throws if the class has no such method. */
export function replaceMethod(bytes: Buffer, name: string, body: (constants: Constants) => Body): Buffer {
  const texts = new Map<number, string>();
  const offsets = new Map<number, number>();
  const count = bytes.readUInt16BE(POOL);
  let at = POOL + 2;
  for (let index = 1; index < count; index += 1) {
    const tag = bytes.readUInt8(at);
    offsets.set(index, at);
    if (tag === TEXT) texts.set(index, bytes.toString('utf8', at + 3, at + 3 + bytes.readUInt16BE(at + 1)));
    const length = tag === TEXT ? 2 + bytes.readUInt16BE(at + 1) : CONSTANT_BYTES[tag];
    if (length === undefined) throw new Error(`unknown constant ${tag} in a class file`);
    at += 1 + length;
    if (tag === LONG || tag === DOUBLE) index += 1;
  }
  const endOfPool = at;

  const added: number[] = [];
  let next = count;
  /** Returns the text at the end of a chain of references: each step is the offset of an index within a constant. */
  const follow = (index: number, steps: number[]): string | undefined => {
    let found = index;
    for (const step of steps) found = bytes.readUInt16BE((offsets.get(found) ?? 0) + step);
    return texts.get(found);
  };
  const constants: Constants = {
    text(value) {
      const utf8 = Buffer.from(value, 'utf8');
      added.push(TEXT, ...u2(utf8.length), ...utf8, 8, ...u2(next));
      next += 2;
      return next - 1;
    },
    method(wanted) {
      for (const [index, offset] of offsets) {
        const name = () => `${follow(index, [1, 1])}.${follow(index, [3, 1])}`;
        if (bytes[offset] === METHOD && name() === wanted) return index;
      }
      throw new Error(`the class does not call ${wanted}`);
    },
  };

  /** Returns the offset behind a list of attributes. */
  const skipAttributes = (from: number, visit?: (name: string, at: number, end: number) => void): number => {
    let offset = from + 2;
    for (let left = bytes.readUInt16BE(from); left > 0; left -= 1) {
      const end = offset + 6 + bytes.readUInt32BE(offset + 2);
      visit?.(texts.get(bytes.readUInt16BE(offset)) ?? '', offset, end);
      offset = end;
    }
    return offset;
  };

  // Access flags, this class, its superclass; then the interfaces; then fields and methods, which have one form.
  at = endOfPool + 6;
  at += 2 + 2 * bytes.readUInt16BE(at);
  let code: { at: number; end: number } | undefined;
  for (const isMethods of [false, true]) {
    let left = bytes.readUInt16BE(at);
    at += 2;
    for (; left > 0; left -= 1) {
      const isWanted = isMethods && texts.get(bytes.readUInt16BE(at + 2)) === name;
      at = skipAttributes(at + 6, (attribute, start, end) => {
        if (isWanted && attribute === 'Code') code ??= { at: start, end };
      });
    }
  }
  if (!code) throw new Error(`the class has no method ${name}`);

  const { maxStack, code: instructions } = body(constants);
  const head = bytes.subarray(code.at, code.at + 2);
  const maxLocals = bytes.subarray(code.at + 8, code.at + 10);
  // No exception table and no attributes: neither is needed without branches.
  const content = [...u2(maxStack), ...maxLocals, 0, 0, ...u2(instructions.length), ...instructions, 0, 0, 0, 0];
  return Buffer.concat([
    bytes.subarray(0, POOL),
    Buffer.from(u2(next)),
    bytes.subarray(POOL + 2, endOfPool),
    Buffer.from(added),
    bytes.subarray(endOfPool, code.at),
    head,
    Buffer.from([0, 0, ...u2(content.length), ...content]),
    bytes.subarray(code.end),
  ]);
}
