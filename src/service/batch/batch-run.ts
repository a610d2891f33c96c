import { type ODataError, protocolError } from "../../base/errors/odata-error.ts";
import type { Context } from "../../definition/context.ts";
import { withoutQuerySegment } from "../../http/fetch-request.ts";
import type { ODataRequest } from "../../http/odata-request.ts";
import type { ODataResponse } from "../../http/odata-response.ts";
import { PartRequest } from "../../http/part-request.ts";
import type { BatchScope, TransactionPart } from "../sets/transaction-part.ts";
import type { BatchItem, BatchOperation, ChangeSet, PartPipeline, PlannedOperation } from "./batch-request.ts";
import { BatchTime } from "./batch-time.ts";
import { BatchUrls, type BatchOrigin } from "./part-url.ts";
import {
  type AtomicPlan,
  planChangeSet,
  ChangeSetFailure,
  type ChangeSetRun,
  runAtomically,
  runInSequence,
} from "./run-change-set.ts";
import type { OperationResponse } from "./write-multipart.ts";

/** The responses of one item. */
export interface ItemResult {
  readonly item: BatchItem;
  /**
   * The response of an operation, or those of a change set. A change set that failed has one response in multipart, and one
   * for each of its requests in JSON.
   */
  readonly responses: readonly OperationResponse[];
  readonly isFailed: boolean;
}

/** The settings of a run. */
export interface BatchSettings {
  readonly origin: BatchOrigin;
  /** Whether operations after a failed one are executed. */
  readonly continueOnError: boolean;
  /** Whether change sets that cannot be atomic are executed operation by operation. */
  readonly isSequential: boolean;
  /** Makes the error for a reference to an operation that failed or does not exist. */
  readonly brokenReference: (id: string) => ODataError;
  /** Whether each operation of a change set that failed has its own response. */
  readonly answersEach: boolean;
  /** The milliseconds that all operations may take together; null for no limit. */
  readonly timeout: number | null;
  /** The milliseconds that the transaction of a change set may take; null for no limit. */
  readonly transactionTimeout: number | null;
}

/** The entities and bytes of responses, for the limits of later reads. */
interface Counted {
  total: number;
  bytes: number;
}

/** The execution of one batch. Its operations run one after another, in the order of the batch. */
export class BatchRun {
  readonly #batch: ODataRequest;
  readonly #context: Context;
  readonly #pipeline: PartPipeline;
  readonly #settings: BatchSettings;
  readonly #urls: BatchUrls;
  readonly #time: BatchTime;
  readonly #counted: Counted = { total: 0, bytes: 0 };
  readonly #named = { total: 0 };
  /** The operation in execution, for the log. */
  #current: ODataRequest;
  /** The instant of the item in execution, in milliseconds since 1970. */
  #instant = 0;
  /** Identifies the attempt in execution: a late operation of an earlier one leaves no traces. */
  #attempt = {};

  constructor(batch: ODataRequest, context: Context, pipeline: PartPipeline, settings: BatchSettings) {
    this.#batch = batch;
    this.#current = batch;
    this.#context = context;
    this.#pipeline = pipeline;
    this.#settings = settings;
    this.#time = new BatchTime(batch, settings.timeout);
    this.#urls = new BatchUrls(settings.origin, settings.brokenReference);
  }

  /** Executes the items in turn. Stops after the first that fails, unless the client wants the rest. */
  async *results(items: readonly BatchItem[]): AsyncGenerator<ItemResult, void, void> {
    for (const item of items) {
      this.#instant = Date.now();
      const result = await this.#time.spend(() =>
        item.kind === "operation" ? this.#runAlone(item) : this.#runChangeSet(item),
      );
      yield result;
      if (result.isFailed && !this.#settings.continueOnError) return;
    }
  }

  async #runAlone(operation: BatchOperation): Promise<ItemResult> {
    try {
      this.#begin();
      this.#time.check();
      const fault = this.#missingDependency(operation);
      if (fault !== undefined) throw fault;
      const response = this.#time.counting(await this.#execute(operation, null));
      this.#urls.keep();
      return { item: operation, responses: [{ id: operation.id, response }], isFailed: response.status >= 400 };
    } catch (error) {
      this.#begin();
      return { item: operation, responses: [this.#failure(operation, error)], isFailed: true };
    }
  }

  async #runChangeSet(item: ChangeSet): Promise<ItemResult> {
    const { operations } = item;
    try {
      this.#begin();
      this.#time.check();
      this.#checkOperations(operations);
      const responses = await this.#runTogether(operations);
      this.#urls.keep();
      return { item, responses, isFailed: false };
    } catch (error) {
      const failure = error instanceof ChangeSetFailure ? error : new ChangeSetFailure(null, error);
      const responses = this.#failures(operations, failure);
      this.#urls.fail(item.id);
      return { item, responses, isFailed: true };
    }
  }

  /** Begins an item, or an attempt of a change set. Forgets the operations of an earlier attempt. */
  #begin(): void {
    this.#attempt = {};
    this.#urls.restart();
  }

  /** Returns the responses of a change set that failed. Operations that are not undone keep their URLs. */
  #failures(
    operations: readonly BatchOperation[],
    { operation: failed, cause, executed }: ChangeSetFailure,
  ): readonly OperationResponse[] {
    if (executed.length > 0) this.#urls.keep();
    this.#begin();
    const failure = this.#failure(failed, cause, failed?.id);
    for (const { id } of operations.slice(executed.length)) this.#urls.fail(id);
    if (!this.#settings.answersEach) return [failure];
    const others = operations.slice(executed.length).map((each) => {
      if (failed === null || each === failed) return { ...failure, id: each.id };
      return this.#failure(each, this.#settings.brokenReference(failed.id ?? ""));
    });
    return [...executed, ...others];
  }

  /** Executes the operations as one. */
  async #runTogether(operations: readonly BatchOperation[]): Promise<readonly OperationResponse[]> {
    const counts = new Map<BatchOperation, Counted>();
    const { total: named } = this.#named;
    const run: ChangeSetRun = {
      operations,
      context: this.#context,
      timeout: this.#settings.transactionTimeout,
      execute: (operation, part, together) => {
        if (part === null) return this.#execute(operation, null);
        const counted = { total: 0, bytes: 0 };
        counts.set(operation, counted);
        return this.#execute(operation, part, { counted, together }).then(({ again, ...response }) => {
          if (again === undefined) return response;
          // The new response takes the place of the first one.
          const anew = (): ReturnType<typeof again> => {
            Object.assign(counted, { total: 0, bytes: 0 });
            return again();
          };
          return { ...response, again: anew };
        });
      },
      restart: () => {
        this.#begin();
        counts.clear();
        this.#named.total = named;
      },
    };
    const plan = operations.length === 1 ? this.#planAlone(operations) : this.#plan(operations);
    if (plan === null) return runInSequence(run);
    await this.#pipeline.ready();
    const responses = await runAtomically(run, plan).catch(async (error: unknown) => {
      // A connection that is lost during the commit leaves it uncertain.
      await this.#pipeline.committed([]);
      throw error;
    });
    for (const { total, bytes } of counts.values()) {
      this.#counted.total += total;
      this.#counted.bytes += bytes;
    }
    return this.#pipeline.committed(responses);
  }

  /**
   * Plans the transaction of a change set; null if no operation needs one, or the service does not demand it.
   * @throws ChangeSetFailure for an operation without a route: nothing is executed
   */
  #plan(operations: readonly BatchOperation[]): AtomicPlan | null {
    const urls = this.#urls.planning();
    const planned = operations.map((operation) => this.#planOperation(operation, urls));
    try {
      return planChangeSet(planned, this.#pipeline.database);
    } catch (error) {
      if (this.#settings.isSequential) return null;
      throw error;
    }
  }

  /**
   * Plans the transaction of a change set with one operation, for handlers of the application that use it. Any other operation
   * is atomic by itself, and its own execution reports its faults.
   */
  #planAlone(operations: readonly BatchOperation[]): AtomicPlan | null {
    try {
      const plan = this.#plan(operations);
      return plan === null || plan.isRepeatable ? null : plan;
    } catch {
      return null;
    }
  }

  #planOperation(operation: BatchOperation, urls: BatchUrls): PlannedOperation {
    this.#current = this.#batch;
    try {
      const request = new PartRequest(this.#batch, operation, urls.targetOf(operation.url));
      this.#current = request;
      const planned = this.#pipeline.plan(request);
      urls.note(operation.id, planned.created ?? request.target);
      return planned;
    } catch (error) {
      throw new ChangeSetFailure(operation, error);
    }
  }

  /** @throws ChangeSetFailure for an operation that cannot be read, or that no change set may contain */
  #checkOperations(operations: readonly BatchOperation[]): void {
    for (const operation of operations) {
      const fault = operation.fault ?? readFault(operation) ?? this.#missingDependency(operation);
      if (fault !== undefined) throw new ChangeSetFailure(operation, fault);
    }
  }

  /** Returns the error of an operation that depends on a failed operation. */
  #missingDependency({ dependsOn }: BatchOperation): ODataError | undefined {
    const missing = dependsOn.find((id) => this.#urls.hasFailed(id));
    return missing === undefined ? undefined : this.#settings.brokenReference(missing);
  }

  async #execute(
    operation: BatchOperation,
    part: TransactionPart | null,
    { counted = this.#counted, together }: Partial<Pick<BatchScope, "counted" | "together">> = {},
  ): Promise<ODataResponse> {
    const attempt = this.#attempt;
    this.#current = this.#batch;
    if (operation.fault !== undefined) throw operation.fault;
    const request = new PartRequest(this.#batch, operation, this.#urls.targetOf(operation.url), this.#time);
    this.#current = request;
    const response = await this.#pipeline.answer(request, {
      transactionPart: part,
      instant: this.#instant,
      dereference: (text) => this.#urls.resolve(text),
      counted,
      named: this.#named,
      together,
    });
    const path = pathOf(request.target);
    const resource = withoutQuerySegment(path) ?? path;
    if (attempt === this.#attempt) this.#urls.note(operation.id, response.headers["Location"] ?? resource);
    return withContentId(operation, response);
  }

  #failure(operation: BatchOperation | null, error: unknown, contentId?: string): OperationResponse {
    const id = operation?.id;
    this.#urls.fail(id);
    return { id, response: withContentId(operation, this.#pipeline.fail(this.#current, error, contentId)) };
  }
}

/**
 * Repeats a Content-ID among the headers of the response, if the request has it among its own headers and not among those of
 * its part. Breeze searches it there.
 */
function withContentId(operation: BatchOperation | null, response: ODataResponse): ODataResponse {
  const id = operation?.id;
  if (id === undefined || operation?.headers.get("content-id") !== id) return response;
  return { ...response, headers: { ...response.headers, "Content-ID": id } };
}

/** The methods of a change set. @see OData Protocol 4.0, section 11.7.1 */
const WRITES: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH", "DELETE"]);

/** Returns the error for a read in a change set. */
function readFault({ method, url }: BatchOperation): ODataError | undefined {
  const isQuery = withoutQuerySegment(pathOf(url)) !== null;
  if (WRITES.has(method) && !isQuery) return undefined;
  return protocolError(
    "InvalidBody",
    `The change set contains a ${isQuery ? "$query" : method}, so nothing of it is executed. Send reads outside of change sets.`,
  );
}

function pathOf(url: string): string {
  const [path = ""] = url.split("?", 1);
  return path;
}
