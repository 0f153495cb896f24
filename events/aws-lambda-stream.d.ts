/** The part of aws-lambda-stream 1.0.0 that this project uses; the package ships no types of its own. */
declare module 'aws-lambda-stream/pipelines/index' {
  /** A Highland stream, as far as it is used here. */
  export interface Flow<T> {
    filter(keep: (value: T) => boolean): Flow<T>;
    map<U>(change: (value: T) => U): Flow<U>;
    parallel(max: number): Flow<T extends Flow<infer U> ? U : never>;
    collect(): Flow<T[]>;
    /** Each list becomes its members. */
    flatten(): Flow<T extends readonly (infer U)[] ? U : T>;
    /** Lists of that many, and one of the rest at the end. */
    batch(size: number): Flow<T[]>;
  }
  export interface Fault {
    event: { err: { name: string; message: string; stack?: string }; tags: { pipeline: string } };
  }
  export interface Options {
    publish: (options: unknown) => (faults: Flow<Fault>) => Flow<unknown>;
  }
  export interface Pipeline<Work> {
    id: string;
    flavor: () => (works: Flow<Work>) => Flow<unknown>;
  }
  export function initializeFrom<Work>(rules: readonly Pipeline<Work>[]): object;
  export function initialize(pipelines: object, options: Options): { assemble(head: Flow<unknown>): Flow<unknown> };
}

declare module 'aws-lambda-stream/utils/faults' {
  import type { Flow } from 'aws-lambda-stream/pipelines/index';
  /** Ties what the function throws to the change it was working on. */
  export function faulty<W, T>(act: (work: W) => T): (work: W) => T;
  /** Wraps the promise in a flow; what it rejects with is tied to the change it was working on. */
  export function faultyAsyncStream<W, T>(act: (work: W) => Promise<T>): (work: W) => Flow<T>;
}

declare module 'aws-lambda-stream/utils/handler' {
  import type { Flow } from 'aws-lambda-stream/pipelines/index';
  export function toPromise(flow: Flow<unknown>): Promise<unknown>;
}

/** The streams that aws-lambda-stream is made of. */
declare module 'highland' {
  import type { Flow } from 'aws-lambda-stream/pipelines/index';
  export default function stream<T>(values: readonly T[]): Flow<T>;
}
