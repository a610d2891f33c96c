import { isJsonObject, type JsonObject, type JsonValue, namesOf, writeJson } from "../../base/json/write-json.ts";
import { decodeBase64 } from "../../edm/base64.ts";
import {
  BatchIds,
  OperationCount,
  unreadable,
  type BatchItem,
  type BatchOperation,
  type ChangeSet,
  METHODS_WITH_BODY,
  NO_BYTES,
  REQUEST_ID_SYNTAX,
} from "./batch-request.ts";
import { isHeaderName, isHeaderValue } from "./read-header-block.ts";
import { isUtf8Type } from "./text-type.ts";

/** A request of a JSON batch, with the name of its atomicity group. */
interface JsonRequest extends BatchOperation {
  readonly id: string;
  readonly group: string | undefined;
}

/** The limits of a batch in JSON. */
interface JsonBatchLimits {
  /** The most requests; null for no limit. */
  readonly maxParts: number | null;
  /** Whether the URL of a request may be empty: the service root. */
  readonly takesEmptyUrls: boolean;
}

/**
 * Reads a batch in JSON: all of it, before anything is executed.
 * @throws ODataError `InvalidBody` with the request at fault, `PayloadTooLarge` for too many requests
 * @see OData JSON Format 4.01, section 19.1
 */
export function readJsonBatch(body: JsonValue, { maxParts, takesEmptyUrls }: JsonBatchLimits): readonly BatchItem[] {
  const { requests } = membersOf(body, "The body", ["requests"]);
  if (!Array.isArray(requests)) throw unreadable("The body", 'needs the array "requests".');
  const count = new OperationCount(maxParts);
  const names: RequestNames = { ids: new BatchIds(), groups: new BatchIds() };
  const read: JsonRequest[] = [];
  for (const request of requests as readonly JsonValue[]) {
    count.add();
    read.push(readRequest(request, `Request ${String(read.length + 1)}`, { names, takesEmptyUrls }));
  }
  return grouped(read);
}

/** The ids and the groups of the requests that have been read. */
interface RequestNames {
  readonly ids: BatchIds;
  readonly groups: BatchIds;
}

const MEMBERS = ["id", "method", "url", "atomicityGroup", "dependsOn", "headers", "body"];

/** The state that the requests of one batch share. */
interface Reading {
  readonly names: RequestNames;
  readonly takesEmptyUrls: boolean;
}

function readRequest(value: JsonValue, place: string, { names, takesEmptyUrls }: Reading): JsonRequest {
  const members = membersOf(value, place, MEMBERS);
  const id = textOf(members, "id", place);
  const method = textOf(members, "method", place).toUpperCase();
  const url = takesEmptyUrls && members["url"] === "" ? "" : textOf(members, "url", place);
  const { atomicityGroup, dependsOn, headers, body } = members;
  const group = isAbsent(atomicityGroup) ? undefined : textOf(members, "atomicityGroup", place);
  if (!REQUEST_ID_SYNTAX.test(id) || (group !== undefined && !REQUEST_ID_SYNTAX.test(group))) {
    throw unreadable(place, "has an invalid id or group: use letters, digits, and the characters - . _ ~.");
  }
  if (names.groups.has(id)) throw unreadable(place, `has the id ${JSON.stringify(id)}, the name of a group.`);
  const needed = readDependsOn(dependsOn, { place, names, group });
  names.ids.add(id, place);
  if (group !== undefined && names.ids.has(group)) {
    throw unreadable(place, `has the group ${JSON.stringify(group)}, the id of a request.`);
  }
  if (group !== undefined && !names.groups.has(group)) names.groups.add(group, place);
  const stated = readHeaders(headers, place);
  const bytes = readBody(body, { method, headers: stated, place });
  return {
    kind: "operation",
    id,
    method,
    url,
    headers: stated,
    body: bytes,
    dependsOn: needed,
    fault: undefined,
    group,
  };
}

interface DependencyPlace {
  readonly place: string;
  readonly names: RequestNames;
  readonly group: string | undefined;
}

function readDependsOn(value: JsonValue | undefined, { place, names, group }: DependencyPlace): readonly string[] {
  if (isAbsent(value)) return [];
  const isList = Array.isArray(value);
  const listed = isList ? (value as readonly JsonValue[]) : [];
  const needed = listed.filter((each) => typeof each === "string");
  if (!isList || needed.length < listed.length) throw unreadable(place, 'needs strings in the array "dependsOn".');
  for (const id of needed) {
    if (id === group) throw unreadable(place, "depends on its own group.");
    if (names.ids.has(id) || names.groups.has(id)) continue;
    throw unreadable(place, `depends on ${JSON.stringify(id)}, which is not an earlier request or group.`);
  }
  return needed;
}

function readHeaders(value: JsonValue | undefined, place: string): Map<string, string> {
  const headers = new Map<string, string>();
  if (isAbsent(value)) return headers;
  if (!isJsonObject(value)) throw unreadable(place, 'needs an object in "headers".');
  for (const [name, text] of Object.entries(value)) {
    if (typeof text !== "string") throw unreadable(place, `needs a string in the header ${JSON.stringify(name)}.`);
    if (!isHeaderName(name) || !isHeaderValue(text)) {
      throw unreadable(place, `has the invalid header ${JSON.stringify(name)}.`);
    }
    headers.set(name.toLowerCase(), text.trim());
  }
  return headers;
}

interface BodyPlace {
  readonly method: string;
  readonly headers: Map<string, string>;
  readonly place: string;
}

const encoder = new TextEncoder();

/** Returns the bytes of a body: JSON as JSON, `text` as text, and other types from base64url. */
function readBody(value: JsonValue | undefined, { method, headers, place }: BodyPlace): Uint8Array {
  const hasBody = METHODS_WITH_BODY.has(method);
  if (value === undefined || (value === null && !hasBody)) return NO_BYTES;
  if (!hasBody) throw unreadable(place, `has a body, but requests with ${method} have none.`);
  const type = (headers.get("content-type") ?? "application/json").split(";", 1)[0]?.trim().toLowerCase();
  if (type === "application/json") {
    if (!headers.has("content-type")) headers.set("content-type", type);
    return encoder.encode(writeJson(value));
  }
  if (typeof value !== "string") throw unreadable(place, "needs a string as body, for its content-type.");
  if (type?.startsWith("text/") === true) return encodeText(value, headers.get("content-type") ?? "", place);
  const bytes = decodeBase64(value);
  if (bytes === null) throw unreadable(place, "needs base64url in its body, for its content-type.");
  return bytes;
}

const LONE_SURROGATE = /\p{Surrogate}/u;

function encodeText(text: string, contentType: string, place: string): Uint8Array {
  if (!isUtf8Type(contentType)) throw unreadable(place, "has text in another charset: send it as charset=utf-8.");
  if (LONE_SURROGATE.test(text)) throw unreadable(place, "has half of a surrogate pair in its body.");
  return encoder.encode(text);
}

/** Joins adjacent requests of one group. */
function grouped(requests: readonly JsonRequest[]): readonly BatchItem[] {
  const items: BatchItem[] = [];
  const closed = new Set<string>();
  let open: { readonly name: string; readonly operations: JsonRequest[] } | undefined;
  const close = (): void => {
    if (open === undefined) return;
    closed.add(open.name);
    items.push({ kind: "changeSet", id: open.name, operations: open.operations } satisfies ChangeSet);
    open = undefined;
  };
  for (const [index, request] of requests.entries()) {
    const { group } = request;
    if (group !== open?.name) close();
    if (group === undefined) {
      items.push(request);
      continue;
    }
    if (closed.has(group)) {
      const place = `Request ${String(index + 1)}`;
      throw unreadable(place, `continues the group ${JSON.stringify(group)}: list its requests one after another.`);
    }
    open ??= { name: group, operations: [] };
    open.operations.push(request);
  }
  close();
  return items;
}

/** Some clients write null for a member that they do not use. */
function isAbsent(value: JsonValue | undefined): value is null | undefined {
  return value === undefined || value === null;
}

/** Returns the members of an object. Annotations are skipped. @throws ODataError `InvalidBody` for an unknown member */
function membersOf(value: JsonValue, place: string, names: readonly string[]): JsonObject {
  if (!isJsonObject(value)) throw unreadable(place, "is not a JSON object.");
  const unknown = namesOf(value).find((name) => !names.includes(name) && !name.includes("@"));
  if (unknown === undefined) return value;
  const problem =
    unknown === "if"
      ? 'has the condition "if", which this service does not evaluate'
      : `has the member ${JSON.stringify(unknown)}`;
  throw unreadable(place, `${problem}. Its members are ${names.join(", ")}.`);
}

function textOf(members: JsonObject, name: string, place: string): string {
  const value = members[name];
  if (typeof value === "string" && value !== "") return value;
  throw unreadable(place, `needs the string "${name}".`);
}
