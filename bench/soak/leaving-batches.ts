import { setTimeout as sleep } from "node:timers/promises";
import { seededRandom } from "../random.ts";
import { MULTIPART, type Operation, toMultipart } from "./batch-text.ts";
import { SoakClient, type SoakRun } from "./client.ts";
import { differenceOf, type KnownOrder, type Ledger, type ReadOrder, WHOLE_ORDER } from "./ledger.ts";
import { drawLines, makeOrder, toBody } from "./order-bodies.ts";
import { writeAndLeave } from "./rude-clients.ts";
import { SOAK_PREFIX } from "./soak-model.ts";

const ORDERS = `${SOAK_PREFIX}/Orders`;
/** So many batches are interrupted before their outcomes are read. */
const AT_ONCE = 10;
/** Milliseconds in which most batches end. */
const SETTLED = 1000;

/** Leaves in the middle of batches. Of each change set all orders must exist, or none. */
export async function runLeavingBatches(run: SoakRun, ledger: Ledger, owner: number): Promise<void> {
  const client = new SoakClient(run, seededRandom(owner));
  let made = 0;
  const make = (): KnownOrder => {
    made += 1;
    const number = `l${String(owner)}-${String(made)}`;
    return { ...makeOrder(client.random, owner, number, drawLines(client.random)), tags: [] };
  };
  while (!run.isOver()) {
    const sets: Array<readonly KnownOrder[]> = [];
    while (sets.length < 2 * AT_ONCE && !run.isOver()) {
      const [first, second, alone] = [[make(), make()], [make(), make(), make()], make()];
      const items = [
        first.map(post),
        post(alone),
        { method: "GET", url: `${SOAK_PREFIX}/Products?$top=50` },
        second.map(post),
      ] as const;
      for (const order of [...first, ...second, alone]) ledger.doubt(order.Number, [order, null]);
      await writeAndLeave(run, `POST ${SOAK_PREFIX}/$batch HTTP/1.1`, toMultipart(items), client.random, MULTIPART);
      run.tally.record("left in a batch", "left", 0.01);
      sets.push(first, second, [alone]);
    }
    await sleep(SETTLED);
    // The server may be about to end a connection that was idle for so long.
    client.close();
    // At the end the doubts remain, and the whole database is compared with them.
    if (!run.isOver()) for (const set of sets) await settle(client, ledger, set);
  }
  client.close();
}

function post(order: KnownOrder): Operation {
  return { method: "POST", url: ORDERS, body: toBody(order) };
}

/** Reads the outcome of a change set, and deletes its orders. */
async function settle(client: SoakClient, ledger: Ledger, set: readonly KnownOrder[]): Promise<void> {
  const names = set.map(({ Number: number }) => `Number eq '${number}'`).join(" or ");
  const answer = await client.expect("outcome", 200, `${ORDERS}?$filter=${encodeURI(names)}&${WHOLE_ORDER}`);
  if (answer === null) return;
  const { value } = JSON.parse(answer.body.toString()) as { readonly value: readonly ReadOrder[] };
  const isHalf = value.length > 0 && value.length < set.length;
  const isWrong = value.some((read) => set.every((order) => differenceOf(order, read) !== null));
  if (isHalf || isWrong) client.violate("half a change set", `${names}: ${JSON.stringify(value)}`);
  for (const { Id, Number: number } of value) {
    await client.expect("DELETE", 204, `${ORDERS}(${String(Id)})`, { method: "DELETE" });
    ledger.settle(number);
  }
}
