import { CHANGED_MEANWHILE, DRAFT_PROPERTIES, etagOf, toAnswer } from "./limit-draft-answers.ts";
import { readBody, type LimitAnswer, type LimitRoutes } from "./limit-http.ts";
import { POSTGRES_ORDER_COLUMNS, type RunQuery } from "./limit-postgres-rows.ts";

const COLUMNS = `${POSTGRES_ORDER_COLUMNS}, version AS "Version"`;
const BY_KEY = { name: "draft", text: `SELECT ${COLUMNS} FROM drafts WHERE id = $1` };
const VERSION = { name: "draft-version", text: "SELECT version FROM drafts WHERE id = $1" };
const INSERT = {
  name: "insert-draft",
  text: `INSERT INTO drafts ("customerId", "orderDate", "shippedDate", status, freight, paid, "shipName", "shipCity",
    "shipRegion", "trackingId", note) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING ${COLUMNS}`,
};
const UPDATE = {
  name: "update-draft",
  text: `UPDATE drafts SET status = $1, freight = $2, note = $3, version = version + 1
    WHERE id = $4 AND version = $5 RETURNING ${COLUMNS}`,
};

type Given = Readonly<Record<string, unknown>>;

/** Creates, reads and changes drafts. A change runs two statements, any other request one. */
export function makePostgresDrafts(query: RunQuery): LimitRoutes["drafts"] {
  const change = async (id: number, ifMatch: string | undefined, root: string, given: Given): Promise<LimitAnswer> => {
    const version = (await query(VERSION, [id]))[0]?.["version"];
    if (version === undefined || etagOf(version) !== ifMatch) return CHANGED_MEANWHILE;
    const [changed] = await query(UPDATE, [given["Status"], given["Freight"], given["Note"], id, version]);
    return changed === undefined ? CHANGED_MEANWHILE : toAnswer(200, changed, root);
  };
  const create = async (given: Given, root: string): Promise<LimitAnswer> => {
    const [made] = await query(
      INSERT,
      DRAFT_PROPERTIES.map((name) => given[name] ?? null),
    );
    return toAnswer(201, made ?? {}, root);
  };
  const read = async (id: number, root: string): Promise<LimitAnswer> => {
    return toAnswer(200, (await query(BY_KEY, [id]))[0] ?? {}, root);
  };

  return (request, root, send) => {
    const fail = (error: unknown): void => send({ status: 500, text: String(error) });
    const target = request.url ?? "";
    const id = Number(target.slice(target.indexOf("(") + 1, -1));
    if (request.method === "GET") {
      read(id, root).then(send, fail);
      return;
    }
    readBody(request, (given: Given) => {
      const ifMatch = request.headers["if-match"];
      (request.method === "POST" ? create(given, root) : change(id, ifMatch, root, given)).then(send, fail);
    });
  };
}
