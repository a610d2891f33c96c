import { setTimeout as sleep } from "node:timers/promises";
import { seededRandom } from "../random.ts";
import { SoakClient, type SoakRun, withBody } from "./client.ts";
import { differenceOf, type KnownOrder, type Ledger, type ReadOrder, WHOLE_ORDER } from "./ledger.ts";
import { drawLines, makeOrder, toBody } from "./order-bodies.ts";
import { writeAndLeave } from "./rude-clients.ts";
import { SOAK_PREFIX } from "./soak-model.ts";

/** So many writes are interrupted before their outcomes are read. */
const BATCH = 20;
/** Milliseconds in which most writes end. */
const SETTLED = 1000;
const ORDERS = `${SOAK_PREFIX}/Orders`;

/** One interrupted write. */
interface Interrupted {
  readonly number: string;
  readonly states: ReadonlyArray<KnownOrder | null>;
}

/** Leaves in the middle of writes. Each one must have happened as a whole or not at all. */
export async function runLeavingWriter(run: SoakRun, ledger: Ledger, owner: number): Promise<void> {
  const client = new SoakClient(run, seededRandom(owner));
  let made = 0;
  while (!run.isOver()) {
    const batch: Interrupted[] = [];
    while (batch.length < BATCH && !run.isOver()) {
      made += 1;
      const order = {
        ...makeOrder(client.random, owner, `a${String(owner)}-${String(made)}`, drawLines(client.random)),
        tags: [],
      };
      const states = await interrupt(client, order);
      if (states === null) continue;
      batch.push({ number: order.Number, states });
      ledger.doubt(order.Number, states);
      run.tally.record("left while writing", "left", 0.01);
    }
    await sleep(SETTLED);
    // The server may be about to end a connection that was idle for so long.
    client.close();
    // At the end the doubts remain, and the whole database is compared with them.
    if (!run.isOver()) for (const each of batch) await settle(client, ledger, each);
  }
  client.close();
}

/** Interrupts a write. @returns the states that the order may have afterwards */
async function interrupt(client: SoakClient, order: KnownOrder): Promise<ReadonlyArray<KnownOrder | null> | null> {
  const { run, random } = client;
  if (random.below(2) === 0) {
    await writeAndLeave(run, `POST ${ORDERS} HTTP/1.1`, JSON.stringify(toBody(order)), random);
    return [order, null];
  }
  const answer = await client.expect("POST deep", 201, ORDERS, withBody("POST", toBody(order)));
  if (answer === null) return [order, null];
  const { Id } = JSON.parse(answer.body.toString()) as ReadOrder;
  const path = `${ORDERS}(${String(Id)})`;
  if (random.below(3) === 0) {
    await writeAndLeave(run, `DELETE ${path} HTTP/1.1`, "{}", random);
    return [order, null];
  }
  const Note = "changed";
  await writeAndLeave(run, `PATCH ${path} HTTP/1.1`, JSON.stringify({ Note }), random);
  return [order, { ...order, Note }];
}

/** Reads the outcome of an interrupted write, and deletes the order. */
async function settle(client: SoakClient, ledger: Ledger, { number, states }: Interrupted): Promise<void> {
  const query = `?$filter=Number%20eq%20'${number}'&${WHOLE_ORDER}`;
  const answer = await client.expect("outcome", 200, ORDERS + query);
  if (answer === null) return;
  const { value } = JSON.parse(answer.body.toString()) as { readonly value: readonly ReadOrder[] };
  const [found] = value;
  const isPossible =
    found === undefined
      ? states.includes(null)
      : states.some((state) => state !== null && differenceOf(state, found) === null);
  if (!isPossible || value.length > 1) {
    client.violate("half a write", `${number} is ${JSON.stringify(value)}, expected one of ${JSON.stringify(states)}`);
  }
  // A write that has not happened yet may still happen: a busy server accepts connections late.
  if (found === undefined) return;
  await client.expect("DELETE", 204, `${ORDERS}(${String(found.Id)})`, { method: "DELETE" });
  ledger.settle(number);
}
