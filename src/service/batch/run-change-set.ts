import { isODataError, type ODataError, protocolError } from "../../base/errors/odata-error.ts";
import { Turn } from "../../base/maybe.ts";
import type { RuleContext } from "../../definition/context.ts";
import type { EntitySetDefinition } from "../../definition/model/service-definition.ts";
import type { TransactionalDatabase } from "../../definition/sets/transactional-database.ts";
import { BIND } from "../../edm/key-holder.ts";
import type { ODataResponse } from "../../http/odata-response.ts";
import { CommitUnit } from "../sets/commit-unit.ts";
import { GatheredCreates } from "../sets/gathered-creates.ts";
import { lateTransaction, OpenTransaction, TransactionPart, TransactionTime } from "../sets/transaction-part.ts";
import type { BatchOperation, PlannedOperation } from "./batch-request.ts";
import { chunksOf, type OperationResponse } from "./write-multipart.ts";

/** How a change set executes its operations. */
export interface ChangeSetRun {
  readonly operations: readonly BatchOperation[];
  /** Executes one operation. @throws any error of the operation */
  readonly execute: (
    operation: BatchOperation,
    part: TransactionPart | null,
    together?: GatheredCreates<ODataResponse>,
  ) => Promise<ODataResponse>;
  /** Forgets the operations that an earlier attempt executed. */
  readonly restart: () => void;
  readonly context: RuleContext;
  /** The milliseconds that its transaction may take, which may hold locks that others wait for; null for no limit. */
  readonly timeout: number | null;
}

/** The error of a change set, and the operation that failed; null for the end of the transaction. */
export class ChangeSetFailure extends Error {
  readonly operation: BatchOperation | null;
  /** The responses of earlier operations that are not undone. */
  readonly executed: readonly OperationResponse[];

  constructor(operation: BatchOperation | null, cause: unknown, executed: readonly OperationResponse[] = []) {
    super("An operation of a change set failed.", { cause });
    this.operation = operation;
    this.executed = executed;
  }
}

/**
 * Executes operations as one transaction. After a conflict with another transaction they are executed again, unless a
 * handler of the application has run.
 * @throws ChangeSetFailure after all changes are undone
 * @see OData Protocol 4.0, section 11.7.1
 */
export async function runAtomically(run: ChangeSetRun, plan: AtomicPlan): Promise<readonly OperationResponse[]> {
  const { operations, restart, context, timeout } = run;
  const { database, isRepeatable } = plan;
  let unit = new CommitUnit();
  let attempt: Attempt | null = null;
  let { gathered } = plan;
  const time = new TransactionTime(timeout);
  const work = async (transaction: unknown): Promise<readonly OperationResponse[]> => {
    restart();
    unit = new CommitUnit();
    const whole = new OpenTransaction(database, transaction);
    const running = new Attempt(run, { ...plan, gathered }, whole, unit);
    attempt = running;
    try {
      const late = (after: number): ODataError =>
        lateTransaction(after, "changes", whole.running ?? nameOf(running.current ?? operations.at(-1)));
      return await time.limit(() => running.execute(transaction), late);
    } finally {
      whole.end();
    }
  };
  try {
    const transact = (): ReturnType<typeof work> => database.transact(work, context, { isRepeatable, timeout });
    const responses = await transact().catch((error: unknown) => {
      if (!isRepeatable || !hasEndedTogether(attempt)) throw error;
      // One by one, the operation at fault has its error.
      gathered = [];
      return transact();
    });
    unit.commit();
    return responses;
  } catch (error) {
    throw new ChangeSetFailure(operationOf(attempt), error);
  }
}

/** Returns the operation in which an attempt has ended; null for none. */
function operationOf(attempt: Attempt | null): BatchOperation | null {
  return attempt?.current ?? null;
}

function hasEndedTogether(attempt: Attempt | null): boolean {
  return attempt?.hasEndedTogether === true;
}

/** An operation that has been executed. */
interface Executed {
  readonly operation: BatchOperation;
  readonly part: TransactionPart;
  readonly response: ODataResponse;
  /** Whether later operations leave the entity of the response as it is. */
  readonly isLeft: boolean;
}

/** One attempt to execute a change set in a transaction. */
class Attempt {
  readonly #run: ChangeSetRun;
  readonly #plan: AtomicPlan;
  readonly #whole: OpenTransaction;
  readonly #unit: CommitUnit;
  readonly #turn = new Turn();
  /** The operation in execution; null for the end of the transaction, which belongs to none. */
  current: BatchOperation | null = null;
  /** Whether the database has rolled back the whole transaction because of an error of operations that were executed together. */
  hasEndedTogether = false;

  constructor(run: ChangeSetRun, plan: AtomicPlan, whole: OpenTransaction, unit: CommitUnit) {
    this.#run = run;
    this.#plan = plan;
    this.#whole = whole;
    this.#unit = unit;
  }

  async execute(transaction: unknown): Promise<readonly OperationResponse[]> {
    const { database, gathered } = this.#plan;
    const { operations, context } = this.#run;
    const executed: Executed[] = [];
    for (const group of groupsOf(operations, gathered)) {
      executed.push(...((await this.#executeTogether(group)) ?? (await this.#executeEach(group.operations))));
    }
    this.current = null;
    const defers = await database.defers(context);
    if (defers) await database.settle(transaction);
    const responses: OperationResponse[] = [];
    for (const [index, each] of executed.entries()) {
      const isLeft = !defers && (each.isLeft || index === executed.length - 1);
      responses.push({ id: each.operation.id, response: isLeft ? each.response : await this.#readAgain(each) });
    }
    this.current = null;
    return responses;
  }

  async #executeEach(operations: readonly BatchOperation[]): Promise<readonly Executed[]> {
    const executed: Executed[] = [];
    for (const operation of operations) {
      this.current = operation;
      // After the timeout, nothing more is executed.
      this.#whole.checkOpen();
      const part = new TransactionPart(this.#whole, this.#unit);
      const made = await part.enclose(() => this.#run.execute(operation, part));
      executed.push({ operation, part, response: await completed(made, this.#turn), isLeft: false });
      if (this.#turn.isOver) await this.#turn.next();
    }
    return executed;
  }

  /**
   * Executes operations that each create an entity of one set, and writes these entities together.
   * @returns null, after everything is undone, if the operations have to be executed one by one: each then has its own error
   */
  async #executeTogether({ operations, set, isLast }: Group): Promise<readonly Executed[] | null> {
    if (set === null || operations.length === 1) return null;
    const whole = this.#whole;
    const { database } = whole;
    const unit = new CommitUnit();
    const gathered = new GatheredCreates<ODataResponse>(set, whole);
    const parts = operations.map(() => new TransactionPart(whole, unit, true));
    const execute = async (): Promise<readonly Executed[]> => {
      for (const [index, part] of parts.entries()) {
        const operation = operations[index];
        if (operation === undefined) continue;
        this.current = operation;
        await gathered.begin(() => part.enclose(() => this.#run.execute(operation, part, gathered)));
        if (this.#turn.isOver) await this.#turn.next();
      }
      // Its errors may be those of any of the operations.
      this.current = null;
      const executed: Executed[] = [];
      for (const [index, made] of (await gathered.write()).entries()) {
        const [operation, part] = [operations[index], parts[index]];
        if (operation === undefined || part === undefined) continue;
        this.current = operation;
        const response = await completed(await made(), this.#turn);
        executed.push({ operation, part, response, isLeft: isLast && gathered.leavesRows });
        if (this.#turn.isOver) await this.#turn.next();
      }
      return executed;
    };
    let isEnded = false;
    const end = (): void => void (isEnded = true);
    try {
      const executed = await database.attempt(whole.transaction, "creates", () => gathered.enclose(execute), end);
      unit.joinTo(this.#unit);
      return executed;
    } catch (error) {
      whole.checkKept();
      // A write whose connection was lost does not run again.
      if (database.isLost(error) || (isODataError(error) && error.status >= 500)) throw error;
      if (!isEnded) return null;
      this.hasEndedTogether = true;
      throw error;
    }
  }

  /** Returns a response with its entity as the change set leaves it: each operation may have changed entities of earlier ones. */
  async #readAgain({ operation, part, response }: Executed): Promise<ODataResponse> {
    const { again } = response;
    if (again === undefined) return response;
    this.current = operation;
    const made = await completed(await part.enclose(again), this.#turn);
    if (this.#turn.isOver) await this.#turn.next();
    return asLeft(response, made);
  }
}

/** Consecutive operations that are executed in the same way. */
interface Group {
  readonly operations: readonly BatchOperation[];
  /** The set in which each of them creates an entity; null for any other operation, which is alone. */
  readonly set: EntitySetDefinition | null;
  /** Whether no operation follows. */
  readonly isLast: boolean;
}

/** The header of an operation that rules may read: the others concern its representation. */
const LANGUAGE = "accept-language";

function groupsOf(operations: readonly BatchOperation[], gathered: AtomicPlan["gathered"]): readonly Group[] {
  const groups: Array<{ operations: BatchOperation[]; set: Group["set"] }> = [];
  for (const [index, operation] of operations.entries()) {
    const found = gathered[index] ?? null;
    const set = found !== null && statesLinks(operation) ? null : found;
    const open = groups.at(-1);
    const language = open?.operations[0]?.headers.get(LANGUAGE);
    const isSame = set !== null && open?.set === set && language === operation.headers.get(LANGUAGE);
    if (open !== undefined && isSame) open.operations.push(operation);
    else groups.push({ operations: [operation], set });
  }
  return groups.map((group, index) => ({ ...group, isLast: index === groups.length - 1 }));
}

/** Whether a body may link to existing entities: it may name those that earlier operations of the change set create. */
function statesLinks({ body }: BatchOperation): boolean {
  return body.length > 0 && new TextDecoder().decode(body).includes(BIND);
}

/** Returns a response with the entity, and its ETag, as the change set leaves them. */
function asLeft(response: ODataResponse, { headers: { ETag: etag }, body }: ODataResponse): ODataResponse {
  return { ...response, body, headers: { ...response.headers, ...(etag !== undefined && { ETag: etag }) } };
}

/** Returns the name of an operation for the log: without the query, because filters contain the data of users. */
function nameOf(operation: BatchOperation | undefined): string {
  return operation === undefined ? "the change set" : `${operation.method} ${operation.url.replace(/\?.*$/su, "")}`;
}

/**
 * Executes operations one after another, without a transaction, up to the first that fails.
 * @throws ChangeSetFailure with the operation that failed; the earlier ones remain executed
 */
export async function runInSequence({ operations, execute }: ChangeSetRun): Promise<readonly OperationResponse[]> {
  const responses: OperationResponse[] = [];
  const turn = new Turn();
  for (const operation of operations) {
    try {
      const response = await execute(operation, null);
      responses.push({ id: operation.id, response: await completed(response, turn) });
      if (turn.isOver) await turn.next();
    } catch (error) {
      throw new ChangeSetFailure(operation, error, responses);
    }
  }
  return responses;
}

/** Reads the body of a response to its end, while its transaction is open. Pauses for other requests. */
async function completed(response: ODataResponse, turn: Turn): Promise<ODataResponse> {
  const { body } = response;
  if (body === null || typeof body === "string" || body instanceof Uint8Array) return response;
  const chunks: Array<string | Uint8Array> = [];
  for await (const chunk of chunksOf(body)) {
    chunks.push(chunk);
    if (turn.isOver) await turn.next();
  }
  return { ...response, body: chunks };
}

/** How the operations of a change set become one. */
export interface AtomicPlan {
  /** The database of their transaction. */
  readonly database: TransactionalDatabase;
  /** Whether no handler of the application runs, so that the transaction may be repeated after a conflict. */
  readonly isRepeatable: boolean;
  /** For each operation the set in which it creates an entity that may be written with those of its neighbours; else null. */
  readonly gathered: ReadonlyArray<EntitySetDefinition | null>;
}

/**
 * Decides whether the operations of a change set can succeed or fail together: tables of one database, and handlers of the
 * application that use its transaction.
 * @param planned the operations of the change set
 * @param only the only database of the service, for change sets without a table
 * @throws ODataError `NotImplemented` that names the set that cannot take part
 * @see OData Protocol 4.0, section 11.7.1; docs/reference/batch.md
 */
export function planChangeSet(
  planned: readonly PlannedOperation[],
  only: TransactionalDatabase | null,
): AtomicPlan | null {
  const writes = planned.flatMap((each) => each.writes);
  const joined = new Map<object, JoinedDatabase>();
  for (const { name, database, by } of writes) {
    if (by === "handler") throw cannotJoin(name);
    if (database !== undefined && !joined.has(database.instance)) joined.set(database.instance, { name, database });
  }
  const [home, other] = joined.values();
  if (home !== undefined && other !== undefined) throw severalDatabases(home.name, other.name);
  const [first] = writes;
  if (first === undefined) return null;
  const database = home?.database ?? only;
  if (database === null) throw withoutDatabase(first.name);
  return {
    database,
    isRepeatable: writes.every(({ by }) => by === "table"),
    gathered: planned.map((each) => each.gathered),
  };
}

/** A database, and a set of it. */
interface JoinedDatabase {
  readonly name: string;
  readonly database: TransactionalDatabase;
}

function cannotJoin(name: string): ODataError {
  return protocolError(
    "NotImplemented",
    `The change set cannot be executed as one: the handlers of ${name} do not take part in transactions. Send the operation outside of a change set.`,
  );
}

function severalDatabases(name: string, other: string): ODataError {
  return protocolError(
    "NotImplemented",
    `The change set cannot be executed as one: ${name} and ${other} are in different databases. Send one change set for each database.`,
  );
}

function withoutDatabase(name: string): ODataError {
  return protocolError(
    "NotImplemented",
    `The change set cannot be executed as one: it contains no set of a database whose transaction ${name} can use. Send the operations outside of a change set.`,
  );
}
