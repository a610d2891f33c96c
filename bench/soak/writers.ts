import type { Answer } from "../ask.ts";
import { seededRandom } from "../random.ts";
import { SoakClient, withBody, type SoakRun } from "./client.ts";
import { differenceOf, type KnownOrder, type Ledger, type ReadOrder, WHOLE_ORDER } from "./ledger.ts";
import { drawLines, makeOrder, makeValues, toBody } from "./order-bodies.ts";
import { FIXED_ROWS, SHARED_ORDERS, SOAK_PREFIX } from "./soak-model.ts";

/** Each writer deletes an order before it creates one more than these. */
const MOST_ORDERS = 50;
const ORDERS = `${SOAK_PREFIX}/Orders`;

/** Writes without a pause until the end. All orders of an owner belong to one writer, so it knows each of their values. */
export async function runWriter(run: SoakRun, ledger: Ledger, owner: number): Promise<void> {
  const writer = new Writer(run, ledger, owner);
  while (!run.isOver()) await writer.step();
  writer.client.close();
}

interface Owned {
  readonly id: number;
  order: KnownOrder;
  etag: string;
}

class Writer {
  readonly client: SoakClient;
  readonly #ledger: Ledger;
  readonly #owner: number;
  readonly #owned: Owned[] = [];
  #made = 0;

  constructor(run: SoakRun, ledger: Ledger, owner: number) {
    this.client = new SoakClient(run, seededRandom(owner));
    this.#ledger = ledger;
    this.#owner = owner;
  }

  async step(): Promise<void> {
    const drawn = this.client.random.below(100);
    const owned = this.#owned[this.client.random.below(this.#owned.length)];
    if (this.#owned.length >= MOST_ORDERS) await this.#delete(this.client.random.below(this.#owned.length));
    else if (owned === undefined || drawn < 15) await this.#create(0);
    else if (drawn < 27) await this.#create(drawLines(this.client.random));
    else if (drawn < 55) await this.#patch(owned);
    else if (drawn < 60) await this.#replace(owned);
    else if (drawn < 65) await this.#setNote(owned);
    else if (drawn < 75) await this.#link(owned);
    else if (drawn < 85) await this.#changeShared(1 + this.client.random.below(SHARED_ORDERS));
    else await this.#read(owned);
  }

  async #create(lines: number): Promise<void> {
    this.#made += 1;
    const order = {
      ...makeOrder(this.client.random, this.#owner, `w${String(this.#owner)}-${String(this.#made)}`, lines),
      tags: [],
    };
    const answer = await this.client.expect(
      lines === 0 ? "POST" : "POST deep",
      201,
      ORDERS,
      withBody("POST", toBody(order)),
    );
    if (answer === null) return this.#ledger.doubt(order.Number, [order, null]);
    const made = this.#compare("POST", order, answer);
    const owned = { id: made.Id, order, etag: made["@odata.etag"] };
    this.#owned.push(owned);
    this.#ledger.set(owned.id, order);
  }

  async #patch(owned: Owned): Promise<void> {
    const order = { ...owned.order, ...makeValues(this.client.random) };
    const body = { CustomerId: order.CustomerId, Total: order.Total, Note: order.Note };
    await this.#change("PATCH", owned, order, withBody("PATCH", body, { "if-match": owned.etag }));
  }

  async #replace(owned: Owned): Promise<void> {
    const order = { ...owned.order, ...makeValues(this.client.random) };
    const { lines: _lines, tags: _tags, ...body } = order;
    await this.#change("PUT", owned, order, withBody("PUT", body, { "if-match": owned.etag }));
  }

  async #change(kind: string, owned: Owned, order: KnownOrder, asked: ReturnType<typeof withBody>): Promise<void> {
    const answer = await this.client.expect(kind, 200, keyOf(owned.id), asked);
    if (answer === null) return this.#lose(owned, [owned.order, order]);
    owned.etag = this.#compare(kind, order, answer)["@odata.etag"];
    this.#keep(owned, order);
  }

  async #setNote(owned: Owned): Promise<void> {
    const order = { ...owned.order, Note: `${owned.order.Number} ${String(this.client.random.below(1000))}` };
    const asked = withBody("PUT", { value: order.Note }, { "if-match": owned.etag });
    const answer = await this.client.expect("PUT property", 204, `${keyOf(owned.id)}/Note`, asked);
    if (answer === null) return this.#lose(owned, [owned.order, order]);
    owned.etag = answer.headers.get("etag") ?? "";
    this.#keep(owned, order);
  }

  /** Adds a link to a tag, or removes it. */
  async #link(owned: Owned): Promise<void> {
    const tag = `tag${String(1 + this.client.random.below(FIXED_ROWS.tags))}`;
    const has = owned.order.tags.includes(tag);
    const tags = has ? owned.order.tags.filter((each) => each !== tag) : [...owned.order.tags, tag].toSorted();
    const path = `${keyOf(owned.id)}/Tags/$ref`;
    const id = `http://bench.example${SOAK_PREFIX}/Tags('${tag}')`;
    const answer = has
      ? await this.client.expect("DELETE link", 204, `${path}?$id=${encodeURIComponent(id)}`, { method: "DELETE" })
      : await this.client.expect("POST link", 204, path, withBody("POST", { "@odata.id": id }));
    const order = { ...owned.order, tags };
    if (answer === null) this.#lose(owned, [owned.order, order]);
    else this.#keep(owned, order);
  }

  async #delete(place: number): Promise<void> {
    const [owned] = this.#owned.splice(place, 1);
    if (owned === undefined) return;
    const asked = { method: "DELETE", headers: { "if-match": owned.etag } } as const;
    const answer = await this.client.expect("DELETE", 204, keyOf(owned.id), asked);
    this.#ledger.delete(owned.id);
    if (answer === null) this.#ledger.doubt(owned.order.Number, [owned.order, null]);
  }

  /** Changes an order that others change too: of two changes of one version, only one may succeed. */
  async #changeShared(id: number): Promise<void> {
    const read = await this.client.expect("key", 200, keyOf(id));
    if (read === null) return;
    const asked = withBody(
      "PATCH",
      { Note: `by ${String(this.#owner)}` },
      { "if-match": read.headers.get("etag") ?? "" },
    );
    const answer = await this.client.send("PATCH shared", keyOf(id), asked);
    if (answer === null || answer.status === 412) return;
    const text = answer.body.toString();
    if (answer.status !== 200) {
      return this.client.violate("unexpected status", `PATCH of a shared order: ${String(answer.status)} ${text}`);
    }
    const { Version } = JSON.parse(text) as ReadOrder;
    const isNew = this.#ledger.share(id, Version);
    if (!isNew) this.client.violate("lost update", `order ${String(id)}, version ${String(Version)}`);
  }

  async #read(owned: Owned): Promise<void> {
    const answer = await this.client.expect("own write", 200, `${keyOf(owned.id)}?${WHOLE_ORDER}`);
    if (answer !== null) this.#compare("own write", owned.order, answer);
  }

  #keep(owned: Owned, order: KnownOrder): void {
    Object.assign(owned, { order });
    this.#ledger.set(owned.id, order);
  }

  /** Stops to use an order whose state is unknown, because the response was not the expected one. */
  #lose(owned: Owned, states: readonly KnownOrder[]): void {
    this.#owned.splice(this.#owned.indexOf(owned), 1);
    this.#ledger.delete(owned.id);
    this.#ledger.doubt(owned.order.Number, states);
  }

  #compare(kind: string, order: KnownOrder, { body }: Answer): ReadOrder {
    const read = JSON.parse(body.toString()) as ReadOrder;
    const difference = differenceOf(order, read);
    if (difference !== null) this.client.violate("wrong response", `${kind}: ${difference}`);
    return read;
  }
}

function keyOf(id: number): string {
  return `${ORDERS}(${String(id)})`;
}
