import { hash } from "node:crypto";
import type { LimitAnswer, LimitRow } from "./limit-http.ts";

/** The properties that a client gives, in the order of the INSERT statements. */
export const DRAFT_PROPERTIES: readonly string[] = [
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

/** The response to a change of another version. */
export const CHANGED_MEANWHILE: LimitAnswer = { status: 412, text: "" };

/** The response with a draft. */
export function toAnswer(status: number, entity: LimitRow, root: string): LimitAnswer {
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
export function etagOf(version: unknown): string {
  const text = String(version);
  const bytes = Buffer.alloc(1 + 4 + TYPE.length + 4 + text.length);
  bytes[0] = 2;
  bytes.writeUInt32LE(TYPE.length, 1);
  bytes.write(TYPE, 5, "latin1");
  bytes.writeUInt32LE(text.length, 5 + TYPE.length);
  bytes.write(text, 9 + TYPE.length, "latin1");
  return `"${hash("sha256", bytes, "base64")}"`;
}
