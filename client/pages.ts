/** One page of a list, newest first. */
export interface Page<Item> {
  data: Item[];
  has_more: boolean;
}

/**
 * A list: await it for its first page, or iterate over it for all items, which reads further pages when they are needed.
 *
 *     const { data, has_more } = await client.listApps({ limit: 10 });
 *     for await (const app of client.listApps()) console.log(app.name);
 */
export class List<Item> implements PromiseLike<Page<Item>>, AsyncIterable<Item> {
  readonly #read: (offset: number) => Promise<Page<Item>>;
  readonly #offset: number;
  #first: Promise<Page<Item>> | undefined;

  constructor(read: (offset: number) => Promise<Page<Item>>, offset: number) {
    this.#read = read;
    this.#offset = offset;
  }

  #page(): Promise<Page<Item>> {
    this.#first ??= this.#read(this.#offset);
    return this.#first;
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting the list is what it is for
  then<A = Page<Item>, B = never>(
    onFulfilled?: ((page: Page<Item>) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#page().then(onFulfilled, onRejected);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    let offset = this.#offset;
    for (let page = await this.#page(); ; page = await this.#read(offset)) {
      yield* page.data;
      offset += page.data.length;
      if (!page.has_more || page.data.length === 0) return;
    }
  }
}
