import { setTimeout as sleep } from "node:timers/promises";
import type { Answer } from "../ask.ts";
import { seededRandom } from "../random.ts";
import { type Operation, MULTIPART, type ItemAnswer, readMultipart, toJsonBatch, toMultipart } from "./batch-text.ts";
import { SoakClient, type SoakRun } from "./client.ts";
import { differenceOf, type KnownOrder, type Ledger, type ReadOrder, WHOLE_ORDER } from "./ledger.ts";
import { sendMalformedBatch } from "./malformed-batches.ts";
import { drawLines, makeOrder, toBody } from "./order-bodies.ts";
import type { FixedReads } from "./readers.ts";
import { SOAK_PREFIX } from "./soak-model.ts";

const BATCH = `${SOAK_PREFIX}/$batch`;
const ORDERS = `${SOAK_PREFIX}/Orders`;
/** The client deletes orders in one change set when it has created so many. */
const MOST_ORDERS = 20;
/** Milliseconds between two batches. */
const PAUSE = 50;

/** Sends batches until the end: reads, change sets that succeed or are refused, and malformed ones. */
export async function runBatches(run: SoakRun, ledger: Ledger, reads: FixedReads, owner: number): Promise<void> {
  const sender = new BatchSender(run, ledger, reads, owner);
  while (!run.isOver()) {
    await sender.step();
    await sleep(PAUSE);
  }
  sender.client.close();
}

interface ParsedJson {
  readonly responses: ReadonlyArray<{ readonly id: string; readonly status: number; readonly body?: unknown }>;
}

class BatchSender {
  readonly client: SoakClient;
  readonly #ledger: Ledger;
  readonly #reads: FixedReads;
  readonly #owner: number;
  readonly #owned = new Map<number, KnownOrder>();
  #made = 0;

  constructor(run: SoakRun, ledger: Ledger, reads: FixedReads, owner: number) {
    this.client = new SoakClient(run, seededRandom(owner));
    this.#ledger = ledger;
    this.#reads = reads;
    this.#owner = owner;
  }

  async step(): Promise<void> {
    const drawn = this.client.random.below(100);
    if (this.#owned.size >= MOST_ORDERS) await this.#delete();
    else if (drawn < 35) await this.#read();
    else if (drawn < 45) await this.#readJson();
    else if (drawn < 65) await this.#create();
    else if (drawn < 75) await this.#createJson();
    else if (drawn < 88) await this.#createRefused();
    else await sendMalformedBatch(this.client);
  }

  /** Reads are the same bytes as alone. */
  async #read(): Promise<void> {
    const drawn = Array.from({ length: 1 + this.client.random.below(8) }, () =>
      this.#reads.drawPlain(this.client.random),
    );
    const items = drawn.map(({ path }): Operation => ({ method: "GET", url: SOAK_PREFIX + encodeURI(path) }));
    const answers = await this.#send("batch of reads", items);
    for (const [index, read] of drawn.entries()) {
      const [answer] = answers?.[index] ?? [];
      if (answer === undefined) continue;
      const fault = answer.status === 200 ? this.#reads.faultOf(read, answer) : `status ${String(answer.status)}`;
      if (fault !== null) this.client.violate("wrong response", `batch, ${read.path}: ${fault}`);
    }
  }

  async #readJson(): Promise<void> {
    const drawn = Array.from({ length: 4 }, () => this.#reads.drawPlain(this.client.random));
    const items = drawn.map(({ path }): Operation => ({ method: "GET", url: SOAK_PREFIX + encodeURI(path) }));
    const responses = await this.#sendJson("JSON batch of reads", toJsonBatch(items));
    for (const [index, { path }] of drawn.entries()) {
      const response = responses?.find(({ id }) => id === `${String(index)}.0`);
      if (responses !== null && response?.status !== 200) {
        this.client.violate("wrong response", `JSON batch, ${path}: ${JSON.stringify(response)}`);
      }
    }
  }

  /** Creates several orders and changes the first, in one change set; a read follows. */
  async #create(): Promise<void> {
    const { orders, changes } = this.#makeChanges();
    const count: Operation = { method: "GET", url: `${SOAK_PREFIX}/Products/$count` };
    const answers = await this.#send("change set", [changes, count]);
    const created = answers?.[0] ?? [];
    if (answers === null || created.some(({ status }) => status >= 300) || created.length !== changes.length) {
      if (answers !== null) this.client.violate("unexpected status", `change set: ${describe(created)}`);
      for (const order of orders) this.#ledger.doubt(order.Number, [order, null]);
      return;
    }
    for (const [index, order] of orders.entries()) {
      const place = index === 0 ? changes.length - 1 : index;
      this.#keep("change set", order, JSON.parse(created[place]?.body.toString() ?? "") as ReadOrder);
    }
  }

  async #createJson(): Promise<void> {
    const { orders, changes } = this.#makeChanges();
    const responses = await this.#sendJson("JSON change set", toJsonBatch([changes]));
    if (responses === null || responses.length !== changes.length || responses.some(({ status }) => status >= 300)) {
      if (responses !== null) this.client.violate("unexpected status", `JSON change set: ${JSON.stringify(responses)}`);
      for (const order of orders) this.#ledger.doubt(order.Number, [order, null]);
      return;
    }
    for (const [index, order] of orders.entries()) {
      const id = index === 0 ? "last" : String(1 + index);
      this.#keep("JSON change set", order, responses.find((each) => each.id === id)?.body as ReadOrder);
    }
  }

  /** The orders as the change set leaves them, and its operations: the last one changes the first order. */
  #makeChanges(): { readonly orders: readonly KnownOrder[]; readonly changes: readonly Operation[] } {
    const made = Array.from({ length: 1 + this.client.random.below(3) }, () => this.#makeOrder());
    const posts = made.map((order, index): Operation => ({
      method: "POST",
      url: ORDERS,
      id: String(1 + index),
      body: toBody(order),
    }));
    const Note = `by batch ${String(this.#made)}`;
    const patch: Operation = { method: "PATCH", url: "$1", id: "last", body: { Note } };
    return {
      orders: made.map((order, index) => (index === 0 ? { ...order, Note } : order)),
      changes: [...posts, patch],
    };
  }

  #makeOrder(): KnownOrder {
    this.#made += 1;
    const number = `b${String(this.#owner)}-${String(this.#made)}`;
    return { ...makeOrder(this.client.random, this.#owner, number, drawLines(this.client.random)), tags: [] };
  }

  /** The last operation fails, so none may have an effect. At the end no order may be unknown to the ledger. */
  async #createRefused(): Promise<void> {
    const { orders, changes } = this.#makeChanges();
    const url = this.client.random.below(2) === 0 ? `${ORDERS}(999999)` : "$1";
    const body = url === "$1" ? { Owner: "nobody" } : { Note: "x" };
    const expected = url === "$1" ? 400 : 404;
    const answers = await this.#send("refused change set", [[...changes, { method: "PATCH", url, body }]]);
    if (answers === null) return;
    const [answer, ...more] = answers[0] ?? [];
    if (answer?.status !== expected || more.length > 0) {
      this.client.violate("unexpected status", `refused change set: ${describe(answers[0] ?? [])}`);
    }
    const names = orders.map(({ Number: number }) => `Number eq '${number}'`).join(" or ");
    const found = await this.client.expect("after a refusal", 200, `${ORDERS}/$count?$filter=${encodeURI(names)}`);
    if (found !== null && found.body.toString() !== "0") {
      this.client.violate("half a change set", `${found.body.toString()} orders of ${names}`);
    }
  }

  /** Deletes all orders of this client in one change set, after it has read one of them. */
  async #delete(): Promise<void> {
    const [[first, order] = []] = this.#owned;
    const read = await this.client.expect("own write", 200, `${ORDERS}(${String(first)})?${WHOLE_ORDER}`);
    if (read !== null && order !== undefined) {
      this.#compare("own write", order, JSON.parse(read.body.toString()) as ReadOrder);
    }
    const owned = [...this.#owned];
    this.#owned.clear();
    const deletions = owned.map(([id]): Operation => ({ method: "DELETE", url: `${ORDERS}(${String(id)})` }));
    const answers = await this.#send("change set of deletions", [deletions]);
    const isDone = answers?.[0]?.length === owned.length && answers[0].every(({ status }) => status === 204);
    for (const [id, { Number: number, ...known }] of owned) {
      this.#ledger.delete(id);
      if (!isDone) this.#ledger.doubt(number, [{ ...known, Number: number }, null]);
    }
    if (answers !== null && !isDone) {
      this.client.violate("unexpected status", `change set of deletions: ${describe(answers[0] ?? [])}`);
    }
  }

  #keep(kind: string, order: KnownOrder, read: ReadOrder): void {
    this.#compare(kind, order, read);
    this.#owned.set(read.Id, order);
    this.#ledger.set(read.Id, order);
  }

  #compare(kind: string, order: KnownOrder, read: ReadOrder): void {
    const difference = differenceOf(order, read);
    if (difference !== null) this.client.violate("wrong response", `${kind}: ${difference}`);
  }

  /** @returns null after a violation: the response is wrong, or missing */
  async #send(kind: string, items: Parameters<typeof toMultipart>[0]): Promise<readonly ItemAnswer[] | null> {
    const asked = { method: "POST", body: toMultipart(items), headers: { "content-type": MULTIPART } } as const;
    const answer = await this.client.expect(kind, 200, BATCH, asked);
    if (answer === null) return null;
    return this.#parse(kind, answer, () => readMultipart(answer.body, answer.headers.get("content-type") ?? ""));
  }

  async #sendJson(kind: string, body: string): Promise<ParsedJson["responses"] | null> {
    const asked = { method: "POST", body, headers: { "content-type": "application/json" } } as const;
    const answer = await this.client.expect(kind, 200, BATCH, asked);
    if (answer === null) return null;
    return this.#parse(kind, answer, () => (JSON.parse(answer.body.toString()) as ParsedJson).responses);
  }

  #parse<T>(kind: string, { body }: Answer, parse: () => T): T | null {
    try {
      return parse();
    } catch (error) {
      this.client.violate("wrong response", `${kind}: ${String(error)} ${body.toString("utf8", 0, 300)}`);
      return null;
    }
  }
}

function describe(answers: ItemAnswer): string {
  return answers.map(({ status, body }) => `${String(status)} ${body.toString("utf8", 0, 200)}`).join("; ");
}
