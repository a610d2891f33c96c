import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { CHANGED_MEANWHILE, DRAFT_PROPERTIES, etagOf, toAnswer } from "./limit-draft-answers.ts";
import { readBody, type LimitAnswer, type LimitRoutes } from "./limit-http.ts";
import { ORDER_COLUMNS, withBooleans } from "./limit-rows.ts";

const COLUMNS = `${ORDER_COLUMNS}, version AS Version`;

/** Creates, reads and changes drafts. A change runs two statements, any other request one. */
export function makeDrafts(database: DatabaseSync): LimitRoutes["drafts"] {
  const byKey = database.prepare(`SELECT ${COLUMNS} FROM drafts WHERE id = ?`);
  const versionOf = database.prepare("SELECT version FROM drafts WHERE id = ?");
  const insert = database.prepare(`INSERT INTO drafts (customerId, orderDate, shippedDate, status, freight, paid,
    shipName, shipCity, shipRegion, trackingId, note) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING ${COLUMNS}`);
  const update = database.prepare(`UPDATE drafts SET status = ?, freight = ?, note = ?, version = version + 1
    WHERE id = ? AND version = ? RETURNING ${COLUMNS}`);

  const change = (id: number, ifMatch: string | undefined, root: string, given: Given): LimitAnswer => {
    const version = versionOf.get(id)?.["version"];
    if (version === undefined || etagOf(version) !== ifMatch) return CHANGED_MEANWHILE;
    const [status, freight, note] = [given["Status"] ?? null, given["Freight"] ?? null, given["Note"] ?? null];
    const changed = withBooleans(update.get(status, freight, note, id, version), "Paid");
    return changed === null ? CHANGED_MEANWHILE : toAnswer(200, changed, root);
  };
  const create = (given: Given, root: string): LimitAnswer => {
    const values = DRAFT_PROPERTIES.map((name) => given[name] ?? null).map((value) =>
      typeof value === "boolean" ? Number(value) : value,
    );
    return toAnswer(201, withBooleans(insert.get(...values), "Paid") ?? {}, root);
  };

  return (request, root, send) => {
    const target = request.url ?? "";
    const id = Number(target.slice(target.indexOf("(") + 1, -1));
    if (request.method === "GET") {
      send(toAnswer(200, withBooleans(byKey.get(id), "Paid") ?? {}, root));
      return;
    }
    readBody<SQLInputValue>(request, (given) => {
      send(request.method === "POST" ? create(given, root) : change(id, request.headers["if-match"], root, given));
    });
  };
}

/** The members of a body. */
type Given = Readonly<Record<string, SQLInputValue>>;
