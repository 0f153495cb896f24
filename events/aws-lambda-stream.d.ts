/** The part of aws-lambda-stream 1.0.0 that this project uses; the package ships no types of its own. */
declare module 'aws-lambda-stream/pipelines/index' {
  /** A Highland stream, as far as it is used here. */
  export interface Flow<T> {
    filter(keep: (value: T) => boolean): Flow<T>;
    map<U>(change: (value: T) => U): Flow<U>;
    parallel(most: number): Flow<T extends Flow<infer U> ? U : never>;
    collect(): Flow<T[]>;
    /** Each list becomes its members. */
    flatten(): Flow<T extends readonly (infer U)[] ? U : T>;
    /** Lists of that many, and one of the rest at the end. */
    batch(size: number): Flow<T[]>;
  }
  export interface UnitOfWork {
    pipeline?: string;
    event: {
      id: string;
      /** `<entity>-created`, `-updated` or `-deleted`. */
      type: string;
      timestamp: number;
      raw: { new?: Record<string, unknown>; old?: Record<string, unknown> };
    };
  }
  export interface Fault {
    event: { err: { name: string; message: string; stack?: string }; tags: { pipeline: string } };
  }
  export interface Options {
    publish: (options: unknown) => (faults: Flow<Fault>) => Flow<unknown>;
  }
  export interface BaseRule {
    id: string;
    flavor: (rule: never) => (flow: Flow<UnitOfWork>) => Flow<unknown>;
    eventType: string;
    filters?: readonly ((work: UnitOfWork) => boolean)[];
  }
  export function initializeFrom(rules: readonly BaseRule[]): object;
  export function initialize(pipelines: object, options: Options): { assemble(head: Flow<UnitOfWork>): Flow<unknown> };
}

declare module 'aws-lambda-stream/from/dynamodb' {
  import type { Flow, UnitOfWork } from 'aws-lambda-stream/pipelines/index';
  export function fromDynamodb(event: unknown, options: { discriminatorFn: string }): Flow<UnitOfWork>;
}

declare module 'aws-lambda-stream/filters/event' {
  import type { BaseRule, UnitOfWork } from 'aws-lambda-stream/pipelines/index';
  export function filterOnEventType(rule: BaseRule, work: UnitOfWork): boolean;
  export function filterOnContent(rule: BaseRule, work: UnitOfWork): boolean;
}

declare module 'aws-lambda-stream/utils/faults' {
  import type { Flow } from 'aws-lambda-stream/pipelines/index';
  /** Wraps the promise in a flow; what it rejects with is tied to the change it was working on. */
  export function faultyAsyncStream<W, T>(act: (work: W) => Promise<T>): (work: W) => Flow<T>;
}

declare module 'aws-lambda-stream/utils/handler' {
  import type { Flow } from 'aws-lambda-stream/pipelines/index';
  export function toPromise(flow: Flow<unknown>): Promise<unknown>;
}
