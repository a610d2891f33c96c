import { DatabaseSync } from "node:sqlite";
import { ask } from "../ask.ts";
import { type Ledger, type ReadOrder, WHOLE_ORDER } from "./ledger.ts";
import { SOAK_PREFIX } from "./soak-model.ts";

interface Page {
  readonly value: readonly ReadOrder[];
  readonly "@odata.nextLink"?: string;
}

/** Reads all orders and compares them with the acknowledged writes. @returns the faults */
export async function checkStored(port: number, ledger: Ledger): Promise<readonly string[]> {
  const orders: ReadOrder[] = [];
  let path: string | undefined = `${SOAK_PREFIX}/Orders?${WHOLE_ORDER}`;
  while (path !== undefined) {
    const page = await readPage(port, path);
    orders.push(...page.value);
    const next = page["@odata.nextLink"];
    path = next === undefined ? undefined : next.slice(next.indexOf(SOAK_PREFIX));
  }
  const lines = orders.reduce((sum, { Lines = [] }) => sum + Lines.length, 0);
  const counted = Number((await ask(port, `${SOAK_PREFIX}/Lines/$count`)).body.toString());
  const loose =
    counted === lines ? [] : [`${String(counted)} lines are stored, ${String(lines)} of them belong to orders`];
  return [...ledger.faultsOf(orders), ...loose];
}

async function readPage(port: number, path: string): Promise<Page> {
  const { status, body } = await ask(port, path);
  if (status !== 200) throw new Error(`GET ${path}: ${String(status)} ${body.toString()}`);
  return JSON.parse(body.toString()) as Page;
}

/** Checks a SQLite file with SQLite itself. @returns the faults */
export function checkFile(file: string): readonly string[] {
  const database = new DatabaseSync(file, { readOnly: true });
  const [found] = database.prepare("pragma integrity_check").all();
  const loose = database.prepare("pragma foreign_key_check").all();
  database.close();
  const integrity = found?.["integrity_check"] === "ok" ? [] : [`integrity_check: ${JSON.stringify(found)}`];
  return loose.length === 0 ? integrity : [...integrity, `foreign_key_check: ${JSON.stringify(loose[0])}`];
}
