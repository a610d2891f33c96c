import { createHash } from "node:crypto";
import { ORIGIN } from "./doors.ts";
import type { HandlerCall, NoteSetTraits, StoredNote } from "./write-model.ts";

export type Verb = "POST" | "PUT" | "PATCH" | "DELETE";
type Prefer = "none" | "minimal" | "representation";
type IfMatch = "absent" | "matching" | "stale" | "list" | "star" | "weak";
type IfNoneMatch = "absent" | "star" | "matching";
type KeyInBody = "absent" | "same" | "other spelling" | "different";

/** One request of the table. */
export interface TableRow extends NoteSetTraits {
  readonly verb: Verb;
  readonly prefer: Prefer;
  readonly ifMatch: IfMatch;
  readonly ifNoneMatch: IfNoneMatch;
  /** Whether no note has the key of the URL. */
  readonly missing: boolean;
  readonly keyInBody: KeyInBody;
}

/** The expected result. */
export interface Expectation {
  readonly status: number;
  /** Of an error. */
  readonly code?: string;
  readonly target?: string;
  /** All headers that the table is about; another one of them must not be there. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly calls: ReadonlyArray<Pick<HandlerCall, "handler" | "expected">>;
  /** The rows that are stored afterwards. */
  readonly rows: readonly StoredNote[];
}

/** The note that is there, unless it is missing. */
export const STORED: StoredNote = { code: "1.5", text: "old", remark: "old", version: 3 };
/** Another note, which no row touches. */
export const OTHER: StoredNote = { code: "8", text: "other", remark: null, version: 9 };

/** The headers that the table is about. */
export const WATCHED = ["location", "content-location", "odata-entityid", "etag", "preference-applied"] as const;

const ON_OFF = [true, false];
/** Every combination for a verb. */
export function rowsOf(verb: Verb): readonly TableRow[] {
  const axes: { readonly [Name in keyof TableRow]: ReadonlyArray<TableRow[Name]> } = {
    verb: [verb],
    etag: ON_OFF,
    upsert: ON_OFF,
    idempotentDelete: verb === "DELETE" ? ON_OFF : [true],
    readable: ON_OFF,
    prefer: ["none", "minimal", "representation"],
    ifMatch: ["absent", "matching", "stale", "list", "star", "weak"],
    ifNoneMatch: ["absent", "star", "matching"],
    missing: verb === "POST" ? [true] : ON_OFF,
    keyInBody: verb === "DELETE" ? ["absent"] : ["absent", "same", "other spelling", "different"],
  };
  let rows: ReadonlyArray<Partial<TableRow>> = [{}];
  for (const [name, values] of Object.entries(axes)) {
    rows = rows.flatMap((row) => values.map((value) => ({ ...row, [name]: value })));
  }
  // Every axis has given its value.
  return rows as readonly TableRow[];
}

/** The rows of a verb by the set that they ask, so that one service answers many. */
export function groupsOf(verb: Verb): ReadonlyArray<readonly [name: string, rows: readonly TableRow[]]> {
  const groups = new Map<string, TableRow[]>();
  for (const row of rowsOf(verb)) {
    const traits = (["etag", "upsert", "idempotentDelete", "readable"] as const).filter((trait) => row[trait]);
    const name = `${verb} where: ${traits.join(", ") || "nothing"}`;
    groups.set(name, [...(groups.get(name) ?? []), row]);
  }
  return [...groups];
}

/** The ETag of a note: the frame of its version, as decision 0005 writes it. */
export function tagOf({ version }: { readonly version: number }): string {
  const sized = (text: string): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(text.length);
    return Buffer.concat([length, Buffer.from(text)]);
  };
  const frame = Buffer.concat([Buffer.of(2), sized("Edm.Int32"), sized(String(version))]);
  return `"${createHash("sha256").update(frame).digest("base64")}"`;
}

/** The headers of the request of a row. */
export function headersOf({ verb, prefer, ifMatch, ifNoneMatch }: TableRow): Record<string, string> {
  const current = tagOf(STORED);
  const tags = {
    absent: undefined,
    matching: current,
    stale: tagOf({ version: 2 }),
    list: `"x", ${current} , "y,z"`,
    star: "*",
    weak: `W/${current}`,
  };
  const entries: ReadonlyArray<readonly [string, string | undefined]> = [
    ["Content-Type", verb === "DELETE" ? undefined : "application/json"],
    ["Prefer", prefer === "none" ? undefined : `return=${prefer}`],
    ["If-Match", tags[ifMatch]],
    ["If-None-Match", { absent: undefined, star: "*", matching: current }[ifNoneMatch]],
  ];
  return Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** The body of the request of a row, as JSON text. */
export function bodyOf({ verb, keyInBody }: TableRow): string | undefined {
  if (verb === "DELETE") return undefined;
  const code = { absent: "", same: '"Code":1.5,', "other spelling": '"Code":1.50,', different: '"Code":2.5,' };
  return `{${code[keyInBody]}"Text":"new","Version":77}`;
}

/** The expectation of a row, from the sentences of the specification and nothing else. */
export function expectationOf(row: TableRow): Expectation {
  if (row.verb === "POST") return expectPost(row);
  return row.verb === "DELETE" ? expectDelete(row) : expectChange(row);
}

const kept = ({ missing }: TableRow): readonly StoredNote[] => (missing ? [OTHER] : [STORED, OTHER]);

function failure(row: TableRow, status: number, code: string, target?: string, handlers: string[] = []): Expectation {
  const calls = handlers.map((handler) => ({ handler, expected: undefined }));
  return { status, code, ...(target === undefined ? {} : { target }), headers: {}, calls, rows: kept(row) };
}

function expectPost(row: TableRow): Expectation {
  const codes = { absent: null, same: "1.5", "other spelling": "1.50", different: "2.5" };
  const code = codes[row.keyInBody];
  // A plain key must be in the body.
  if (code === null) return failure(row, 400, "InvalidBody", "Code");
  const saved = { code, text: "new", remark: null, version: 1 };
  return success(row, "created", saved, [{ handler: "create", expected: undefined }]);
}

/** Returns the failure of If-Match for the loaded entity; null if it holds, or cannot be checked. */
function failedPrecondition(row: TableRow): Expectation | null {
  if (!row.readable) return null;
  const failed = (): Expectation => failure(row, 412, "PreconditionFailed");
  if (row.ifMatch !== "absent") {
    if (row.missing) return failed();
    const holds = row.ifMatch === "star" || (row.etag && row.ifMatch !== "stale");
    if (!holds) return failed();
  }
  if (row.ifNoneMatch === "absent" || row.missing) return null;
  const isStar = row.ifNoneMatch === "star";
  const fails = row.verb === "PUT" ? row.upsert && isStar : isStar || row.etag;
  return fails ? failed() : null;
}

/** Whether If-None-Match was checked, so that the service calls no handler for a missing entity. */
function isKnownMissing({ readable, missing, ifNoneMatch }: TableRow): boolean {
  return readable && missing && ifNoneMatch !== "absent";
}

/** Returns the values of the ETag that handlers receive. */
function expectedOf({ readable, etag, ifMatch }: TableRow): unknown {
  const names = ifMatch === "matching" || ifMatch === "list" || ifMatch === "weak";
  return readable && etag && names ? { version: STORED.version } : undefined;
}

function expectChange(row: TableRow): Expectation {
  if (row.keyInBody === "different") return failure(row, 400, "KeyMismatch", "key");
  const failed = failedPrecondition(row);
  if (failed !== null) return failed;
  const handler = row.verb === "PUT" ? "replace" : "patch";
  const expected = expectedOf(row);
  if (!row.missing) {
    const remark = row.verb === "PUT" ? null : STORED.remark;
    const saved = { code: "1.5", text: "new", remark, version: STORED.version + 1 };
    return success(row, "updated", saved, [{ handler, expected }]);
  }
  if (row.ifMatch !== "absent") return failure(row, 412, "PreconditionFailed", undefined, [handler]);
  if (row.verb === "PATCH" && isKnownMissing(row)) return failure(row, 404, "NotFound");
  if (row.verb === "PATCH" || !row.upsert) return failure(row, 404, "NotFound", undefined, [handler]);
  // If the set does not read by key, only the replace handler reports that the entity is missing.
  const handlers = row.readable ? ["create"] : ["replace", "create"];
  const saved = { code: "1.5", text: "new", remark: null, version: 1 };
  const calls = handlers.map((name) => ({ handler: name, expected: undefined }));
  return success(row, "upserted", saved, calls);
}

function expectDelete(row: TableRow): Expectation {
  const failed = failedPrecondition(row);
  if (failed !== null) return failed;
  const handlers = isKnownMissing(row) ? [] : ["delete"];
  const calls = handlers.map((handler) => ({ handler, expected: expectedOf(row) }));
  if (row.missing && row.ifMatch !== "absent") return failure(row, 412, "PreconditionFailed", undefined, ["delete"]);
  if (row.missing && !row.idempotentDelete) return failure(row, 404, "NotFound", undefined, handlers);
  return { status: 204, headers: {}, body: "", calls, rows: [OTHER] };
}

function success(
  row: TableRow,
  outcome: "created" | "updated" | "upserted",
  saved: StoredNote,
  calls: Expectation["calls"],
): Expectation {
  const url = `${ORIGIN}/s/Notes(${saved.code})`;
  const etag = row.etag ? tagOf(saved) : undefined;
  const isMinimal = row.prefer === "minimal";
  const headers = {
    ...(outcome === "updated" ? {} : { location: url }),
    ...(outcome === "created" ? { "content-location": url } : {}),
    ...(outcome !== "updated" && isMinimal ? { "odata-entityid": url } : {}),
    ...(etag === undefined ? {} : { etag }),
    ...(row.prefer === "none" ? {} : { "preference-applied": `return=${row.prefer}` }),
  };
  const body = {
    "@odata.context": `${ORIGIN}/s/$metadata#Notes/$entity`,
    "@odata.id": url,
    ...(etag === undefined ? {} : { "@odata.etag": etag }),
    Code: Number(saved.code),
    Text: saved.text,
    Remark: saved.remark,
    Version: saved.version,
  };
  const shown = outcome === "updated" ? 200 : 201;
  const rows = outcome === "updated" ? [saved, OTHER] : [OTHER, saved];
  return { status: isMinimal ? 204 : shown, headers, body: isMinimal ? "" : body, calls, rows };
}
