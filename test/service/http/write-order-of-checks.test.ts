import { edm, entitySet, entityType, hasMany, hasOptional, odataService } from "odatakit";
import { beforeEach, describe, expect, test } from "vitest";
import { eachDoor, expectError, type ExpectedError, type HeaderTable } from "./doors.ts";
import { noFailures } from "./model.ts";

const Thing = entityType("Thing", { id: edm.int32().key(), name: edm.string(), version: edm.int32().computed() });

const calls: string[] = [];
beforeEach(() => {
  calls.length = 0;
});

const log =
  <T>(name: string, answer: T) =>
  (): T => {
    calls.push(name);
    return answer;
  };

const service = odataService({
  prefix: "/s",
  entitySets: [
    entitySet(Thing, {
      etag: ["version"],
      maxRequestBodyBytes: 200,
      getByKey: (id) => (id === 1 ? { id, name: "a", version: 1 } : null),
      create: log("create", null),
      replace: log("replace", null),
      patch: log("patch", null),
      delete: log("delete", false),
      idempotentDelete: false,
      navigation: {
        parts: hasMany(Thing, {
          create: log("createRelated", null),
          addRef: log("addRef", undefined),
          removeRef: log("removeRef", undefined),
        }),
        best: hasOptional(Thing, { setRef: log("setRef", undefined) }),
      },
    }),
  ],
  logger: noFailures,
});

/** One kind of write: where it goes, a body that it takes, and one whose key is another's. */
interface Write {
  readonly method: string;
  /** The path, with `K` in place of the key. */
  readonly path: string;
  readonly body?: string;
  /** A body whose key is not that of the URL. */
  readonly otherKey?: string;
  /** The error for a missing entity; null: none. */
  readonly missing: ExpectedError | null;
}

const NOT_FOUND: ExpectedError = { status: 404, code: "NotFound" };
const NULL_CREATED: ExpectedError = { status: 400, code: "InvalidBody" };

const WRITES: Readonly<Record<string, Write>> = {
  POST: { method: "POST", path: "Things", body: '{"Id":5,"Name":"x"}', missing: NULL_CREATED },
  PUT: {
    method: "PUT",
    path: "Things(K)",
    body: '{"Name":"x"}',
    otherKey: '{"Id":77,"Name":"x"}',
    missing: NOT_FOUND,
  },
  PATCH: {
    method: "PATCH",
    path: "Things(K)",
    body: '{"Name":"x"}',
    otherKey: '{"Id":77,"Name":"x"}',
    missing: NOT_FOUND,
  },
  DELETE: { method: "DELETE", path: "Things(K)", missing: NOT_FOUND },
  "POST of a related entity": {
    method: "POST",
    path: "Things(K)/Parts",
    body: '{"Id":5,"Name":"x"}',
    missing: NOT_FOUND,
  },
  "POST $ref": { method: "POST", path: "Things(K)/Parts/$ref", body: '{"@odata.id":"x"}', missing: null },
  "PUT $ref": { method: "PUT", path: "Things(K)/Best/$ref", body: '{"@odata.id":"x"}', missing: null },
  "PUT of a property": { method: "PUT", path: "Things(K)/Name", body: '{"value":"x"}', missing: NOT_FOUND },
  "PATCH of a property": { method: "PATCH", path: "Things(K)/Name", body: '{"value":"x"}', missing: NOT_FOUND },
};

/** The changes that a fault makes to a request. */
interface Asked {
  readonly path?: (path: string) => string;
  readonly method?: string;
  readonly query?: string;
  readonly headers?: HeaderTable;
  readonly body?: (write: Write) => string | undefined;
}

const LARGE = JSON.stringify({ Id: 5, Name: "x".repeat(300), value: "", "@odata.id": "x" });

/** The faults in the decided order. */
const FAULTS = {
  version: { headers: { "OData-MaxVersion": "3.0" } },
  path: { path: (path) => path.replace("Things", "Thngs") },
  verb: { method: "PROPFIND" },
  format: { query: "$format=xml" },
  key: { path: (path) => path.replace("K", "x") },
  length: { body: () => LARGE, headers: { "Content-Length": String(LARGE.length) } },
  type: { headers: { "Content-Type": "text/plain" } },
  options: { query: "$filter=x" },
  body: { body: () => "{" },
  keyMatch: { body: ({ otherKey }) => otherKey },
  precondition: { headers: { "If-Match": '"stale"' } },
} as const satisfies Readonly<Record<string, Asked>>;
type Fault = keyof typeof FAULTS;
const NAMES = Object.keys(FAULTS) as Fault[];

const EXPECTED: Readonly<Record<Fault, ExpectedError>> = {
  version: { status: 400, code: "UnsupportedODataVersion", target: "OData-MaxVersion" },
  path: { status: 404, code: "NotFound", message: /Thngs/u },
  verb: { status: 405, code: "MethodNotAllowed" },
  format: { status: 400, code: "UnsupportedFormat", target: "$format" },
  key: { status: 400, code: "InvalidKey", target: "key" },
  length: { status: 413, code: "PayloadTooLarge" },
  type: { status: 415, code: "UnsupportedMediaType", target: "Content-Type" },
  options: { status: 400, code: "UnsupportedQueryOption", target: "$filter" },
  body: { status: 400, code: "InvalidBody" },
  keyMatch: { status: 400, code: "KeyMismatch", target: "key" },
  precondition: { status: 412, code: "PreconditionFailed", message: /^If-Match does not hold/u },
};

/** Whether a write can have the fault at all. */
function canHave({ body, otherKey, path }: Write, fault: Fault): boolean {
  if (["length", "type", "body"].includes(fault)) return body !== undefined;
  if (fault === "keyMatch") return otherKey !== undefined;
  return (fault !== "key" && fault !== "precondition") || path.includes("K");
}

/** Two faults of one request, which are not both in the same part of it. */
function canBeTogether(first: Asked, second: Asked): boolean {
  return (["path", "method", "query", "body"] as const).every(
    (part) => first[part] === undefined || second[part] === undefined,
  );
}

eachDoor((door) => {
  const send = door.to(service);
  const ask = (write: Write, faults: readonly Fault[], key = "1") => {
    const asked: readonly Asked[] = faults.map((fault) => FAULTS[fault]);
    const path = asked.reduce((text, part) => part.path?.(text) ?? text, write.path).replace("K", key);
    const query = asked.flatMap((part) => part.query ?? []).join("&");
    const type = write.body === undefined ? {} : { "Content-Type": "application/json" };
    const headers = Object.assign({}, type, ...asked.map((part) => part.headers)) as HeaderTable;
    const method = asked.find((part) => part.method !== undefined)?.method ?? write.method;
    const change = asked.find((part) => part.body !== undefined)?.body;
    return send(`/s/${path}${query === "" ? "" : `?${query}`}`, headers, method, change?.(write) ?? write.body);
  };

  describe.each(Object.entries(WRITES))("%s", (_, write) => {
    const faults = NAMES.filter((fault) => canHave(write, fault));
    const pairs = faults.flatMap((first, index) =>
      faults
        .slice(index + 1)
        .flatMap((second) => (canBeTogether(FAULTS[first], FAULTS[second]) ? [[first, second] as const] : [])),
    );

    test.each(faults)("alone: %s", async (fault) => {
      const answer = await ask(write, [fault]);
      const allow = answer.headers["allow"];
      expectError(answer, { ...EXPECTED[fault], ...(allow === undefined ? {} : { headers: { allow } }) });
      expect(calls).toEqual([]);
    });

    test.each(pairs)("%s before %s", async (first, second) => {
      const answer = await ask(write, [first, second]);
      const allow = answer.headers["allow"];
      expectError(answer, { ...EXPECTED[first], ...(allow === undefined ? {} : { headers: { allow } }) });
      expect(calls).toEqual([]);
    });

    test("the handler comes last", async () => {
      const answer = await ask(write, [], "9");
      // Only the handlers of links know no missing entity.
      if (write.missing === null) expect(answer.status).toBe(204);
      else expectError(answer, write.missing);
      expect(calls).toHaveLength(1);
    });
  });
});
