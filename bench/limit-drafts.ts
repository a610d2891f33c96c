import { hash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { ORDER_COLUMNS, withBooleans, type LimitAnswer, type LimitRow } from "./limit-rows.ts";

/** Handles requests for drafts. */
export type AnswerDrafts = (request: IncomingMessage, root: string, answer: (made: LimitAnswer) => void) => void;

const COLUMNS = `${ORDER_COLUMNS}, version AS Version`;

/** Creates, reads and changes drafts. A change runs two statements, any other request one. */
export function makeDrafts(database: DatabaseSync): AnswerDrafts {
  const byKey = database.prepare(`SELECT ${COLUMNS} FROM drafts WHERE id = ?`);
  const versionOf = database.prepare("SELECT version FROM drafts WHERE id = ?");
  const insert = database.prepare(`INSERT INTO drafts (customerId, orderDate, shippedDate, status, freight, paid,
    shipName, shipCity, shipRegion, trackingId, note) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING ${COLUMNS}`);
  const update = database.prepare(`UPDATE drafts SET status = ?, freight = ?, note = ?, version = version + 1
    WHERE id = ? AND version = ? RETURNING ${COLUMNS}`);

  const change = (id: number, ifMatch: string | undefined, root: string, given: Given): LimitAnswer => {
    const version = versionOf.get(id)?.["version"];
    if (version === undefined || etagOf(version) !== ifMatch) return { status: 412, text: "" };
    const [status, freight, note] = [given["Status"] ?? null, given["Freight"] ?? null, given["Note"] ?? null];
    const changed = withBooleans(update.get(status, freight, note, id, version), "Paid");
    return changed === null ? { status: 412, text: "" } : toAnswer(200, changed, root);
  };
  const create = (given: Given, root: string): LimitAnswer => {
    const values = PROPERTIES.map((name) => given[name] ?? null).map((value) =>
      typeof value === "boolean" ? Number(value) : value,
    );
    return toAnswer(201, withBooleans(insert.get(...values), "Paid") ?? {}, root);
  };

  return (request, root, answer) => {
    const target = request.url ?? "";
    const id = Number(target.slice(target.indexOf("(") + 1, -1));
    if (request.method === "GET") {
      answer(toAnswer(200, withBooleans(byKey.get(id), "Paid") ?? {}, root));
      return;
    }
    readBody(request, (given) => {
      answer(request.method === "POST" ? create(given, root) : change(id, request.headers["if-match"], root, given));
    });
  };
}

/** The members of a body. */
type Given = Readonly<Record<string, SQLInputValue>>;

/** In the order of the INSERT statement. */
const PROPERTIES: readonly string[] = [
  "CustomerId",
  "OrderDate",
  "ShippedDate",
  "Status",
  "Freight",
  "Paid",
  "ShipName",
  "ShipCity",
  "ShipRegion",
  "TrackingId",
  "Note",
];

function readBody(request: IncomingMessage, use: (given: Given) => void): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => use(JSON.parse(Buffer.concat(chunks).toString()) as Given));
}

function toAnswer(status: number, entity: LimitRow, root: string): LimitAnswer {
  const etag = etagOf(entity["Version"]);
  const url = `${root}/Drafts(${String(entity["Id"])})`;
  const text = JSON.stringify({
    "@odata.context": `${root}/$metadata#Drafts/$entity`,
    "@odata.id": url,
    "@odata.etag": etag,
    ...entity,
  });
  const headers = { ETag: etag };
  return { status, text, headers: status === 201 ? { ...headers, Location: url, "Content-Location": url } : headers };
}

const TYPE = "Edm.Int32";

/** As docs/reference/etags.md has it: the SHA-256 of a 2, and of the type and the text, each after its length. */
function etagOf(version: unknown): string {
  const text = String(version);
  const bytes = Buffer.alloc(1 + 4 + TYPE.length + 4 + text.length);
  bytes[0] = 2;
  bytes.writeUInt32LE(TYPE.length, 1);
  bytes.write(TYPE, 5, "latin1");
  bytes.writeUInt32LE(text.length, 5 + TYPE.length);
  bytes.write(text, 9 + TYPE.length, "latin1");
  return `"${hash("sha256", bytes, "base64")}"`;
}
